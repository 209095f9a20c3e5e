using static Ioxide.Http2.Http2ErrorCode;
using static Ioxide.Http2.Tests.SpecFrames;
using static Ioxide.Http2.Tests.SpecJudge;

namespace Ioxide.Http2.Tests;

/// <summary>States of a stream, numbers of streams, how many there may be, and what extends the protocol.</summary>
internal static class StreamCases
{
    private static readonly SpecStep s_getToItsEnd = new(static _ => Get, EndsAnswer);
    private static readonly byte[] s_badPing = FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 3, new byte[8]);
    private static readonly byte[] s_unknown = FrameClient.Frame((Http2FrameType)0x16, Http2FrameFlags.None, 0, new byte[8]);

    internal static SpecCase[] All { get; } =
    [
        new("http2/5.1/1", "RFC 9113, 5.1, idle", StreamError(ProtocolError, StreamClosed), Body()),
        new("http2/5.1/2", "RFC 9113, 5.1, idle", ConnectionError(ProtocolError), Reset()),
        new("http2/5.1/3", "RFC 9113, 5.1, idle", ConnectionError(ProtocolError), Window(1, 100)),
        new("http2/5.1/4", "RFC 9113, 5.1, idle", ConnectionError(ProtocolError), Continuation(GetBlock)),
        new("http2/5.1/5", "RFC 9113, 5.1, half-closed", StreamError(StreamClosed), Get, Body()),
        new("http2/5.1/6", "RFC 9113, 5.1, half-closed", StreamError(StreamClosed), Get, Get),
        new("http2/5.1/7", "RFC 9113, 5.1, half-closed", StreamError(StreamClosed, ProtocolError), Get, Continuation(GetBlock)),
        new("http2/5.1/8", "RFC 9113, 5.1, closed", StreamError(StreamClosed), Post, Reset(), Body()),
        new("http2/5.1/9", "RFC 9113, 5.1, closed", StreamError(StreamClosed), Post, Reset(), Get),
        new("http2/5.1/10", "RFC 9113, 5.1, closed", StreamError(StreamClosed, ProtocolError), Post, Reset(), Continuation(MoreBlock)),
        new("http2/5.1/11", "RFC 9113, 5.1, closed", StreamError(StreamClosed), s_getToItsEnd, Body()),
        new("http2/5.1/12", "RFC 9113, 5.1, closed", ConnectionError(StreamClosed), s_getToItsEnd, Get),
        new("http2/5.1/13", "RFC 9113, 5.1, closed", ConnectionError(StreamClosed, ProtocolError), s_getToItsEnd, Continuation(MoreBlock)),

        new("http2/5.1.1/1", "RFC 9113, 5.1.1", ConnectionError(ProtocolError), FrameClient.Request(2)),
        new("http2/5.1.1/2", "RFC 9113, 5.1.1", ConnectionError(ProtocolError), FrameClient.Request(5), FrameClient.Request(3)),

        // Without room to answer, each stream stays.
        new("http2/5.1.2/1", "RFC 9113, 5.1.2", StreamError(ProtocolError, RefusedStream),
            Setting(Http2SettingId.InitialWindowSize, 0),
            new SpecStep(static settings => Requests((int)settings.GetValueOrDefault((ushort)Http2SettingId.MaxConcurrentStreams, 100u) + 1))),

        // RFC 9113 has no dependencies any more, so that none is of a stream on itself (5.3.2).
        new("http2/5.3.1/1", "RFC 7540, 5.3.1", StreamError(ProtocolError), FrameClient.Frame(
            Http2FrameType.Headers,
            Http2FrameFlags.EndStream | Http2FrameFlags.EndHeaders | Http2FrameFlags.Priority,
            1,
            [.. PriorityFields(1, 255, false), .. GetBlock])),
        new("http2/5.3.1/2", "RFC 7540, 5.3.1", StreamError(ProtocolError), Priority(1, dependsOn: 1), Get),

        new("http2/5.4.1/1", "RFC 9113, 5.4.1", Closes, s_badPing),
        new("http2/5.4.1/2", "RFC 9113, 5.4.1", SaysGoAway, s_badPing),

        new("http2/5.5/1", "RFC 9113, 5.5", Pongs, s_unknown, Ping),
        new("http2/5.5/2", "RFC 9113, 5.5", ConnectionError(ProtocolError), Head(GetBlock, isWhole: false), s_unknown),
    ];

    private static byte[] Requests(int count) => [.. Enumerable.Range(0, count).SelectMany(static index => FrameClient.Request((index * 2) + 1))];
}
