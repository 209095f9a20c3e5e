using static Ioxide.Http2.Http2ErrorCode;
using static Ioxide.Http2.Tests.SpecFrames;
using static Ioxide.Http2.Tests.SpecJudge;

namespace Ioxide.Http2.Tests;

/// <summary>The preface, the form and the size of frames, and the frames of a stream: DATA, HEADERS, PRIORITY, CONTINUATION.</summary>
internal static class FrameCases
{
    private const Http2FrameType Unknown = (Http2FrameType)0x16;
    private const Http2FrameFlags UndefinedFlags = (Http2FrameFlags)0x16;
    private const int DefaultFrameSize = 16_384;

    private static readonly byte[] s_begun = Head(GetBlock, isWhole: false);
    private static readonly byte[] s_begunPost = Head(FrameClient.Block([(":method", "POST"), .. GetFields[1..]]), ends: false, isWhole: false);

    internal static SpecCase[] All { get; } =
    [
        new("http2/3.5/1", "RFC 9113, 3.4", OpensWithSettings,
            (byte[])[.. Http2Connection.Preface, .. FrameClient.Settings()]) { ShakesHands = false },
        new("http2/3.5/2", "RFC 9113, 3.4", ConnectionError(ProtocolError),
            "This is the preface of no protocol.\r\n\r\n"u8.ToArray()) { ShakesHands = false },

        // Form.
        new("http2/4.1/1", "RFC 9113, 4.1", Pongs, FrameClient.Frame(Unknown, Http2FrameFlags.None, 0, new byte[8]), Ping),
        new("http2/4.1/2", "RFC 9113, 4.1", Pongs, FrameClient.Frame(Http2FrameType.Ping, UndefinedFlags, 0, Mark)),
        new("http2/4.1/3", "RFC 9113, 4.1", Pongs, WithReservedBit(Ping)),

        // Size.
        new("http2/4.2/1", "RFC 9113, 4.2", Answers, Post, FrameClient.Data(1, new byte[DefaultFrameSize], ends: true)),
        new("http2/4.2/2", "RFC 9113, 4.2", StreamError(FrameSizeError), Post,
            new SpecStep(static settings => FrameClient.Data(1, new byte[MostBytes(settings) + 1], ends: true))),
        new("http2/4.2/3", "RFC 9113, 4.2", ConnectionError(FrameSizeError),
            new SpecStep(static settings => GetWith(("x-long", new string('a', MostBytes(settings)))))),

        // Blocks.
        new("http2/4.3/1", "RFC 9113, 4.3", ConnectionError(CompressionError), Head([0x40])),
        new("http2/4.3/2", "RFC 9113, 4.3", ConnectionError(ProtocolError), s_begun, Priority(1), Continuation(MoreBlock)),
        new("http2/4.3/3", "RFC 9113, 4.3", ConnectionError(ProtocolError), s_begun, Head(GetBlock, streamId: 3), Continuation(MoreBlock)),

        // DATA.
        new("http2/6.1/1", "RFC 9113, 6.1", ConnectionError(ProtocolError), Body(streamId: 0)),
        new("http2/6.1/2", "RFC 9113, 6.1", StreamError(StreamClosed), Get, Body()),
        new("http2/6.1/3", "RFC 9113, 6.1", ConnectionError(ProtocolError), Post,
            FrameClient.Frame(Http2FrameType.Data, Http2FrameFlags.EndStream | Http2FrameFlags.Padded, 1, [6, .. "test"u8])),

        // HEADERS.
        new("http2/6.2/1", "RFC 9113, 6.2", ConnectionError(ProtocolError), s_begun, Priority(1), Continuation(MoreBlock)),
        new("http2/6.2/2", "RFC 9113, 6.2", ConnectionError(ProtocolError), s_begun, Head(GetBlock, streamId: 3), Continuation(MoreBlock)),
        new("http2/6.2/3", "RFC 9113, 6.2", ConnectionError(ProtocolError), Head(GetBlock, streamId: 0)),
        new("http2/6.2/4", "RFC 9113, 6.2", StreamError(ProtocolError), FrameClient.Frame(
            Http2FrameType.Headers,
            Http2FrameFlags.EndStream | Http2FrameFlags.EndHeaders | Http2FrameFlags.Padded,
            1,
            [(byte)(GetBlock.Length + 1), .. GetBlock])),

        // PRIORITY.
        new("http2/6.3/1", "RFC 9113, 6.3", ConnectionError(ProtocolError), Priority(0)),
        new("http2/6.3/2", "RFC 9113, 6.3", StreamError(FrameSizeError), Get,
            FrameClient.Frame(Http2FrameType.Priority, Http2FrameFlags.None, 1, new byte[4])),

        // CONTINUATION.
        new("http2/6.10/1", "RFC 9113, 6.10", Answers, s_begun, Continuation(MoreBlock, isWhole: false), Continuation(MoreBlock)),
        new("http2/6.10/2", "RFC 9113, 6.10", ConnectionError(ProtocolError), s_begunPost, Continuation(MoreBlock, isWhole: false), Body()),
        new("http2/6.10/3", "RFC 9113, 6.10", ConnectionError(ProtocolError), s_begun, Continuation(MoreBlock, streamId: 0)),
        new("http2/6.10/4", "RFC 9113, 6.10", ConnectionError(ProtocolError), Get, Continuation(MoreBlock)),
        new("http2/6.10/5", "RFC 9113, 6.10", ConnectionError(ProtocolError), s_begun, Continuation(MoreBlock), Continuation(MoreBlock)),
        new("http2/6.10/6", "RFC 9113, 6.10", ConnectionError(ProtocolError), s_begunPost, Body(), Continuation(MoreBlock)),
    ];

    private static int MostBytes(IReadOnlyDictionary<ushort, uint> settings)
        => settings.TryGetValue((ushort)Http2SettingId.MaxFrameSize, out uint size) ? (int)size : DefaultFrameSize;

    private static byte[] WithReservedBit(byte[] frame)
    {
        byte[] changed = [.. frame];
        changed[5] |= 0x80;
        return changed;
    }
}
