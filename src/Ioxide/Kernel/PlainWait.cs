namespace Ioxide;

/// <summary>Waits for handles as the runtime does without a synchronization context.</summary>
internal sealed class PlainWait : SynchronizationContext
{
    /// <summary>Returns the index of the handle that was signalled, or <see cref="WaitHandle.WaitTimeout"/>.</summary>
    internal static int For(nint[] handles, bool waitAll, int timeoutMs) => WaitHelper(handles, waitAll, timeoutMs);
}
