using System.Globalization;
using System.Text;

namespace Ioxide.TestKit;

/// <summary>One HTTP/1 response, its body without framing.</summary>
internal sealed record RawResponse(RawHead Head, byte[] Body, IReadOnlyList<string> Trailers)
{
    internal int Status { get; } = int.Parse(Head.FirstLine.Split(' ')[1], CultureInfo.InvariantCulture);

    internal IReadOnlyDictionary<string, string> Headers { get; } = Head.Fields
        .GroupBy(static field => field.Key, StringComparer.OrdinalIgnoreCase)
        .ToDictionary(static fields => fields.Key, static fields => fields.Last().Value, StringComparer.OrdinalIgnoreCase);

    internal string Text => Encoding.UTF8.GetString(Body);

    /// <summary>Reads the response with which the bytes begin (RFC 9112, section 6.3).</summary>
    /// <param name="bytes">What has come so far.</param>
    /// <param name="isHead">Whether it answers a HEAD, so that it has no body.</param>
    /// <param name="hasEnded">Whether nothing more comes.</param>
    /// <param name="lengthBytes">The response's length; 0 where it is not whole.</param>
    /// <returns>Null where the response is not whole.</returns>
    /// <exception cref="InvalidDataException">The bytes are none of a response.</exception>
    internal static RawResponse? TryRead(ReadOnlySpan<byte> bytes, bool isHead, bool hasEnded, out int lengthBytes)
    {
        lengthBytes = 0;
        ReadOnlySpan<byte> version = "HTTP/1."u8;
        if (!version.StartsWith(bytes[..Math.Min(version.Length, bytes.Length)]))
        {
            throw new InvalidDataException($"'{Encoding.Latin1.GetString(bytes[..Math.Min(80, bytes.Length)])}' came where a status line was due.");
        }

        if (RawHead.TryRead(bytes, out int headBytes) is not { } head)
        {
            return null;
        }

        RawResponse response = new(head, [], []);
        ReadOnlySpan<byte> rest = bytes[headBytes..];

        // A 1xx has no body, but Kestrel frames one where a handler chose such a status and wrote.
        int bodyBytes = isHead || response.Status is 204 or 304 ? 0
            : head["Transfer-Encoding"] == "chunked" ? -1
            : head["Content-Length"] is { } length ? int.Parse(length, CultureInfo.InvariantCulture)
            : response.Status < 200 ? 0
            : hasEnded ? rest.Length
            : int.MaxValue;
        if (bodyBytes >= 0)
        {
            lengthBytes = bodyBytes <= rest.Length ? headBytes + bodyBytes : 0;
            return lengthBytes == 0 ? null : response with { Body = rest[..bodyBytes].ToArray() };
        }

        if (TryReadChunks(rest, out bodyBytes) is not var (body, trailers))
        {
            return null;
        }

        lengthBytes = headBytes + bodyBytes;
        return response with { Body = body, Trailers = trailers };
    }

    private static (byte[] Body, List<string> Trailers)? TryReadChunks(ReadOnlySpan<byte> bytes, out int lengthBytes)
    {
        List<Range> chunks = [];
        lengthBytes = 0;
        for (int chunkBytes = -1; chunkBytes != 0;)
        {
            if (TryReadLine(bytes, ref lengthBytes) is not { } size)
            {
                return null;
            }

            chunkBytes = int.TryParse(size, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out int number)
                ? number
                : throw new InvalidDataException($"'{size}' came where a chunk's size was due.");
            chunks.Add(lengthBytes..(lengthBytes + chunkBytes));
            lengthBytes += chunkBytes;
            if (chunkBytes > 0 && lengthBytes + 2 > bytes.Length)
            {
                return null;
            }

            if (chunkBytes > 0 && TryReadLine(bytes, ref lengthBytes) is not "")
            {
                throw new InvalidDataException($"A chunk of {chunkBytes} bytes has surplus.");
            }
        }

        List<string> trailers = [];
        while (TryReadLine(bytes, ref lengthBytes) is { } line)
        {
            if (line.Length > 0)
            {
                trailers.Add(line);
                continue;
            }

            using MemoryStream body = new();
            foreach (Range chunk in chunks)
            {
                body.Write(bytes[chunk]);
            }

            return (body.ToArray(), trailers);
        }

        return null;
    }

    private static string? TryReadLine(ReadOnlySpan<byte> bytes, ref int offset)
    {
        int length = bytes[offset..].IndexOf("\r\n"u8);
        string? line = length < 0 ? null : Encoding.Latin1.GetString(bytes.Slice(offset, length));
        offset += length + 2;
        return line;
    }
}
