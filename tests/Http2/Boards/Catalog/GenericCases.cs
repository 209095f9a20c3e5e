using static Ioxide.Http2.Tests.SpecFrames;
using static Ioxide.Http2.Tests.SpecJudge;

namespace Ioxide.Http2.Tests;

/// <summary>What each server must take: every frame and every form of a field, as they are meant.</summary>
internal static class GenericCases
{
    private static readonly byte[] s_trailers = FrameClient.Headers(1, true, ("x-test", "ok"));

    // A request whose stream is over when more is sent.
    private static readonly SpecStep s_getToItsEnd = new(static _ => Get, EndsAnswer);

    internal static SpecCase[] All { get; } =
    [
        new("generic/1/1", "RFC 9113, 3.4", OpensWithSettings,
            (byte[])[.. Http2Connection.Preface, .. FrameClient.Settings()]) { ShakesHands = false },

        // Frames in each state of a stream (5.1).
        new("generic/2/1", "RFC 9113, 5.1, idle", Pongs, Priority(1), Ping),
        new("generic/2/2", "RFC 9113, 5.1, half-closed", SendsData, Setting(Http2SettingId.InitialWindowSize, 0), Get, Window(1, 1)),
        new("generic/2/3", "RFC 9113, 5.1, half-closed", SendsData, Setting(Http2SettingId.InitialWindowSize, 0), Get, Priority(1), Window(1, 1)),
        new("generic/2/4", "RFC 9113, 5.1, half-closed", PongsOrCloses, Get, Reset(), Ping),
        new("generic/2/5", "RFC 9113, 5.1, closed", Pongs, s_getToItsEnd, Priority(1), Ping),

        new("generic/3.1/1", "RFC 9113, 6.1", Answers, Post, Body()),
        new("generic/3.1/2", "RFC 9113, 6.1", Answers, Post, Body(ends: false), Body()),
        new("generic/3.1/3", "RFC 9113, 6.1", Answers, Post, Padded(Http2FrameType.Data, Http2FrameFlags.EndStream, "test"u8, 5)),

        new("generic/3.2/1", "RFC 9113, 6.2", Answers, Get),
        new("generic/3.2/2", "RFC 9113, 6.2", Answers,
            Padded(Http2FrameType.Headers, Http2FrameFlags.EndHeaders | Http2FrameFlags.EndStream, GetBlock, 8)),
        new("generic/3.2/3", "RFC 9113, 6.2", Answers, WithPriority()),

        // Any weight and any dependency is ignored today.
        new("generic/3.3/1", "RFC 9113, 6.3", Answers, Priority(1, weight: 0), Get),
        new("generic/3.3/2", "RFC 9113, 6.3", Answers, Priority(1, weight: 255), Get),
        new("generic/3.3/3", "RFC 9113, 6.3", Answers, Priority(3, dependsOn: 1, weight: 0), Get),
        new("generic/3.3/4", "RFC 9113, 6.3", Answers, Priority(1, weight: 0, isExclusive: true), Get),
        new("generic/3.3/5", "RFC 9113, 6.3", Answers, Priority(3), Get),

        new("generic/3.4/1", "RFC 9113, 6.4", PongsOrCloses, Post, Reset(), Ping),
        new("generic/3.5/1", "RFC 9113, 6.5.3", Acknowledges, FrameClient.Settings(
            ((ushort)Http2SettingId.HeaderTableSize, 4096),
            ((ushort)Http2SettingId.EnablePush, 1),
            ((ushort)Http2SettingId.MaxConcurrentStreams, 100),
            ((ushort)Http2SettingId.InitialWindowSize, 65_535),
            ((ushort)Http2SettingId.MaxFrameSize, 16_384),
            ((ushort)Http2SettingId.MaxHeaderListSize, 100))),
        new("generic/3.7/1", "RFC 9113, 6.7", Pongs, Ping),
        new("generic/3.8/1", "RFC 9113, 6.8", PongsOrCloses, GoAway((uint)Http2ErrorCode.NoError), Ping),
        new("generic/3.9/1", "RFC 9113, 6.9", Pongs, Window(0, 1), Ping),
        new("generic/3.9/2", "RFC 9113, 6.9", Answers, Get, Window(1, 1)),
        new("generic/3.10/1", "RFC 9113, 6.10", Answers, Head(GetBlock.AsSpan(0, 5), isWhole: false), Continuation(GetBlock.AsSpan(5))),
        new("generic/3.10/2", "RFC 9113, 6.10", Answers, Head(GetBlock.AsSpan(0, 5), isWhole: false),
            Continuation(GetBlock.AsSpan(5, 5), isWhole: false), Continuation(GetBlock.AsSpan(10))),

        new("generic/4/1", "RFC 9113, 8.1", Answers, Get),
        new("generic/4/2", "RFC 9113, 8.1", Answers, FrameClient.Request(1, method: "HEAD")),
        new("generic/4/3", "RFC 9113, 8.1", Answers, Post, Body()),
        new("generic/4/4", "RFC 9113, 8.1", Answers, FrameClient.Request(1, ends: false, method: "POST", others: ("trailer", "x-test")),
            Body(ends: false), s_trailers),

        // Each form of a field.
        new("generic/5/1", "RFC 7541, 6.1", Answers, GetWith(0x80 | 16)),
        Field("generic/5/2", "RFC 7541, 6.2.1", 0x40, 6, UserAgent, isCoded: false),
        Field("generic/5/3", "RFC 7541, 6.2.1", 0x40, 6, UserAgent, isCoded: true),
        Field("generic/5/4", "RFC 7541, 6.2.1", 0x40, 6, 0, isCoded: false),
        Field("generic/5/5", "RFC 7541, 6.2.1", 0x40, 6, 0, isCoded: true),
        Field("generic/5/6", "RFC 7541, 6.2.2", 0, 4, UserAgent, isCoded: false),
        Field("generic/5/7", "RFC 7541, 6.2.2", 0, 4, UserAgent, isCoded: true),
        Field("generic/5/8", "RFC 7541, 6.2.2", 0, 4, 0, isCoded: false),
        Field("generic/5/9", "RFC 7541, 6.2.2", 0, 4, 0, isCoded: true),
        Field("generic/5/10", "RFC 7541, 6.2.3", 0x10, 4, UserAgent, isCoded: false),
        Field("generic/5/11", "RFC 7541, 6.2.3", 0x10, 4, UserAgent, isCoded: true),
        Field("generic/5/12", "RFC 7541, 6.2.3", 0x10, 4, 0, isCoded: false),
        Field("generic/5/13", "RFC 7541, 6.2.3", 0x10, 4, 0, isCoded: true),
        new("generic/5/14", "RFC 7541, 6.3", Answers, Head([.. TableSize(128), .. GetBlock])),
        new("generic/5/15", "RFC 7541, 6.3", Answers, Head([.. TableSize(128), .. TableSize(4096), .. GetBlock])),
    ];

    private static SpecCase Field(string id, string source, byte pattern, int prefixBits, int nameIndex, bool isCoded)
        => new(id, source, Answers, GetWith(Literal(pattern, prefixBits, nameIndex, "x-test", "board", isCoded)));

    private static byte[] WithPriority() => FrameClient.Frame(
        Http2FrameType.Headers,
        Http2FrameFlags.EndHeaders | Http2FrameFlags.EndStream | Http2FrameFlags.Priority,
        1,
        [.. PriorityFields(0, 255, false), .. GetBlock]);
}
