using System.Globalization;

namespace Ioxide.LoadKit;

/// <summary>One request's head, as far as <see cref="RawHttp"/> needs it.</summary>
internal sealed record RawRequest(string Path, IReadOnlyDictionary<string, string> Query, int BodyBytes, bool IsLast)
{
    /// <summary>Reads a head without its empty line.</summary>
    internal static RawRequest Parse(string text)
    {
        RawHead head = RawHead.Parse(text);
        string[] target = head.FirstLine.Split(' ')[1].Split('?', 2);
        Dictionary<string, string> query = target.Length == 1
            ? []
            : target[1].Split('&').Select(pair => pair.Split('=')).ToDictionary(pair => pair[0], pair => pair[1]);
        return new RawRequest(
            target[0],
            query,
            int.Parse(head["Content-Length"] ?? "0", CultureInfo.InvariantCulture),
            head["Connection"] == "close");
    }

    internal int Number(string name) => Query.TryGetValue(name, out string? value) ? int.Parse(value, CultureInfo.InvariantCulture) : 0;

    internal long Key => Query.TryGetValue("key", out string? value) ? long.Parse(value, CultureInfo.InvariantCulture) : 0;
}
