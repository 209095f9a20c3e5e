using static Ioxide.Http2.Http2ErrorCode;
using static Ioxide.Http2.Tests.SpecFrames;
using static Ioxide.Http2.Tests.SpecJudge;

namespace Ioxide.Http2.Tests;

/// <summary>Requests that are malformed (RFC 9113, 8.1.1: an error of their stream).</summary>
internal static class MessageCases
{
    internal static SpecCase[] All { get; } =
    [
        // A second head of a request is its trailer section, and ends the stream.
        Case("http2/8.1/1", "RFC 9113, 8.1", Post, Body(ends: false), FrameClient.Headers(1, false, ("x-test", "ok"))),
        Case("http2/8.1.2/1", "RFC 9113, 8.2.1", GetWith(("X-TEST", "ok"))),

        // Pseudo-fields.
        Case("http2/8.1.2.1/1", "RFC 9113, 8.3", GetWith((":test", "ok"))),
        Case("http2/8.1.2.1/2", "RFC 9113, 8.3", GetWith((":status", "200"))),
        Case("http2/8.1.2.1/3", "RFC 9113, 8.1", Post, Body(ends: false), FrameClient.Headers(1, true, (":method", "POST"))),
        Case("http2/8.1.2.1/4", "RFC 9113, 8.3", FrameClient.Headers(1, true, [("x-test", "ok"), .. GetFields])),

        // Fields of a connection.
        Case("http2/8.1.2.2/1", "RFC 9113, 8.2.2", GetWith(("connection", "keep-alive"))),
        Case("http2/8.1.2.2/2", "RFC 9113, 8.2.2", GetWith(("te", "trailers, deflate"))),

        // What each request has once.
        Case("http2/8.1.2.3/1", "RFC 9113, 8.3.1", FrameClient.Request(1, "")),
        Case("http2/8.1.2.3/2", "RFC 9113, 8.3.1", Without(":method")),
        Case("http2/8.1.2.3/3", "RFC 9113, 8.3.1", Without(":scheme")),
        Case("http2/8.1.2.3/4", "RFC 9113, 8.3.1", Without(":path")),
        Case("http2/8.1.2.3/5", "RFC 9113, 8.3", GetWith((":method", "GET"))),
        Case("http2/8.1.2.3/6", "RFC 9113, 8.3", GetWith((":scheme", "http"))),
        Case("http2/8.1.2.3/7", "RFC 9113, 8.3", GetWith((":path", "/"))),

        // A length that is not the body's.
        Case("http2/8.1.2.6/1", "RFC 9113, 8.1.1", PostOf(1), Body()),
        Case("http2/8.1.2.6/2", "RFC 9113, 8.1.1", PostOf(1), Body(ends: false), Body()),

        new("http2/8.2/1", "RFC 9113, 8.4", ConnectionError(ProtocolError),
            FrameClient.Frame(Http2FrameType.PushPromise, Http2FrameFlags.EndHeaders, 1, [0, 0, 0, 2, .. GetBlock])),
    ];

    private static SpecCase Case(string id, string source, params byte[][] frames)
        => new(id, source, StreamError(ProtocolError), [.. frames.Select(static frame => (SpecStep)frame)]);

    private static byte[] Without(string name) => FrameClient.Headers(1, true, [.. GetFields.Where(field => field.Name != name)]);

    private static byte[] PostOf(int lengthBytes)
        => FrameClient.Request(1, ends: false, method: "POST", others: ("content-length", $"{lengthBytes}"));
}
