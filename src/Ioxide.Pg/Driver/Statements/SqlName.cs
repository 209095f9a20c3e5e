namespace Ioxide.Pg;

/// <summary>Names of SQL, such as of a table, a channel or a savepoint.</summary>
internal static class SqlName
{
    /// <summary>The name as it is, whatever it contains: <c>a"b</c> becomes <c>"a""b"</c>.</summary>
    internal static string Quote(string name) => $"\"{name.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";
}
