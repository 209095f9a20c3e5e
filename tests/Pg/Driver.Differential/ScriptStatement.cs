using System.Globalization;

namespace Ioxide.Pg.Tests;

/// <summary>One statement of a script.</summary>
/// <param name="Template">SQL in which a mark and a number stand for a parameter, counted from 1.</param>
/// <param name="Values">The parameters.</param>
internal sealed record ScriptStatement(string Template, params ScriptValue[] Values)
{
    /// <summary>Begins a parameter in <see cref="Template"/>. It occurs nowhere else.</summary>
    internal const char Mark = '\u00a7';

    /// <summary>With <c>$1</c>, <c>$2</c>.</summary>
    internal string Positional => Template.Replace(Mark, '$');

    /// <summary>With names that no other statement of the same text has.</summary>
    internal string Named(int index) => Template.Replace($"{Mark}", Prefix(index), StringComparison.Ordinal);

    internal static string NameOf(int index, int value) => string.Create(CultureInfo.InvariantCulture, $"{Prefix(index)[1..]}{value + 1}");

    public override string ToString() => Values.Length == 0 ? Template : $"{Template}  ({string.Join(", ", Values.AsEnumerable())})";

    private static string Prefix(int index) => string.Create(CultureInfo.InvariantCulture, $"@s{index}_");
}
