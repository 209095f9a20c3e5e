using System.Collections;
using System.Globalization;
using System.Text.RegularExpressions;
using NpgsqlTypes;

namespace Ioxide.Pg.Tests;

/// <summary>Values as both facades are compared: the type of .NET and a text.</summary>
internal static partial class CellText
{
    /// <summary>Stands for a value that could not be read.</summary>
    internal const string Unreadable = "unreadable";

    /// <summary>A type's name. Types that each driver has of its own get one name.</summary>
    internal static string TypeName(Type type)
    {
        string name = type.IsGenericType ? $"{type.Name.Split('`')[0]}<{string.Join(", ", type.GetGenericArguments().Select(TypeName))}>" : type.Name;
        return type.IsArray ? $"{TypeName(type.GetElementType()!)}[{new string(',', type.GetArrayRank() - 1)}]" // Arrays have element types.
            : name.Replace("NpgsqlLSeg", "PgLineSegment", StringComparison.Ordinal).Replace("NpgsqlCidr", "IPNetwork", StringComparison.Ordinal)
                .Replace("Npgsql", "Pg", StringComparison.Ordinal);
    }

    internal static string Of(object value) => value switch
    {
        string text => text,
        DateTime time => $"{time:O}",
        DateTimeOffset time => $"{time:O}",
        DateOnly or TimeOnly => string.Create(CultureInfo.InvariantCulture, $"{value:O}"),
        byte[] bytes => Convert.ToHexString(bytes),
        BitArray bits => string.Concat(bits.Cast<bool>().Select(static bit => bit ? '1' : '0')),
        IDictionary map => string.Join(", ", map.Keys.Cast<object>().Select(key => $"{key}=>{map[key] ?? "NULL"}").Order(StringComparer.Ordinal)),
        NpgsqlPoint point => Numbers(point.X, point.Y),
        PgPoint point => Numbers(point.X, point.Y),
        NpgsqlLine line => Numbers(line.A, line.B, line.C),
        PgLine line => Numbers(line.A, line.B, line.C),
        NpgsqlLSeg segment => Numbers(segment.Start.X, segment.Start.Y, segment.End.X, segment.End.Y),
        PgLineSegment segment => Numbers(segment.Start.X, segment.Start.Y, segment.End.X, segment.End.Y),
        NpgsqlBox box => Numbers(box.UpperRight.X, box.UpperRight.Y, box.LowerLeft.X, box.LowerLeft.Y),
        PgBox box => Numbers(box.UpperRight.X, box.UpperRight.Y, box.LowerLeft.X, box.LowerLeft.Y),
        NpgsqlCircle circle => Numbers(circle.X, circle.Y, circle.Radius),
        PgCircle circle => Numbers(circle.Center.X, circle.Center.Y, circle.Radius),
        NpgsqlPath path => $"{(path.Open ? '[' : '(')}{Points(path)}{(path.Open ? ']' : ')')}",
        NpgsqlPolygon polygon => $"({Points(polygon)})",
        Array { Rank: > 1 } many => $"{string.Join('x', Enumerable.Range(0, many.Rank).Select(many.GetLength))} {List(many)}",
        IEnumerable list => List(list),
        _ when value.GetType().Name.Contains("Range", StringComparison.Ordinal) => Range(string.Create(CultureInfo.InvariantCulture, $"{value}")),
        _ => string.Create(CultureInfo.InvariantCulture, $"{value}"),
    };

    /// <summary>The type of a column. Npgsql throws where it cannot read the column.</summary>
    internal static string OfType(Func<Type> read)
    {
        try
        {
            return TypeName(read());
        }
        catch (InvalidCastException)
        {
            return Unreadable;
        }
    }

    /// <summary>A cell of a reader of ADO.NET.</summary>
    internal static string OfCell(Func<object> read)
    {
        try
        {
            object value = read();
            return value is DBNull ? "NULL" : $"{TypeName(value.GetType())}:{Of(value)}";
        }
        catch (Exception error) when (error is InvalidCastException or OverflowException or ArgumentException or FormatException)
        {
            return $"{Unreadable} {error.GetType().Name}";
        }
    }

    private static string List(IEnumerable list) => $"[{string.Join(", ", list.Cast<object?>().Select(static item => item is null ? "NULL" : Of(item)))}]";

    private static string Points(IEnumerable<NpgsqlPoint> points) => string.Join(',', points.Select(static point => string.Create(CultureInfo.InvariantCulture, $"({point.X},{point.Y})")));

    private static string Numbers(params double[] numbers) => string.Join(", ", numbers.Select(static number => number.ToString("R", CultureInfo.InvariantCulture)));

    /// <summary>Both print bounds, but each prints moments its own way.</summary>
    private static string Range(string text) => Quotes().Replace(text, "");

    [GeneratedRegex("[\" ]")]
    private static partial Regex Quotes();
}
