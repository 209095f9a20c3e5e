using System.Text;

namespace Ioxide.Files.Tests;

/// <summary>Bytes of requests as a hostile or broken client sends them: valid ones, changed by seed, in segments.</summary>
/// <param name="Index">Which of the run.</param>
/// <param name="Bytes">What is sent, the last request included.</param>
/// <param name="Cuts">Where a segment ends, in order.</param>
internal sealed record MutatedRequest(int Index, byte[] Bytes, int[] Cuts)
{
    /// <summary>Comes last and asks for the end, so that the server closes every connection, and no client must wait for silence.</summary>
    private const string Last = "GET /plain.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

    // The first of the valid ones are for files that the way may answer.
    private const int FileRequests = 7;

    private static readonly int[] s_changes = [0, 1, 1, 1, 2, 3];

    private static readonly string[] s_valid =
    [
        "GET /plain.txt HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /plain.txt HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: a/1.0\r\nAccept: */*\r\nAccept-Encoding: gzip, br\r\n\r\n",
        "HEAD /coded.css HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip;q=0.5\r\n\r\n",
        "GET /folder/plain.txt?v=1&w=2 HTTP/1.1\r\nHost: a.b-c.example\r\nConnection: keep-alive\r\nCookie: a=b\r\n\r\n",
        "GET /large.bin HTTP/1.1\r\nHost: [::1]:8080\r\nRange: bytes=5-9\r\n\r\n",
        "GET /large.bin HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET /name%20with%20space.txt HTTP/1.1\r\nHost: localhost\r\nReferer: http://localhost/a\r\n\r\n",
        "GET /missing.txt HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /folder HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /dynamic/1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "POST /plain.txt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc",
        "OPTIONS /plain.txt HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ];

    private static readonly string[] s_hosts =
    [
        "h:h", ":80", "[::1", "", " ", "a b", "a,b", "[::1]:", "[]", "[:]", "[::1]x", "h:", "h:99999999", "h:080", "user@h", "h/", "h?", "h#", "h\\", "*",
        "a_b", "-", ".", "a..b", "h:-1", "h: 80", "[::1]:80", "[::g]", "[1.2.3.4]", "1.2.3.4:5", "h%41", "h\0", "\u00e9", "h;a", "http://h", "h!", "(a)", "~",
    ];

    private static readonly string[] s_targets =
    [
        "/plain.txt#a", "/plain%2Etxt", "/plain.txt%00", "/%00", "/folder%2Fplain.txt", "/folder%2fplain.txt", "/%C0%AF", "/%C0%AEplain.txt", "/./plain.txt",
        "/folder/../plain.txt", "/../plain.txt", "/..", "//plain.txt", "/folder//plain.txt", "/plain.txt/", "/plain.txt?", "/plain.txt?\u00e9",
        "/plain.txt?a b", "/plain.txt?%00", "/plain.txt??", "/PLAIN.TXT", "/plain.txt;a", "/plain.txt%20", "/pl\u00e4in.txt", "http://localhost/plain.txt",
        "https://localhost/plain.txt", "http://other/plain.txt", "*", "plain.txt", "?/plain.txt", "/\\plain.txt", "/plain.txt\\", "/plain.txt%", "/plain.txt%2",
        "/plain.txt%GG", "/plain.txt%u0041", "/name with space.txt", "/name%20with%20space.txt", "/name+with+space.txt", "/name%20with%20space.txt?%20", "",
        "/~plain.txt", "/plain.txt\t", "/plain\u007f.txt", "localhost:80", "/folder/", "/folder/?a", "/folder/.", "/folder/%2e%2e/plain.txt", "/a:b/../plain.txt",
    ];

    private static readonly string[] s_fields =
    [
        "Host: localhost", "Host: other", "Connection: close", "Connection: keep-alive", "Connection: keep-alive, close", "Connection: upgrade", "Connection: \t",
        "Connection: x", "Keep-Alive: timeout=5", "Upgrade: websocket", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__", "Expect: 100-continue", "Expect: x",
        "Content-Length: 0", "Content-Length: 3", "Content-Length: -1", "Content-Length: +3", "Content-Length: 3, 3", "Content-Length: 0x3", "Content-Length:",
        "Content-Length: 9223372036854775807", "Content-Length: 9223372036854775808", "Content-Length: 3 ", "Transfer-Encoding: chunked",
        "Transfer-Encoding: identity", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, identity", "Transfer-Encoding:", "Transfer-Encoding: xchunked",
        "TE: trailers", "Trailer: a", "Range: bytes=0-0", "Range: bytes=0-4,10-14", "Range: bytes=-0", "Range: bytes=9-5", "Range: x", "Range:", "If-Range: \"a\"",
        "If-None-Match: *", "If-None-Match: \"a\"", "If-Match: *", "If-Match: \"a\"", "If-Modified-Since: Mon, 06 May 2024 07:08:09 GMT",
        "If-Unmodified-Since: Sun, 05 May 2024 07:08:09 GMT", "If-Modified-Since: x", "Accept-Encoding: gzip", "Accept-Encoding: gzip;q=0, identity;q=0",
        "Accept-Encoding: *;q=0", "Accept-Encoding:", "Accept-Encoding: gzip;q=x", "Accept-Encoding: \u00e9", "X: \u00c3\u00a9", "X: \u00e9", "X: \u00ff\u00fe",
        "X: \0", "X: \u0001", "X: \u007f", "X: a\tb", "X: a\rb", "X : a", "X\t: a", " X: a", "\tX: a", ": a", "X", "X:", "X:a:b", "\u00e9: a", "X(: a", "X\0: a",
        "Content-Type: text/plain", "Content-Type: x", "Cookie: a=b; c=d", "Authorization: Basic YTpi", "Origin: http://other", "Via: 1.1 a", "Sec-WebSocket-Key: a",
        "X-Forwarded-For: 1.2.3.4", "Access-Control-Request-Method: GET", "Accept: x", ":path: /", "If-None-Match: \u00e9", "Date: x",
    ];

    private static readonly string[] s_tokens =
    [
        "\r", "\n", "\r\n", "\r\n\r\n", "\n\n", "\0", " ", "\t", ":", "\u00ff", "\u00c0\u00af", "%", "%00", "%2F", "..", "/", "//", "?", "#", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0",
        "HTTP/1.2", " HTTP/1.1", "GET ", "get ", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\r\n ", "\r\n\t", "\r\nX: a", "\v", "\f", "\u007f", "CONNECT ", "TRACE ", "0\r\n\r\n",
    ];

    /// <summary>The requests of a seed. A prefix of them is the same for every count.</summary>
    internal static IEnumerable<MutatedRequest> Many(int seed, int count)
        => Enumerable.Range(0, count).Select(index => Make(new Random(HashCode.Of(seed, index)), index));

    public override string ToString()
        => $"request {Index}, cut at [{string.Join(' ', Cuts)}]: {string.Concat(Encoding.Latin1.GetString(Bytes.AsSpan(0, Math.Min(Bytes.Length, 700))).Select(
            static letter => letter is >= ' ' and <= '~' ? letter.ToString() : letter == '\r' ? "\\r" : letter == '\n' ? "\\n" : $"\\x{(int)letter:x2}"))}";

    private static MutatedRequest Make(Random random, int index)
    {
        StringBuilder text = new(s_valid[random.Next(random.Next(2) == 0 ? FileRequests : s_valid.Length)]);
        int changes = s_changes[random.Next(s_changes.Length)];
        for (int change = 0; change < changes; change++)
        {
            Change(text, random);
        }

        if (random.Next(4) == 0)
        {
            text.Append(Pick(random, s_valid));
        }

        if (random.Next(12) == 0)
        {
            text.Length = random.Next(text.Length + 1);
        }

        byte[] bytes = Encoding.Latin1.GetBytes(text.Append(Last).ToString());
        int[] cuts = random.Next(60) == 0
            ? [.. Enumerable.Range(1, Math.Min(bytes.Length, 300) - 1)]
            : [.. Enumerable.Range(0, random.Next(4)).Select(_ => random.Next(1, bytes.Length)).Order()];
        return new MutatedRequest(index, bytes, cuts);
    }

    private static void Change(StringBuilder text, Random random)
    {
        int at = random.Next(text.Length);
        switch (random.Next(11))
        {
            case 0:
                text[at] = (char)(text[at] ^ (1 << random.Next(8)));
                break;
            case 1:
                text[at] = (char)random.Next(256);
                break;
            case 2:
                text.Remove(at, Math.Min(random.Next(1, 9), text.Length - at));
                text.Append(text.Length == 0 ? "\r\n" : "");
                break;
            case 3:
                text.Insert(at, text.ToString(at, Math.Min(random.Next(1, 40), text.Length - at)));
                break;
            case 4:
                text.Insert(at, Pick(random, s_tokens));
                break;
            case 5:
                ReplaceWhole(text, "Host: ", "\r\n", Pick(random, s_hosts));
                break;
            case 6:
                ReplaceWhole(text, " ", " HTTP/", Pick(random, s_targets));
                break;
            case 7:
                AddField(text, $"X: {new string('x', random.Next(3) == 0 ? random.Next(40_000) : random.Next(9_000))}", 1);
                break;
            case 8:
                // Around the limits: 100 fields, 8 KiB of request line.
                AddField(text, random.Next(2) == 0 ? "X: y" : Pick(random, s_fields), random.Next(4) == 0 ? random.Next(90, 110) : random.Next(2, 4));
                break;
            case 9:
                ReplaceWhole(text, " ", " HTTP/", $"/plain.txt?{new string('q', random.Next(4) == 0 ? random.Next(8_140, 8_190) : random.Next(12_000))}");
                break;
            default:
                AddField(text, Pick(random, s_fields), 1);
                break;
        }
    }

    private static void AddField(StringBuilder text, string field, int count)
    {
        int lineEnd = text.ToString().IndexOf("\r\n", StringComparison.Ordinal);
        text.Insert(lineEnd < 0 ? text.Length : lineEnd + 2, string.Concat(Enumerable.Repeat($"{field}\r\n", count)));
    }

    private static void ReplaceWhole(StringBuilder text, string before, string after, string value)
    {
        string all = text.ToString();
        int start = all.IndexOf(before, StringComparison.Ordinal);
        int end = start < 0 ? -1 : all.IndexOf(after, start + before.Length, StringComparison.Ordinal);
        if (end >= 0)
        {
            text.Remove(start + before.Length, end - start - before.Length).Insert(start + before.Length, value);
        }
    }

    private static string Pick(Random random, string[] values) => values[random.Next(values.Length)];

    private static class HashCode
    {
        /// <summary>The same in every process, unlike the framework's.</summary>
        internal static int Of(int seed, int index) => unchecked((seed * 1_000_003) ^ (index * (int)2_654_435_761));
    }
}
