namespace Ioxide.Pg;

/// <summary>Names of SQL, such as of a table, a channel or a savepoint.</summary>
internal static class SqlName
{
    /// <summary>The server cuts longer names: to as many whole characters as fit, in its own encoding.</summary>
    internal const int MaxBytes = 63;

    /// <summary>The name as it is, whatever it contains: <c>a"b</c> becomes <c>"a""b"</c>.</summary>
    internal static string Quote(string name) => $"\"{name.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";

    /// <summary>The name as a text, whatever it contains and whatever <c>standard_conforming_strings</c> says.</summary>
    internal static string Text(string name)
        => $"E'{name.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("'", "''", StringComparison.Ordinal)}'";
}
