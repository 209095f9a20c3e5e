using System.Collections;
using System.Data;
using System.Data.Common;
using System.Globalization;
using System.Net;
using System.Numerics;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>Every value under every declared type, cast to every type of the server: it arrives as with Npgsql, or is refused.</summary>
/// <remarks>
/// What Npgsql refuses may arrive here; then the server makes the same of it as of the literal. A difference is meant only where
/// <see cref="Meant"/> names it with its reason.
/// </remarks>
public class WriteMatrixTests : PairTests
{
    private const int Chosen = 3000;

    private enum Colour
    {
        Red,
        Green = 7,
    }

    private static readonly DbType?[] s_declared = [null, .. Enum.GetValues<DbType>()];

    private static readonly string[] s_targets =
    [
        "", "bool", "int2", "int4", "int8", "float4", "float8", "numeric", "money", "text", "varchar", "bpchar", "\"char\"", "name", "bytea", "uuid", "date", "time",
        "timetz", "timestamp", "timestamptz", "interval", "json", "jsonb", "xml", "inet", "oid", "bit(3)", "varbit", "int4[]", "text[]",
    ];

    private static readonly object[] s_values =
    [
        true, false, (byte)200, (sbyte)-3, (short)-5, (ushort)60000, 7, -1, 70000, 3_000_000_000u, 1L << 40, 12UL, 1.5f, 2.25, 1e300, 1.7m, 12m, -0.5m,
        new BigInteger(12), "12", "1.5", "text", "", "true", "2024-02-29", "10:11:12", "{1,2}", "101", "00112233-4455-6677-8899-aabbccddeeff", "\\x01", 'c', 'ä',
        "ab".ToCharArray(), new byte[] { 1, 2 }, Array.Empty<byte>(), Guid.Parse("00112233-4455-6677-8899-aabbccddeeff"),
        new DateTime(2024, 2, 29, 1, 2, 3, DateTimeKind.Utc), new DateTime(2024, 2, 29, 1, 2, 3, DateTimeKind.Unspecified), DateTime.MaxValue, DateTime.MinValue,
        new DateTime(9999, 12, 31), new DateTime(9999, 12, 31, 23, 59, 59, DateTimeKind.Utc), new DateTimeOffset(2024, 2, 29, 1, 2, 3, TimeSpan.Zero),
        new DateOnly(2024, 2, 29), DateOnly.MaxValue, DateOnly.MinValue, new TimeOnly(1, 2, 3), TimeSpan.FromHours(2), TimeSpan.FromHours(30), Colour.Green,
        new[] { 1, 2 }, new List<int> { 3 }, new[] { "a", "b" }, IPAddress.Parse("10.0.0.1"), new BitArray([true, false, true]), DBNull.Value,
        new object(),
    ];

    [Fact]
    public async Task AValueArrivesAsWithNpgsqlOrIsRefused()
    {
        int seed = TestSeed.Next();
        var differences = new StringBuilder();
        foreach ((DbType? declared, object value, string target) in Choose(new Random(seed)))
        {
            string theirs = await SendAsync(Pair.Theirs, declared, value, target);
            string ours = await SendAsync(Pair.Ours, declared, value, target);
            bool isRefused = ours.StartsWith('!');
            if (theirs.StartsWith('!') && isRefused)
            {
                // An exception of ADO.NET, or the server's.
                Assert.True(ours.Length == 6 || ours is "!InvalidCastException" or "!OverflowException" or "!ArgumentOutOfRangeException", ours);
                continue;
            }

            string expected = theirs.StartsWith('!') && target.Length > 0 ? await LiteralAsync(Pair.Theirs, declared, value, target) : theirs;
            if (expected != ours && Meant(declared, value, target, theirs, ours) is null)
            {
                differences.Append(CultureInfo.InvariantCulture, $"{value.GetType().Name} {Text(value)} as {declared} for {target}: {theirs} {expected}, facade {ours}\n");
            }
        }

        Assert.True(differences.Length == 0, $"seed {seed}\n{differences}");
    }

    /// <summary>Why the facade does something else; null where it should not.</summary>
    private static string? Meant(DbType? declared, object value, string target, string theirs, string ours)
        => theirs.StartsWith('!') && target.Length == 0 ? "It arrives; what it arrives as, the other targets show."
            : value is int or long && ours == "!InvalidCastException" && declared is DbType.Date or DbType.DateTime or DbType.DateTime2 or DbType.DateTimeOffset
                ? "A number is no moment: its count from 2000-01-01 is the wire's."
            : value is DateTime && target.Length == 0 && ours == theirs + "Z" ? "A timestamptz is UTC, also at its ends."
            : null;

    private static List<(DbType?, object, string)> Choose(Random random)
    {
        var all = new List<(DbType?, object, string)>();
        foreach (DbType? declared in s_declared)
        {
            foreach (object value in s_values)
            {
                all.AddRange(s_targets.Select(target => (declared, value, target)));
            }
        }

        (DbType?, object, string)[] shuffled = [.. all];
        random.Shuffle(shuffled);
        return [.. shuffled.Take(Chosen)];
    }

    /// <summary>What the server makes of the value as a literal of the declared type.</summary>
    private static async Task<string> LiteralAsync(DbConnection connection, DbType? declared, object value, string target)
    {
        string type = value switch
        {
            DateTime moment when declared is DbType.DateTime or DbType.DateTime2 or DbType.DateTimeOffset => moment.Kind == DateTimeKind.Utc ? "timestamptz" : "timestamp",
            DateTimeOffset when declared == DbType.DateTime2 => "timestamptz",
            _ => declared switch
            {
                DbType.Boolean => "bool",
                DbType.Byte or DbType.SByte or DbType.Int16 => "int2",
                DbType.Int32 or DbType.UInt16 => "int4",
                DbType.Int64 or DbType.UInt32 => "int8",
                DbType.Single => "float4",
                DbType.Double => "float8",
                DbType.Decimal or DbType.VarNumeric or DbType.UInt64 => "numeric",
                DbType.Currency => "money",
                DbType.Guid => "uuid",
                DbType.Binary => "bytea",
                DbType.Date => "date",
                DbType.Time => "time",
                DbType.DateTime2 => "timestamp",
                DbType.DateTime or DbType.DateTimeOffset => "timestamptz",
                DbType.Xml => "xml",
                null or DbType.Object => value switch { Colour or ushort => "int4", uint => "int8", ulong => "numeric", _ => "text" },
                _ => "text",
            },
        };
        bool isWhole = type is "int2" or "int4" or "int8";
        string literal = value switch
        {
            DBNull => "null",
            byte[] bytes => $"'\\x{Convert.ToHexString(bytes)}'",
            char[] text => $"'{new string(text)}'",
            Colour colour => $"'{(int)colour}'",
            float or double or decimal when isWhole => $"'{decimal.Truncate(Convert.ToDecimal(value, CultureInfo.InvariantCulture))}'",
            _ => $"'{Text(value)}'",
        };
        await using DbCommand command = connection.Command($"select ({literal}::{type}::{target})::text");
        try
        {
            return Text(await command.ExecuteScalarAsync());
        }
        catch (DbException refused)
        {
            return $"!{refused.SqlState}";
        }
    }

    private static async Task<string> SendAsync(DbConnection connection, DbType? declared, object value, string target)
    {
        if (connection.State != ConnectionState.Open)
        {
            // Npgsql gives a connection up where a value cannot be written.
            await connection.CloseAsync();
            await connection.OpenAsync();
        }

        await using DbCommand command = connection.Command(target.Length == 0 ? "select @p" : $"select (@p::{target})::text");
        DbParameter parameter = command.CreateParameter();
        parameter.ParameterName = "p";
        try
        {
            if (declared is { } type)
            {
                parameter.DbType = type;
            }

            parameter.Value = value;
            command.Parameters.Add(parameter);
            await using DbDataReader reader = await command.ExecuteReaderAsync();
            Assert.True(await reader.ReadAsync());
            return target.Length == 0 ? $"{reader.GetDataTypeName(0)} {Text(reader.GetValue(0))}" : Text(reader.GetValue(0));
        }
        catch (DbException refused) when (refused.SqlState is { } state)
        {
            return $"!{state}";
        }
        catch (Exception refused) when (refused is not Xunit.Sdk.IAssertionException)
        {
            return $"!{refused.GetType().Name}";
        }
    }

    private static string Text(object? value) => value switch
    {
        string text => text,
        DateTime moment => moment.ToString("O", CultureInfo.InvariantCulture),
        IEnumerable items => string.Join(",", items.Cast<object?>()),
        _ => string.Create(CultureInfo.InvariantCulture, $"{value}"),
    };
}
