using System.Globalization;

namespace Ioxide.Chaos;

/// <summary>One request's head, as far as <see cref="RawHttp"/> needs it.</summary>
internal sealed record RawRequest(string Path, IReadOnlyDictionary<string, string> Query, int BodyBytes, bool IsLast)
{
    /// <summary>Reads a head without its empty line.</summary>
    internal static RawRequest Parse(string head)
    {
        string[] lines = head.Split("\r\n");
        string[] target = lines[0].Split(' ')[1].Split('?', 2);
        Dictionary<string, string> query = target.Length == 1
            ? []
            : target[1].Split('&').Select(pair => pair.Split('=')).ToDictionary(pair => pair[0], pair => pair[1]);
        return new RawRequest(
            target[0],
            query,
            HeaderOf(lines, "Content-Length: ") is { } length ? int.Parse(length, CultureInfo.InvariantCulture) : 0,
            HeaderOf(lines, "Connection: ") == "close");
    }

    internal int Number(string name)
        => Query.TryGetValue(name, out string? value) ? int.Parse(value, CultureInfo.InvariantCulture) : 0;

    internal ulong Key => Query.TryGetValue("key", out string? value) ? ulong.Parse(value, CultureInfo.InvariantCulture) : 0;

    private static string? HeaderOf(string[] lines, string name)
        => lines.FirstOrDefault(line => line.StartsWith(name, StringComparison.Ordinal))?[name.Length..];
}
