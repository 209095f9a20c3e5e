using System.Text;
using System.Text.RegularExpressions;
using Ioxide.Files;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Fuzz;

/// <summary>Fields of requests for files: ranges, conditions, dates and codings, beside the framework's readers where these take the field.</summary>
internal sealed partial class FileFieldTarget() : FuzzTarget("file-fields")
{
    private const long FileLength = 1000;
    private const int MaxRanges = 16;
    private const string Tag = "\"abc\"";

    internal override IEnumerable<byte[]> Seeds()
    {
        yield return "bytes=0-499, 500-999 ,-5,9-"u8.ToArray();
        yield return "bytes=999-99999999999999999999"u8.ToArray();
        yield return "\"abc\", W/\"abc\" , \"x,y\",*"u8.ToArray();
        yield return "*"u8.ToArray();
        yield return "\"x\", \"abc\""u8.ToArray();
        yield return ",\"x,y\" ,, W/\"abc\""u8.ToArray();
        yield return "Sun, 06 Nov 1994 08:49:37 GMT"u8.ToArray();
        yield return "Sunday, 06-Nov-94 08:49:37 GMT"u8.ToArray();
        yield return "gzip;q=0.5, br , zstd;q=1.000, identity;q=0, *;q=0.001"u8.ToArray();
    }

    internal override void Read(ReadOnlySpan<byte> input)
    {
        string field = Encoding.Latin1.GetString(input);
        ReadRanges(field);
        foreach (FileCoding coding in Enum.GetValues<FileCoding>())
        {
            Require(AcceptedCodings.Parse(field).WeightOf(coding) is >= -1 and <= 1000, "A weight is outside its bounds.");
        }

        bool isDate = HttpDates.TryParse(field, out DateTimeOffset date);
        Require(!isDate || HeaderUtilities.TryParseDate(field, out DateTimeOffset theirs) && theirs == date, "The framework reads no such date.");

        bool weak = EntityTags.Contains(field, Tag, isWeak: true), strong = EntityTags.Contains(field, Tag, isWeak: false);
        Require(weak || !strong, "A tag that matches strongly matches weakly.");
        if (TagList().IsMatch(field))
        {
            Require(EntityTagHeaderValue.TryParseStrictList([field], out IList<EntityTagHeaderValue>? tags), $"The framework does not read '{field}'.");
            bool expected = tags!.Any(static tag => tag.Equals(EntityTagHeaderValue.Any) || tag.Tag == Tag);
            bool expectedStrong = tags!.Any(static tag => tag.Equals(EntityTagHeaderValue.Any) || (!tag.IsWeak && tag.Tag == Tag));
            Require(weak == expected && strong == expectedStrong, $"'{field}' names the tag: {expected}, strongly: {expectedStrong}.");
        }
    }

    // RFC 9110, section 8.8.3, without a backslash. Outside of it the framework is no oracle: it takes `w/"a"` and `W/ "a"`, a backslash escapes what
    // follows, and it throws for `W/` before spaces.
    [GeneratedRegex("""^[ \t]*(\*[ \t]*|(,[ \t]*)*((W/)?"[\x21\x23-\x5B\x5D-\x7E\x80-\xFF]*"[ \t]*((,[ \t]*)+|\z))+)\z""", RegexOptions.NonBacktracking)]
    private static partial Regex TagList();

    private static void ReadRanges(string field)
    {
        ByteRange[]? ranges = ByteRanges.Parse(field, FileLength, MaxRanges);
        Require(ranges is null || ranges.Length <= MaxRanges, "There are too many ranges.");
        Require(
            ranges is null || Array.TrueForAll(ranges, static range => range is { Start: >= 0, Length: > 0 } && range.Start + range.Length <= FileLength),
            "A range lies outside the file.");
        if (ByteRanges.TryParseOne(field, FileLength, out ByteRange one))
        {
            Require(ranges is [{ } only] && only == one, "One range is read otherwise alone.");
        }

        if (ranges is { Length: > 0 } && RangeHeaderValue.TryParse(field, out RangeHeaderValue? parsed) && parsed.Ranges.Count == 1)
        {
            RangeItemHeaderValue item = parsed.Ranges.Single();
            long start = item.From ?? Math.Max(0, FileLength - item.To!.Value);
            Require(ranges.Length == 1 && ranges[0].Start == start, "The framework reads another range.");
        }
    }
}
