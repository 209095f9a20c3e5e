using System.Globalization;

namespace Ioxide.Files.Tests;

/// <summary>
/// Preconditions, ranges and codings decide in the order of RFC 9110, section 13.2.2. A file of 1,000 bytes with copies in two
/// codings, changed at a known second, is asked for with each header and with those that contradict each other.
/// </summary>
public class FileDecisionTests
{
    private const string Modified = "Sun, 06 Nov 1994 08:49:37 GMT";
    private const string Before = "Sun, 06 Nov 1994 08:49:36 GMT";
    private const string After = "Sun, 06 Nov 1994 08:49:38 GMT";

    // Of the hashes 0 and 3.
    private const string Tag = "\"AAAAAAAAAAAAAAAAAAAAAA\"";
    private const string BrotliTag = "\"AwAAAAAAAAAAAAAAAAAAAA\"";

    private static readonly FileEntry s_entry = MakeEntry();

    [Theory]
    [InlineData("", "Whole identity")]
    [InlineData("Accept-Encoding: gzip", "Whole gzip")]
    [InlineData("Accept-Encoding: br, gzip", "Whole br")]
    [InlineData("Accept-Encoding: br;q=0.5, gzip", "Whole gzip")]
    [InlineData("Accept-Encoding: zstd", "Whole identity")]
    [InlineData("Accept-Encoding: identity, br", "Whole br")]
    [InlineData("Accept-Encoding: identity, br;q=0.9", "Whole identity")]
    [InlineData("Accept-Encoding: identity;q=0", "NotAcceptable")]
    [InlineData("Accept-Encoding: zstd, *;q=0", "NotAcceptable")]
    public void SelectsTheCodingThatTheClientWantsMost(string headers, string expected) => Assert.Equal(expected, Decide(headers));

    [Theory]
    [InlineData($"If-None-Match: {Tag}", "NotModified identity")]
    [InlineData($"If-None-Match: W/{Tag}", "NotModified identity")]
    [InlineData($"If-None-Match: \"a\", {Tag}", "NotModified identity")]
    [InlineData($"If-None-Match: \"a,b\",W/\"c\",{Tag}", "NotModified identity")]
    [InlineData("If-None-Match: *", "NotModified identity")]
    [InlineData("If-None-Match: \"other\"", "Whole identity")]
    [InlineData("If-None-Match: identity", "Whole identity")]
    [InlineData($"If-None-Match: \"broken, {Tag}", "Whole identity")]
    [InlineData($"If-None-Match: {Tag}|Accept-Encoding: br", "Whole br")]
    [InlineData($"If-None-Match: {BrotliTag}|Accept-Encoding: br", "NotModified br")]
    public void ComparesTagsWeaklyForIfNoneMatch(string headers, string expected) => Assert.Equal(expected, Decide(headers));

    [Theory]
    [InlineData($"If-Modified-Since: {Modified}", "NotModified identity")]
    [InlineData($"If-Modified-Since: {After}", "NotModified identity")]
    [InlineData($"If-Modified-Since: {Before}", "Whole identity")]
    [InlineData("If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT", "NotModified identity")]
    [InlineData("If-Modified-Since: Sun Nov  6 08:49:37 1994", "NotModified identity")]
    [InlineData("If-Modified-Since: yesterday", "Whole identity")]
    [InlineData("If-Modified-Since: 0", "Whole identity")]
    [InlineData($"If-Modified-Since: {Before}|If-None-Match: {Tag}", "NotModified identity")]
    [InlineData($"If-Modified-Since: {After}|If-None-Match: \"other\"", "Whole identity")]
    public void ATagDecidesBeforeADate(string headers, string expected) => Assert.Equal(expected, Decide(headers));

    [Theory]
    [InlineData($"If-Match: {Tag}", "Whole identity")]
    [InlineData("If-Match: *", "Whole identity")]
    [InlineData($"If-Match: W/{Tag}", "PreconditionFailed identity")]
    [InlineData("If-Match: \"other\"", "PreconditionFailed identity")]
    [InlineData($"If-Match: {Tag}|If-Unmodified-Since: {Before}", "Whole identity")]
    [InlineData($"If-Unmodified-Since: {Modified}", "Whole identity")]
    [InlineData($"If-Unmodified-Since: {Before}", "PreconditionFailed identity")]
    [InlineData("If-Unmodified-Since: yesterday", "Whole identity")]
    [InlineData($"If-Match: \"other\"|If-None-Match: {Tag}", "PreconditionFailed identity")]
    [InlineData($"If-Match: {Tag}|If-None-Match: {Tag}", "NotModified identity")]
    public void RefusesWhereThePreconditionFails(string headers, string expected) => Assert.Equal(expected, Decide(headers));

    [Theory]
    [InlineData("Range: bytes=1-2", "Part identity 1+2")]
    [InlineData("Range: bytes=1-2,5-6", "Parts identity 1+2 5+2")]
    [InlineData("Range: bytes=1-2,2-3", "Part identity 1+3")]
    [InlineData("Range: bytes=1000-", "Unsatisfiable identity")]
    [InlineData("Range: bytes=100-|Accept-Encoding: br", "Unsatisfiable br")]
    [InlineData("Range: bytes=5-|Accept-Encoding: br", "Part br 5+95")]
    [InlineData("Range: bytes=2-1", "Whole identity")]
    [InlineData($"Range: bytes=1-2|If-Range: {Tag}", "Part identity 1+2")]
    [InlineData($"Range: bytes=1-2|If-Range: W/{Tag}", "Whole identity")]
    [InlineData("Range: bytes=1-2|If-Range: \"other\"", "Whole identity")]
    [InlineData($"Range: bytes=1-2|If-Range: {Modified}", "Part identity 1+2")]
    [InlineData($"Range: bytes=1-2|If-Range: {After}", "Whole identity")]
    [InlineData($"Range: bytes=1-2|If-Range: {Before}", "Whole identity")]
    [InlineData("Range: bytes=5000-|If-Range: \"other\"", "Whole identity")]
    [InlineData($"Range: bytes=1-2|If-None-Match: {Tag}", "NotModified identity")]
    [InlineData("Range: bytes=1-2|If-Match: \"other\"", "PreconditionFailed identity")]
    [InlineData($"If-Range: {Tag}", "Whole identity")]
    public void TakesRangesOfTheSelectedRepresentation(string headers, string expected) => Assert.Equal(expected, Decide(headers));

    [Fact]
    public void RangesAreForGetOnly() => Assert.Equal("Whole identity", Decide("Range: bytes=1-2", isHead: true));

    private static string Decide(string headers, bool isHead = false)
    {
        var request = new FileRequest { IsHead = isHead };
        foreach (string header in headers.Split('|', StringSplitOptions.RemoveEmptyEntries))
        {
            int colon = header.IndexOf(':', StringComparison.Ordinal);
            string value = header[(colon + 2)..];
            switch (header[..colon])
            {
                case "Accept-Encoding": request.AcceptEncoding = value; break;
                case "If-Match": request.IfMatch = value; break;
                case "If-None-Match": request.IfNoneMatch = value; break;
                case "If-Modified-Since": request.IfModifiedSince = value; break;
                case "If-Unmodified-Since": request.IfUnmodifiedSince = value; break;
                case "Range": request.Range = value; break;
                case "If-Range": request.IfRange = value; break;
                default: throw new ArgumentException(header, nameof(headers));
            }
        }

        FileDecision decision = FileDecision.Make(request, s_entry, maxRanges: 4);
        string variant = decision.Variant is null ? "" : $" {FileCodings.NameOf(decision.Variant.Coding) ?? "identity"}";
        string ranges = decision.Outcome switch
        {
            FileOutcome.Part => $" {decision.Range.Start}+{decision.Range.Length}",
            FileOutcome.Parts => string.Concat(decision.Parts!.Select(part => $" {part.Start}+{part.Length}")),
            _ => "",
        };
        return $"{decision.Outcome}{variant}{ranges}";
    }

    private static FileEntry MakeEntry()
    {
        DateTimeOffset modified = DateTimeOffset.ParseExact(Modified, "r", CultureInfo.InvariantCulture).AddTicks(5);
        var memory = new SnapshotMemory();
        return new FileEntry("a.txt", Content(1000, 0), Make(FileCoding.Identity, 1000, 0), [Make(FileCoding.Gzip, 200, 2), Make(FileCoding.Brotli, 100, 3)]);

        FileVariant Make(FileCoding coding, int length, int hash)
            => new(Content(length, hash), modified, new SharedFields("text/plain", coding, isNegotiated: true, cacheControl: null, []));

        FileContent Content(int length, int hash)
            => new(new FileVersion(default, length, 0, 0, 0, 0), modified, memory.Take(length), (UInt128)hash, disk: null);
    }
}
