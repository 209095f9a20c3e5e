using System.Globalization;

namespace Ioxide.LoadKit;

/// <summary>What the head of a reply said.</summary>
/// <param name="Status">The status code.</param>
/// <param name="LengthBytes">The body's length.</param>
/// <param name="ClosesConnection">Nothing follows on the connection.</param>
/// <param name="Instance">Which instance the balancer had asked; empty without a balancer.</param>
internal readonly record struct Reply(int Status, int LengthBytes, bool ClosesConnection, string Instance)
{
    /// <exception cref="InvalidDataException">The head is none of a reply.</exception>
    internal static Reply Of(RawHead head)
    {
        const string Version = "HTTP/1.1 ";
        return head.FirstLine.StartsWith(Version, StringComparison.Ordinal)
            ? new Reply(
                int.Parse(head.FirstLine.AsSpan(Version.Length, 3), CultureInfo.InvariantCulture),
                int.Parse(head["Content-Length"] ?? "0", CultureInfo.InvariantCulture),
                head["Connection"] == "close",
                head["X-Instance"] ?? "")
            : throw new InvalidDataException($"'{head.FirstLine}' is no head.");
    }
}
