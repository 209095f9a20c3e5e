using System.Security.Cryptography;
using System.Text;

namespace Ioxide.Files.Tests;

/// <summary>An answer as it is compared: status line, fields in the order of their names, and the body.</summary>
/// <param name="StatusLine">As it came, or what came instead of an answer.</param>
/// <param name="Fields">Name and value, all but <see cref="Decided"/>; the value of a field that differs each time is replaced by a star.</param>
/// <param name="Decided">The features that decided it; null where the pipeline has not seen the request.</param>
internal sealed record ApplicationAnswer(string StatusLine, string Fields, string? Decided, byte[] Body, string? Tag, bool IsLast)
{
    /// <summary>Dates say when; the age of a cached answer likewise. Their presence is compared.</summary>
    private static readonly string[] s_changing = ["Date", "Age"];

    internal static ApplicationAnswer None(string what) => new(what, "", null, [], null, IsLast: true);

    internal static ApplicationAnswer Of(RawResponse response)
    {
        (RawHead head, byte[] body, _) = response;
        string? boundary = head["Content-Type"]?.Split("boundary=") is [_, { } name] ? name : null;
        string text = string.Join("\n    ", head.Fields.Where(static field => field.Key != MarkingContextFactory.Field)
            .OrderBy(static field => field.Key, StringComparer.Ordinal)
            .Select(field => $"{field.Key}: {(s_changing.Contains(field.Key) ? "*" : Without(boundary, field.Value))}"));
        return new ApplicationAnswer(
            head.FirstLine, text, head[MarkingContextFactory.Field],
            boundary is null ? body : Encoding.Latin1.GetBytes(Without(boundary, Encoding.Latin1.GetString(body))),
            head["ETag"], head["Connection"] == "close");
    }

    internal string Status => StatusLine.Length >= 12 ? StatusLine[9..12] : StatusLine;

    /// <summary>Whether a client sees the same, and the same features decided it where both came through the pipeline.</summary>
    internal bool IsLike(ApplicationAnswer other)
        => StatusLine == other.StatusLine && Fields == other.Fields && Body.AsSpan().SequenceEqual(other.Body)
        && (Decided is null || other.Decided is null || Decided == other.Decided);

    public override string ToString()
    {
        string body = Body.Length <= 200 && !Body.Any(static letter => letter is < 9 or > 126)
            ? Encoding.ASCII.GetString(Body)
            : $"{Body.Length} bytes, SHA-256 {Convert.ToHexString(SHA256.HashData(Body))[..12]}";
        return $"{StatusLine}\n    {Fields}\n    ({Decided ?? "not by the pipeline"})\n    {body}";
    }

    private static string Without(string? boundary, string text) => boundary is null ? text : text.Replace(boundary, "*", StringComparison.Ordinal);
}
