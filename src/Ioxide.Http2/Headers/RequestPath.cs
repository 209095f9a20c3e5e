using System.Buffers;
using System.Text;

namespace Ioxide.Http2;

/// <summary>
/// Converts a target's path into the one that routing sees, as Kestrel does: unescaped, except <c>%2F</c>, then without dot segments.
/// </summary>
internal static class RequestPath
{
    private const int StackBytes = 512;

    private static readonly SearchValues<char> s_notPrintable =
        SearchValues.Create([.. Enumerable.Range(0, 0x21).Concat(Enumerable.Range(0x7F, 0x81)).Select(static code => (char)code)]);

    /// <summary>Whether a target consists of visible ASCII only.</summary>
    internal static bool IsTarget(string target)
        => !target.AsSpan().ContainsAny(s_notPrintable) && Ascii.IsValid(target);

    /// <summary>The path, or null if it is rejected because it contains <c>%00</c>.</summary>
    /// <param name="raw">Begins with a slash; visible ASCII; no query.</param>
    /// <param name="target">The whole target, returned if it equals the path.</param>
    internal static string? Decode(ReadOnlySpan<char> raw, string target)
    {
        bool isEscaped = raw.Contains('%');
        if (!isEscaped && !raw.Contains("/.", StringComparison.Ordinal))
        {
            return raw.Length == target.Length ? target : raw.ToString();
        }

        byte[]? rented = raw.Length > StackBytes ? ArrayPool<byte>.Shared.Rent(raw.Length) : null;
        Span<byte> path = rented ?? stackalloc byte[StackBytes];
        try
        {
            path = path[..Encoding.ASCII.GetBytes(raw, path)];
            int length = isEscaped ? Unescape(path) : path.Length;
            return length < 0 ? null : Encoding.UTF8.GetString(path[..RemoveDotSegments(path[..length])]);
        }
        finally
        {
            if (rented is not null)
            {
                ArrayPool<byte>.Shared.Return(rented);
            }
        }
    }

    /// <summary>Unescapes in place. Invalid UTF-8 stays escaped. Returns the length, or -1 for a zero byte.</summary>
    private static int Unescape(Span<byte> path)
    {
        int read = 0;
        int written = 0;
        Span<byte> sequence = stackalloc byte[4];
        while (read < path.Length)
        {
            if (path[read] != (byte)'%')
            {
                path[written++] = path[read++];
                continue;
            }

            int scanned = read;
            int count = ReadSequence(path, ref scanned, sequence);
            if (count > 0 && sequence[0] == 0)
            {
                return -1;
            }

            if (count > 0)
            {
                sequence[..count].CopyTo(path[written..]);
                written += count;
            }
            else
            {
                path[read..scanned].CopyTo(path[written..]);
                written += scanned - read;
            }

            read = scanned;
        }

        return written;
    }

    /// <summary>Unescapes the bytes of one character. Returns their count, or 0 if the scanned text stays as it is.</summary>
    private static int ReadSequence(ReadOnlySpan<byte> path, ref int scanned, Span<byte> sequence)
    {
        if (!TryReadEscape(path, ref scanned, out byte first))
        {
            return 0;
        }

        sequence[0] = first;
        if (first < 0x80)
        {
            return 1;
        }

        int count = first switch
        {
            >= 0xC2 and <= 0xDF => 2,
            >= 0xE0 and <= 0xEF => 3,
            >= 0xF0 and <= 0xF4 => 4,
            _ => 0,
        };
        for (int index = 1; index < count; index++)
        {
            // A byte that does not continue the character is examined again.
            int next = scanned;
            if (next >= path.Length || path[next] != (byte)'%' || !TryReadEscape(path, ref next, out byte continuation)
                || (continuation & 0xC0) != 0x80)
            {
                return 0;
            }

            sequence[index] = continuation;
            scanned = next;
        }

        return count > 0 && Rune.DecodeFromUtf8(sequence[..count], out _, out int taken) == OperationStatus.Done && taken == count ? count : 0;
    }

    /// <summary>Reads <c>%XX</c>; a slash stays escaped.</summary>
    private static bool TryReadEscape(ReadOnlySpan<byte> path, ref int scanned, out byte value)
    {
        value = 0;
        scanned++;
        if (!TryReadDigit(path, ref scanned, out int high) || !TryReadDigit(path, ref scanned, out int low))
        {
            return false;
        }

        value = (byte)(high << 4 | low);
        return value != (byte)'/';
    }

    private static bool TryReadDigit(ReadOnlySpan<byte> path, ref int scanned, out int digit)
    {
        digit = scanned < path.Length
            ? path[scanned] switch
            {
                >= (byte)'0' and <= (byte)'9' => path[scanned] - '0',
                >= (byte)'A' and <= (byte)'F' => path[scanned] - 'A' + 10,
                >= (byte)'a' and <= (byte)'f' => path[scanned] - 'a' + 10,
                _ => -1,
            }
            : -1;
        scanned += digit < 0 ? 0 : 1;
        return digit >= 0;
    }

    /// <summary>Removes dot segments in place (RFC 3986, section 5.2.4). Returns the length.</summary>
    private static int RemoveDotSegments(Span<byte> path)
    {
        int written = 0;
        int read = 0;
        while (read < path.Length)
        {
            int length = path[(read + 1)..].IndexOf((byte)'/');
            bool isLast = length < 0;
            length = isLast ? path.Length - read - 1 : length;
            ReadOnlySpan<byte> segment = path.Slice(read + 1, length);
            if (segment.SequenceEqual(".."u8))
            {
                written = Math.Max(0, path[..written].LastIndexOf((byte)'/'));
            }

            if (segment.SequenceEqual(".."u8) || segment.SequenceEqual("."u8))
            {
                if (isLast)
                {
                    path[written++] = (byte)'/';
                }
            }
            else
            {
                path.Slice(read, length + 1).CopyTo(path[written..]);
                written += length + 1;
            }

            read += length + 1;
        }

        return written;
    }
}
