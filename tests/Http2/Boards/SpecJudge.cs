namespace Ioxide.Http2.Tests;

/// <summary>What must come from a server.</summary>
/// <param name="Of">
/// Takes a frame, or null for the end of the connection: true where it is what must come, false where that cannot come any more.
/// </param>
internal sealed record SpecJudge(Func<Frame?, bool?> Of)
{
    /// <summary>The end of the connection, with or without a word.</summary>
    internal static SpecJudge Closes { get; } = new(static frame => frame is null ? true : null);

    /// <summary>GOAWAY, whatever its code is.</summary>
    internal static SpecJudge SaysGoAway { get; } = new(static frame => frame is null ? false : frame.Type == Http2FrameType.GoAway ? true : null);

    /// <summary>SETTINGS, before any other frame.</summary>
    internal static SpecJudge OpensWithSettings { get; } = new(static frame => frame is { Type: Http2FrameType.Settings, IsAnswer: false });

    internal static SpecJudge Acknowledges { get; } = First(Http2FrameType.Settings, static frame => frame.IsAnswer);

    /// <summary>The head of an answer on stream 1.</summary>
    internal static SpecJudge Answers { get; } = First(Http2FrameType.Headers, static frame => frame.StreamId == 1);

    internal static SpecJudge SendsData { get; } = First(Http2FrameType.Data, static _ => true);

    /// <summary>Exactly one byte of a body, since no more has room.</summary>
    internal static SpecJudge SendsOneByte { get; } = First(Http2FrameType.Data, static frame => frame.Payload.Length == 1);

    /// <summary>The end of an answer.</summary>
    internal static SpecJudge EndsAnswer { get; } = new(static frame =>
        frame is null or { Type: Http2FrameType.GoAway } ? false
        : frame.Type is Http2FrameType.Data or Http2FrameType.Headers && frame.EndsStream ? true
        : frame.Type == Http2FrameType.RstStream ? frame.Code == Http2ErrorCode.NoError
        : null);

    /// <summary>The answer to <see cref="SpecFrames.Ping"/>.</summary>
    internal static SpecJudge Pongs { get; } = First(
        Http2FrameType.Ping, static frame => frame.IsAnswer && frame.Payload.AsSpan().SequenceEqual(SpecFrames.Mark));

    internal static SpecJudge PongsOrCloses { get; } = new(static frame =>
        frame is null ? true : frame.Type == Http2FrameType.GoAway ? null : Pongs.Of(frame));

    /// <summary>GOAWAY with one of the codes, or the end of the connection.</summary>
    internal static SpecJudge ConnectionError(params Http2ErrorCode[] codes)
        => new(frame => frame is null || (frame.Type == Http2FrameType.GoAway && codes.Contains(frame.Code)) ? true : null);

    /// <summary>RST_STREAM or GOAWAY with one of the codes, or the end of the connection.</summary>
    internal static SpecJudge StreamError(params Http2ErrorCode[] codes)
        => new(frame =>
            frame is null || (frame.Type is Http2FrameType.GoAway or Http2FrameType.RstStream && codes.Contains(frame.Code)) ? true : null);

    /// <summary>A frame of the type with the code, and nothing in its place.</summary>
    internal static SpecJudge Says(Http2FrameType type, Http2ErrorCode code)
        => new(frame => frame is null ? false : frame.Type == type ? frame.Code == code : null);

    /// <summary>The first frame of a type.</summary>
    private static SpecJudge First(Http2FrameType type, Func<Frame, bool> isWanted)
        => new(frame => frame is null or { Type: Http2FrameType.GoAway } ? false : frame.Type == type ? isWanted(frame) : null);
}
