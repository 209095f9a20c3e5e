using System.Buffers.Text;

namespace Ioxide.Files;

/// <summary>One head of an HTTP/1.1 request, read only as far as the front door must.</summary>
/// <remarks>
/// It is stricter than the server on purpose: whatever is unusual is the server's to judge (RFC 9112 leaves room there, and two
/// readers that differ about where a request ends are how requests are smuggled). A head is plain only where it keeps the server's
/// limits, every line is <c>name: value</c> with a token for a name and printable ASCII for a value, the host is a name or an
/// address with or without a port, and nothing but the lines known here could give it a body or another meaning.
/// </remarks>
internal ref struct RequestHead
{
    /// <summary>Larger heads are the server's.</summary>
    internal const int MaxBytes = 16 * 1024;

    private static readonly SearchValues<byte> s_token = SearchValues.Create(
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"u8);

    private bool _isBounded;
    private bool _isPlain;
    private bool _hasHost;
    private bool _hasLength;
    private Seen _seen;

    /// <summary>The conditions, with the method.</summary>
    internal FileRequest Request;

    /// <summary>The path of the request target, without its query.</summary>
    internal ReadOnlySpan<byte> Path;

    /// <summary>Bytes of the head with its empty line.</summary>
    internal int LengthBytes;

    /// <summary>Bytes of the body.</summary>
    internal long BodyBytes;

    /// <summary>Reads a head that begins with the span; more may follow it.</summary>
    /// <remarks>A head above one of the limits is unbounded: the server refuses it and closes the connection.</remarks>
    internal static HeadKind Read(ReadOnlySpan<byte> bytes, KestrelServerLimits limits, out RequestHead head)
    {
        head = default;
        int end = bytes.IndexOf("\r\n\r\n"u8);
        if (end < 0)
        {
            return bytes.Length >= MaxBytes ? HeadKind.Unbounded : HeadKind.Incomplete;
        }

        head.LengthBytes = end + 4;
        head._isBounded = true;
        ReadOnlySpan<byte> lines = bytes[..(end + 2)];
        bool isAscii = !lines.ContainsAnyInRange((byte)0x7F, byte.MaxValue);
        head.ReadRequestLine(TakeLine(ref lines));
        head._isBounded &= end + 2 - lines.Length <= limits.MaxRequestLineSize && lines.Length <= limits.MaxRequestHeadersTotalSize;
        int fieldCount = 0;
        while (head._isBounded && !lines.IsEmpty)
        {
            head.ReadField(TakeLine(ref lines));
            head._isBounded &= ++fieldCount <= limits.MaxRequestHeaderCount;
        }

        return !head._isBounded ? HeadKind.Unbounded
            : isAscii && head._isPlain && head._hasHost && !head._hasLength ? HeadKind.Plain
            : HeadKind.Bounded;
    }

    /// <summary>Takes a line without its end. A line break of another kind stays in the line and makes it malformed.</summary>
    private static ReadOnlySpan<byte> TakeLine(scoped ref ReadOnlySpan<byte> lines)
    {
        int length = lines.IndexOf("\r\n"u8);
        ReadOnlySpan<byte> line = lines[..length];
        lines = lines[(length + 2)..];
        return line;
    }

    private void ReadRequestLine(ReadOnlySpan<byte> line)
    {
        ReadOnlySpan<byte> version = " HTTP/1.1"u8;
        int space = line.IndexOf((byte)' ');
        if (space <= 0 || !line.EndsWith(version) || line.Length < space + 1 + version.Length)
        {
            // HTTP/1.0, HTTP/2's preface, or nothing of the kind.
            _isBounded = false;
            return;
        }

        ReadOnlySpan<byte> method = line[..space];
        ReadOnlySpan<byte> target = line[(space + 1)..^version.Length];
        Request.IsHead = method.SequenceEqual("HEAD"u8);
        _isPlain = Request.IsHead || method.SequenceEqual("GET"u8);
        if (target.IsEmpty || target[0] != '/' || target.ContainsAnyExceptInRange((byte)'!', (byte)'~')
            || method.ContainsAnyExcept(s_token) || method.SequenceEqual("CONNECT"u8))
        {
            _isBounded = false;
            return;
        }

        int query = target.IndexOf((byte)'?');
        Path = query < 0 ? target : target[..query];
        _isPlain &= !target.Contains((byte)'#');
    }

    private void ReadField(ReadOnlySpan<byte> line)
    {
        int colon = line.IndexOf((byte)':');
        if (colon <= 0 || line[..colon].ContainsAnyExcept(s_token))
        {
            _isBounded = false;
            return;
        }

        ReadOnlySpan<byte> value = HeaderText.Trim(line[(colon + 1)..]);
        if (value.ContainsAnyInRange((byte)0, (byte)0x1F) && HasControl(value))
        {
            _isBounded = false;
            return;
        }

        ReadOnlySpan<byte> name = line[..colon];

        // By length first: most fields are none of these.
        switch (name.Length)
        {
            case 4 when Is(name, "host"u8):
                Take(Seen.Host);
                _hasHost = HostText.IsPlain(value);
                break;
            case 5 when Is(name, "range"u8):
                Keep(Seen.Range, ref Request.Range, value);
                break;
            case 6 when Is(name, "expect"u8):
            case 7 when Is(name, "upgrade"u8):
            case 7 when Is(name, "trailer"u8):
            case 14 when Is(name, "http2-settings"u8):
            case 17 when Is(name, "transfer-encoding"u8):
                _isBounded = false;
                break;
            case 8 when Is(name, "if-match"u8):
                Keep(Seen.IfMatch, ref Request.IfMatch, value);
                break;
            case 8 when Is(name, "if-range"u8):
                Keep(Seen.IfRange, ref Request.IfRange, value);
                break;
            case 10 when Is(name, "connection"u8):
                Take(Seen.Connection);
                _isBounded &= Is(value, "keep-alive"u8);
                break;
            case 12 when Is(name, "content-type"u8):
                // End points may be chosen by it, whatever the method.
                _isPlain = false;
                break;
            case 13 when Is(name, "if-none-match"u8):
                Keep(Seen.IfNoneMatch, ref Request.IfNoneMatch, value);
                break;
            case 14 when Is(name, "content-length"u8):
                ReadLength(value);
                break;
            case 15 when Is(name, "accept-encoding"u8):
                Keep(Seen.AcceptEncoding, ref Request.AcceptEncoding, value);
                break;
            case 17 when Is(name, "if-modified-since"u8):
                Keep(Seen.IfModifiedSince, ref Request.IfModifiedSince, value);
                break;
            case 19 when Is(name, "if-unmodified-since"u8):
                Keep(Seen.IfUnmodifiedSince, ref Request.IfUnmodifiedSince, value);
                break;
            default:
                break;
        }
    }

    private void ReadLength(ReadOnlySpan<byte> value)
    {
        const int MaxDigits = 18;
        Take(Seen.ContentLength);
        _hasLength = true;
        _isBounded &= value.Length is > 0 and <= MaxDigits
            && !value.ContainsAnyExceptInRange((byte)'0', (byte)'9')
            && Utf8Parser.TryParse(value, out BodyBytes, out int read)
            && read == value.Length;
    }

    private void Keep(Seen field, ref ReadOnlySpan<byte> target, ReadOnlySpan<byte> value)
    {
        // A list in several lines is put together by the server.
        _isPlain &= (_seen & field) == 0;
        _seen |= field;
        target = value;
    }

    /// <summary>Fields that there must be one of: with two the server decides, and what it decides is not guessed at.</summary>
    private void Take(Seen field)
    {
        _isBounded &= (_seen & field) == 0;
        _seen |= field;
    }

    private static bool HasControl(ReadOnlySpan<byte> value)
    {
        foreach (byte letter in value)
        {
            if (letter < ' ' && letter != '\t')
            {
                return true;
            }
        }

        return false;
    }

    private static bool Is(ReadOnlySpan<byte> name, ReadOnlySpan<byte> lowerCase) => Ascii.EqualsIgnoreCase(name, lowerCase);

    [Flags]
    private enum Seen
    {
        Host = 1,
        Connection = 2,
        ContentLength = 4,
        AcceptEncoding = 8,
        IfMatch = 16,
        IfNoneMatch = 32,
        IfModifiedSince = 64,
        IfUnmodifiedSince = 128,
        Range = 256,
        IfRange = 512,
    }
}
