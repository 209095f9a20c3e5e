using static Ioxide.Http2.Http2ErrorCode;
using static Ioxide.Http2.Tests.SpecFrames;
using static Ioxide.Http2.Tests.SpecJudge;

namespace Ioxide.Http2.Tests;

/// <summary>RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, and the windows that they move.</summary>
internal static class ControlCases
{
    private const uint LargestWindow = int.MaxValue;

    internal static SpecCase[] All { get; } =
    [
        new("http2/6.4/1", "RFC 9113, 6.4", ConnectionError(ProtocolError), Reset(0)),
        new("http2/6.4/2", "RFC 9113, 6.4", ConnectionError(ProtocolError), Reset()),
        new("http2/6.4/3", "RFC 9113, 6.4", StreamError(FrameSizeError), Get, Frame(Http2FrameType.RstStream, 1, 3)),

        // SETTINGS.
        new("http2/6.5/1", "RFC 9113, 6.5", ConnectionError(FrameSizeError), Frame(Http2FrameType.Settings, 0, 1, Http2FrameFlags.EndStream)),
        new("http2/6.5/2", "RFC 9113, 6.5", ConnectionError(ProtocolError), Frame(Http2FrameType.Settings, 1, 6)),
        new("http2/6.5/3", "RFC 9113, 6.5", StreamError(ProtocolError, FrameSizeError), Frame(Http2FrameType.Settings, 0, 3)),
        new("http2/6.5.2/1", "RFC 9113, 6.5.2", ConnectionError(ProtocolError), Setting(Http2SettingId.EnablePush, 2)),
        new("http2/6.5.2/2", "RFC 9113, 6.5.2", ConnectionError(FlowControlError), Setting(Http2SettingId.InitialWindowSize, LargestWindow + 1)),
        new("http2/6.5.2/3", "RFC 9113, 6.5.2", ConnectionError(ProtocolError), Setting(Http2SettingId.MaxFrameSize, 16_383)),
        new("http2/6.5.2/4", "RFC 9113, 6.5.2", ConnectionError(ProtocolError), Setting(Http2SettingId.MaxFrameSize, 1 << 24)),
        new("http2/6.5.2/5", "RFC 9113, 6.5.2", Pongs, Setting((Http2SettingId)0xff, 1), Ping),
        new("http2/6.5.3/1", "RFC 9113, 6.5.3", SendsOneByte,
            Set(((ushort)Http2SettingId.InitialWindowSize, 100), ((ushort)Http2SettingId.InitialWindowSize, 1)), Get),
        new("http2/6.5.3/2", "RFC 9113, 6.5.3", Acknowledges, Setting(Http2SettingId.EnablePush, 0)),

        // PING and GOAWAY.
        new("http2/6.7/1", "RFC 9113, 6.7", Pongs, Ping),
        new("http2/6.7/2", "RFC 9113, 6.7", Pongs, Frame(Http2FrameType.Ping, 0, 8, Http2FrameFlags.EndStream), Ping),
        new("http2/6.7/3", "RFC 9113, 6.7", ConnectionError(ProtocolError), Frame(Http2FrameType.Ping, 1, 8)),
        new("http2/6.7/4", "RFC 9113, 6.7", ConnectionError(FrameSizeError), Frame(Http2FrameType.Ping, 0, 6)),
        new("http2/6.8/1", "RFC 9113, 6.8", ConnectionError(ProtocolError), GoAway(0, streamId: 1)),

        // WINDOW_UPDATE.
        new("http2/6.9/1", "RFC 9113, 6.9", ConnectionError(ProtocolError), Window(0, 0)),
        new("http2/6.9/2", "RFC 9113, 6.9", StreamError(ProtocolError), Post, Window(1, 0)),
        new("http2/6.9/3", "RFC 9113, 6.9", ConnectionError(FrameSizeError), Frame(Http2FrameType.WindowUpdate, 0, 3)),
        new("http2/6.9.1/1", "RFC 9113, 6.9.1", SendsOneByte, SetWindow(1), Get),
        new("http2/6.9.1/2", "RFC 9113, 6.9.1", Says(Http2FrameType.GoAway, FlowControlError), Window(0, LargestWindow), Window(0, LargestWindow)),
        new("http2/6.9.1/3", "RFC 9113, 6.9.1", Says(Http2FrameType.RstStream, FlowControlError),
            Post, Window(1, LargestWindow), Window(1, LargestWindow)),
        new("http2/6.9.2/1", "RFC 9113, 6.9.2", SendsOneByte, SetWindow(0), Get, Setting(Http2SettingId.InitialWindowSize, 1)),

        // The window of 3 bytes is used, then one is taken back: two more make room for one.
        new("http2/6.9.2/2", "RFC 9113, 6.9.2", SendsOneByte, SetWindow(3), new SpecStep(static _ => Get, SendsData), SetWindow(2), Window(1, 2)),
        new("http2/6.9.2/3", "RFC 9113, 6.9.2", ConnectionError(FlowControlError), Setting(Http2SettingId.InitialWindowSize, LargestWindow + 1)),

        // Codes that are not known.
        new("http2/7/1", "RFC 9113, 7", PongsOrCloses, GoAway(0xff), Ping),
        new("http2/7/2", "RFC 9113, 7", PongsOrCloses, Post, Reset(code: 0xff), Ping),
    ];

    private static SpecStep SetWindow(uint size) => Set(((ushort)Http2SettingId.InitialWindowSize, size));

    private static SpecStep Set(params (ushort Id, uint Value)[] settings) => new(_ => FrameClient.Settings(settings), Acknowledges);

    /// <summary>A frame of zeros.</summary>
    private static byte[] Frame(Http2FrameType type, int streamId, int lengthBytes, Http2FrameFlags flags = Http2FrameFlags.None)
        => FrameClient.Frame(type, flags, streamId, new byte[lengthBytes]);
}
