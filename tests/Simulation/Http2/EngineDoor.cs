using System.Runtime.CompilerServices;
using Ioxide.Http2;

namespace Ioxide.Simulation;

/// <summary>What a run has to know of an engine, and nothing else asks for.</summary>
internal static class EngineDoor
{
    /// <summary>It has ended.</summary>
    internal static bool HasEnded(Http2Connection engine) => Ended(engine).Task.IsCompleted;

    /// <summary>What it keeps at its end, in words; null where it keeps nothing.</summary>
    internal static string? Kept(Http2Connection engine)
    {
        long uncredited = engine.Options.ConnectionWindow - ReceiveLeft(engine) - ConnectionCredit(engine);
        return engine.Streams.Count > 0 ? $"{engine.Streams.Count} streams"
            : Blocked(engine.Sender).Count > 0 ? $"{Blocked(engine.Sender).Count} streams that wait for a window"
            : Incomplete(engine.Loop).Count > 0 ? $"{Incomplete(engine.Loop).Count} requests that wait to run"
            : Running(engine) != 0 ? $"{Running(engine)} handlers counted as running"
            : uncredited != 0 ? $"{uncredited} bytes of the connection's window"
            : null;
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_ended")]
    private static extern ref TaskCompletionSource Ended(Http2Connection engine);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_blocked")]
    private static extern ref LinkedList<Http2Stream> Blocked(AnswerSender sender);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_incomplete")]
    private static extern ref Queue<Http2Stream> Incomplete(ConnectionLoop loop);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_running")]
    private static extern ref int Running(Http2Connection engine);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_receiveLeft")]
    private static extern ref long ReceiveLeft(Http2Connection engine);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_credit")]
    private static extern ref long ConnectionCredit(Http2Connection engine);
}
