namespace Ioxide.Http2.Tests;

/// <summary>What a client sends as one step of a script.</summary>
/// <param name="Name">Of the case; differences are listed under it.</param>
/// <param name="Make">The bytes, for a stream's number.</param>
internal sealed record Case(string Name, Func<int, byte[]> Make)
{
    private static readonly (string Name, string Value)[] s_get = [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "localhost")];

    private static readonly string[] s_paths =
    [
        "/", "/a/b", "/a/../b", "/a/./b", "/..", "/../..", "/a/..", "/a/.", "/a/b/../../c/..", "//", "/a//b", "/.a", "/..a", "/a/...",
        "/%41", "/a%20b", "/%2F", "/a%2fb", "/%2e%2e/a", "/a/%2e%2E/b", "/a/%2e", "/%C3%A9", "/%c3%a9%2F", "/%C3", "/%C3x", "/%C3%28", "/%ff",
        "/%E2%82%AC", "/%E2%82", "/%ED%A0%80", "/%F0%9F%98%80", "/%F4%90%80%80", "/%C0%AE", "/%", "/%4", "/%zz", "/%4z", "/%%41", "/%25", "/%2541",
        "/?", "/?q", "/a?b=c&d=%20", "/a?b/../c", "/a?/./", "/%3F", "/#", "/a;b=c", "/a|b", "/\\", "/\"", "/{x}", "/^", "/~",
    ];

    /// <summary>Changes of a GET: see <see cref="Changed"/>.</summary>
    private static readonly string[] s_changes =
    [
        "-:method", "-:path", "-:scheme", "-:authority", "+:method=GET", "+:status=200", "+:other=1", "+early=1", "-:path;+:path=",
        "-:path;+:path=relative", "-:path;+:path=*", "-:path;+:path=/%00", "-:path;+:path=/a b", "-:scheme;+:scheme=https", "-:scheme;+:scheme=ftp",
        "-:scheme;+:scheme=HTTP", "-:method;+:method=G T", "-:method;+:method=OWN", "-:method;+:method=get", "-:method;+:method=HEAD",
        "-:method;+:method=OPTIONS;-:path;+:path=*", "-:method;+:method=CONNECT", "-:method;-:scheme;-:path;+:method=CONNECT",
        "-:authority;+:authority=a b", "-:authority;+:authority=host:", "-:authority;+:authority=host:80", "-:authority;+:authority=host:x",
        "-:authority;+:authority=[::1]", "-:authority;+:authority=[::1]:80", "-:authority;+:authority=[x]", "-:authority;+:authority=u@h",
        "-:authority;+:authority=", "-:authority;host=a", "-:authority;host=a;host=b", "host=other", "Upper=1", "sp ace=1", "=1", "nul=a\0b", "cr=a\rb",
        "lf=a\nb", "lead= a", "trail=a ", "utf=\u00c3\u00a9", "utf=\u00ff\u00fe", "connection=close", "transfer-encoding=chunked", "upgrade=h2c",
        "keep-alive=1", "proxy-connection=1", "te=gzip", "te=trailers", "content-length=5", "content-length=0", "content-length=x",
        "content-length=-1", "content-length=0;content-length=0", "cookie=a=1;cookie=b=2", "x=1;x=2", "accept=a;accept=b", "empty=",
        "user-agent=me;user-agent=you", "expect=100-continue", "content-type=a;content-type=b",
    ];

    private static readonly (string Name, string Frame)[] s_frames =
    [
        ("DATA on stream 0", "0 0 0 00"), ("DATA on an idle stream", "0 0 n 00"), ("DATA on a stream of the server's", "0 0 2 00"),
        ("padded DATA without a length", "0 8 n "), ("HEADERS on stream 0", "1 4 0 82"), ("HEADERS with an even number", "1 4 2 82"),
        ("a block that cannot be decoded", "1 5 n 80"), ("HEADERS shorter than its priority", "1 2d n 00"),
        ("padding longer than HEADERS", "1 d n 0582"), ("CONTINUATION alone", "9 4 n 82"), ("PRIORITY", "2 0 n 0000006500"),
        ("PRIORITY on stream 0", "2 0 0 0000000000"), ("PRIORITY of four bytes", "2 0 n 00000000"), ("RST_STREAM on stream 0", "3 0 0 00000000"),
        ("RST_STREAM on an idle stream", "3 0 n 00000000"), ("RST_STREAM of three bytes", "3 0 n 000000"), ("SETTINGS on a stream", "4 0 1 "),
        ("an acknowledgement with settings", "4 1 0 000000000000"), ("a byte of a setting", "4 0 0 00"), ("an unknown setting", "4 0 0 ffff00000001"),
        ("ENABLE_PUSH 2", "4 0 0 000200000002"), ("INITIAL_WINDOW_SIZE 2^31", "4 0 0 000480000000"), ("INITIAL_WINDOW_SIZE 5", "4 0 0 00040000ffff"),
        ("MAX_FRAME_SIZE below 2^14", "4 0 0 000500003fff"), ("MAX_FRAME_SIZE 2^24", "4 0 0 000501000000"), ("PUSH_PROMISE", "5 4 n 0000000282"),
        ("HEADER_TABLE_SIZE 0", "4 0 0 000100000000"), ("PING on a stream", "6 0 1 0000000000000000"), ("PING of seven bytes", "6 0 0 00000000000000"),
        ("GOAWAY on a stream", "7 0 1 0000000000000000"), ("GOAWAY of seven bytes", "7 0 0 00000000000000"),
        ("WINDOW_UPDATE of three bytes", "8 0 0 000000"), ("WINDOW_UPDATE of nothing", "8 0 0 00000000"), ("WINDOW_UPDATE", "8 0 0 00000001"),
        ("WINDOW_UPDATE of an idle stream", "8 0 n 00000001"), ("a connection's window above 2^31 - 1", "8 0 0 7fffffff"),
        ("an unknown frame", "be ff n 010203"),
    ];

    /// <summary>Every case.</summary>
    internal static IReadOnlyList<Case> All { get; } =
    [
        .. s_paths.Select(static path => new Case($"path {path}", stream => FrameClient.Request(stream, path))),
        .. s_changes.Select(static change => new Case($"fields {change}", stream => FrameClient.Headers(stream, true, Changed(change)))),
        .. s_frames.Select(static frame => new Case(frame.Name, stream => OneFrame(frame.Frame, stream))),
        .. ScriptedApplication.Does.SelectMany(static does => (Case[])
        [
            new($"GET {does}", stream => FrameClient.Request(stream, $"/do/{does}?500")),
            new($"HEAD {does}", stream => FrameClient.Request(stream, $"/do/{does}?500", method: "HEAD")),
            new($"POST {does}", stream => [.. FrameClient.Request(stream, $"/do/{does}?500", ends: false, method: "POST"), .. FrameClient.Data(stream, new byte[60], ends: true)]),
        ]),
        new("a body", stream => [.. Post(stream), .. FrameClient.Data(stream, "body"u8, ends: true)]),
        new("a body in pieces", stream => [.. Post(stream), .. FrameClient.Data(stream, "bo"u8), .. FrameClient.Data(stream, []), .. FrameClient.Data(stream, "dy"u8, ends: true)]),
        new("a body that is too short", stream => [.. Post(stream, ("content-length", "5")), .. FrameClient.Data(stream, "body"u8, ends: true)]),
        new("a body that is too long", stream => [.. Post(stream, ("content-length", "3")), .. FrameClient.Data(stream, "body"u8, ends: true)]),
        new("trailers", stream => [.. Post(stream), .. FrameClient.Data(stream, "body"u8), .. FrameClient.Headers(stream, true, ("sum", "1"))]),
        new("trailers without an end", stream => [.. Post(stream), .. FrameClient.Headers(stream, false, ("sum", "1"))]),
        new("trailers with a pseudo-header field", stream => [.. Post(stream), .. FrameClient.Headers(stream, true, (":path", "/"))]),
        new("a block in three pieces", InPieces),
        new("HEADERS of nothing but padding", stream =>
        [
            .. FrameClient.Frame(Http2FrameType.Headers, Http2FrameFlags.Padded | Http2FrameFlags.EndStream, stream, 2, 0, 0),
            .. FrameClient.Frame(Http2FrameType.Continuation, Http2FrameFlags.EndHeaders, stream, FrameClient.Block(s_get)),
        ]),
    ];

    /// <summary>The step of a script; a request is waited for.</summary>
    internal Act ToAct(int stream)
    {
        byte[] bytes = Make(stream);
        bool isRequest = bytes.Length > 3 && bytes[3] == (byte)Http2FrameType.Headers;
        return new Act(Name, [bytes], isRequest ? [stream] : [], []);
    }

    /// <summary>A GET with changes: a name with '-' is taken out, one with '+' put before the rest, another one added.</summary>
    internal static (string Name, string Value)[] Changed(string changes)
    {
        List<(string Name, string Value)> fields = [.. s_get];
        foreach (string change in changes.Split(';'))
        {
            int equals = change.IndexOf('=', StringComparison.Ordinal);
            string name = equals < 0 ? change : change[..equals];
            string value = equals < 0 ? "" : change[(equals + 1)..];
            switch (change[0])
            {
                case '-':
                    fields.RemoveAll(field => field.Name == name[1..]);
                    break;
                case '+':
                    fields.Insert(0, (name[1..], value));
                    break;
                default:
                    fields.Add((name, value));
                    break;
            }
        }

        return [.. fields];
    }

    private static byte[] Post(int stream, params (string Name, string Value)[] others)
        => FrameClient.Request(stream, ends: false, method: "POST", others: others);

    private static byte[] InPieces(int stream)
    {
        byte[] block = FrameClient.Block(s_get);
        return
        [
            .. FrameClient.Frame(Http2FrameType.Headers, Http2FrameFlags.EndStream, stream, block.AsSpan(0, 7)),
            .. FrameClient.Frame(Http2FrameType.Continuation, Http2FrameFlags.None, stream, block.AsSpan(7, 7)),
            .. FrameClient.Frame(Http2FrameType.Continuation, Http2FrameFlags.EndHeaders, stream, block.AsSpan(14)),
        ];
    }

    /// <summary>Type, flags, stream (n: the next one), payload.</summary>
    private static byte[] OneFrame(string text, int stream)
    {
        string[] parts = text.Split(' ', 4);
        return FrameClient.Frame(
            (Http2FrameType)Convert.ToByte(parts[0], 16),
            (Http2FrameFlags)Convert.ToByte(parts[1], 16),
            parts[2] == "n" ? stream : int.Parse(parts[2], System.Globalization.CultureInfo.InvariantCulture),
            Convert.FromHexString(parts[3]));
    }
}
