using System.Globalization;

namespace Ioxide.Files;

/// <summary>Reads a <c>Range</c> header. Source: RFC 9110, sections 14.1.1 and 14.2.</summary>
internal static class ByteRanges
{
    /// <summary>The ranges that can be had, in the client's order, or in the file's where some overlapped and were joined.</summary>
    /// <param name="header">The header's value.</param>
    /// <param name="fileLength">Bytes of the selected representation.</param>
    /// <param name="maxCount">Headers with more ranges are ignored.</param>
    /// <returns>Null: the header is to be ignored (another unit, malformed, too many). Empty: nothing of it can be had, 416.</returns>
    internal static ByteRange[]? Parse(ReadOnlySpan<char> header, long fileLength, int maxCount)
    {
        if (!TryTakeUnit(ref header))
        {
            return null;
        }

        var ranges = new List<ByteRange>(1);
        int count = 0;
        while (!header.IsEmpty)
        {
            ReadOnlySpan<char> element = HeaderText.TakeElement(ref header);
            if (element.IsEmpty)
            {
                continue;
            }

            if (++count > maxCount || !TryReadRange(element, fileLength, out ByteRange range))
            {
                return null;
            }

            if (range.Length > 0)
            {
                ranges.Add(range);
            }
        }

        return count == 0 ? null : Join(ranges);
    }

    /// <summary>Reads a header with one range, without memory of its own. False: use <see cref="Parse"/>.</summary>
    internal static bool TryParseOne(ReadOnlySpan<char> header, long fileLength, out ByteRange range)
    {
        range = default;
        return TryTakeUnit(ref header) && !header.Contains(',') && TryReadRange(header, fileLength, out range) && range.Length > 0;
    }

    private static bool TryTakeUnit(ref ReadOnlySpan<char> header)
    {
        const string Unit = "bytes=";
        if (header.Length <= Unit.Length || !header.StartsWith(Unit, StringComparison.OrdinalIgnoreCase))
        {
            return false;
        }

        header = HeaderText.Trim(header[Unit.Length..]);
        return true;
    }

    /// <summary>Reads <c>5-9</c>, <c>5-</c> or <c>-5</c>. A length of 0: well-formed, but nothing of it is in the file.</summary>
    private static bool TryReadRange(ReadOnlySpan<char> element, long fileLength, out ByteRange range)
    {
        range = default;
        int dash = element.IndexOf('-');
        if (dash < 0)
        {
            return false;
        }

        ReadOnlySpan<char> first = element[..dash];
        ReadOnlySpan<char> last = element[(dash + 1)..];
        if (first.IsEmpty)
        {
            if (!TryReadNumber(last, out long suffix))
            {
                return false;
            }

            long length = Math.Min(suffix, fileLength);
            range = new ByteRange(fileLength - length, length);
            return true;
        }

        long end = long.MaxValue;
        if (!TryReadNumber(first, out long start) || (!last.IsEmpty && !TryReadNumber(last, out end)) || end < start)
        {
            return false;
        }

        if (start < fileLength)
        {
            range = new ByteRange(start, Math.Min(end, fileLength - 1) - start + 1);
        }

        return true;
    }

    /// <summary>Reads digits only. A number that is too large is larger than every file.</summary>
    private static bool TryReadNumber(ReadOnlySpan<char> digits, out long number)
    {
        number = 0;
        if (digits.IsEmpty || digits.ContainsAnyExceptInRange('0', '9'))
        {
            return false;
        }

        if (!long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out number))
        {
            number = long.MaxValue;
        }

        return true;
    }

    /// <summary>Joins ranges where some overlap, so that no byte is sent twice for one request.</summary>
    private static ByteRange[] Join(List<ByteRange> ranges)
    {
        ByteRange[] sorted = [.. ranges.OrderBy(static range => range.Start)];
        var joined = new List<ByteRange>(sorted.Length);
        foreach (ByteRange range in sorted)
        {
            if (joined.Count > 0 && range.Start <= joined[^1].Last)
            {
                ByteRange before = joined[^1];
                joined[^1] = new ByteRange(before.Start, Math.Max(before.Last, range.Last) - before.Start + 1);
            }
            else
            {
                joined.Add(range);
            }
        }

        return joined.Count == ranges.Count ? [.. ranges] : [.. joined];
    }
}
