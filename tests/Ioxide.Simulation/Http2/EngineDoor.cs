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
        return Streams(engine).Count > 0 ? $"{Streams(engine).Count} streams"
            : Blocked(engine).Count > 0 ? $"{Blocked(engine).Count} streams that wait for a window"
            : Incomplete(engine).Count > 0 ? $"{Incomplete(engine).Count} requests that wait to run"
            : Open(engine) != 0 ? $"{Open(engine)} streams counted as open"
            : Running(engine) != 0 ? $"{Running(engine)} handlers counted as running"
            : uncredited != 0 ? $"{uncredited} bytes of the connection's window"
            : null;
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_ended")]
    private static extern ref TaskCompletionSource Ended(Http2Connection engine);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_streams")]
    private static extern ref Dictionary<int, Http2Stream> Streams(Http2Connection engine);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_blocked")]
    private static extern ref LinkedList<Http2Stream> Blocked(Http2Connection engine);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_incomplete")]
    private static extern ref Queue<Http2Stream> Incomplete(Http2Connection engine);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_open")]
    private static extern ref int Open(Http2Connection engine);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_running")]
    private static extern ref int Running(Http2Connection engine);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_receiveLeft")]
    private static extern ref long ReceiveLeft(Http2Connection engine);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_connectionCredit")]
    private static extern ref long ConnectionCredit(Http2Connection engine);
}
