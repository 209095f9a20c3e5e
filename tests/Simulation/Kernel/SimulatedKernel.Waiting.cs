using System.Runtime.InteropServices;

namespace Ioxide.Simulation;

/// <summary>What managed waits ask of the system, the thread pool, and who may still call when a reactor has ended.</summary>
internal sealed unsafe partial class SimulatedKernel
{
    private readonly List<Func<bool>> _handles = [];
    private readonly List<object> _kept = [];
    private byte[]? _ringAtEnd;

    internal override SynchronizationContext? ThreadPoolContext => Host.ThreadPoolContext;

    /// <summary>A handle that counts as signalled while the predicate holds.</summary>
    internal nint MakeHandle(Func<bool> isSignalled)
    {
        _handles.Add(isSignalled);
        return _handles.Count;
    }

    /// <summary>Time moves to what happens next until a handle is signalled. Nobody turns the ring meanwhile.</summary>
    internal override int WaitHandles(nint[] handles, bool waitAll, int timeoutMs)
    {
        if (handles[0] > _handles.Count)
        {
            // A lock of the framework's, contended with another run: its holder is about to leave it, and this run must not notice.
            return base.WaitHandles(handles, waitAll, Timeout.Infinite);
        }

        NowNs += 200;
        long limitNs = timeoutMs < 0 ? long.MaxValue : NowNs + (timeoutMs * 1_000_000L);
        while (true)
        {
            int signalled = FindSignalled(handles, waitAll);
            if (signalled != WaitHandle.WaitTimeout || NowNs >= limitNs)
            {
                return signalled;
            }

            Host.WaitsPlainly();
            NowNs = Math.Min(Math.Max(NowNs + 1000, Host.NextEventNs ?? 0), limitNs);
            Host.RunDueEvents();
        }
    }

    internal override QueuedWait MakeQueuedWait(string name, Action answered) => new SimulatedQueuedWait(this, _dice);

    /// <summary>Frees it with the run, not with the process.</summary>
    internal override void KeepForGood(object owner) => _kept.Add(owner);

    /// <summary>The reactor has ended: from here on nothing may write to the queues of its ring.</summary>
    internal void NoteEnd() => _ringAtEnd ??= CopyRing();

    /// <summary>Whether the queues are as the reactor left them.</summary>
    internal bool IsRingUntouched => _ringAtEnd is null || _ringAtEnd.AsSpan().SequenceEqual(CopyRing());

    /// <summary>The signalled handle, 0 for all of them, or <see cref="WaitHandle.WaitTimeout"/>.</summary>
    private int FindSignalled(nint[] handles, bool waitAll)
    {
        bool areAll = true;
        for (int index = 0; index < handles.Length; index++)
        {
            bool isSignalled = _handles[(int)handles[index] - 1]();
            if (isSignalled && !waitAll)
            {
                return index;
            }

            areAll &= isSignalled;
        }

        return areAll ? 0 : WaitHandle.WaitTimeout;
    }

    private byte[] CopyRing()
    {
        byte[] copy = new byte[_ring.QueuesBytes + _ring.EntriesBytes];
        new ReadOnlySpan<byte>(_ring.Queues, _ring.QueuesBytes).CopyTo(copy);
        new ReadOnlySpan<byte>(_ring.Entries, _ring.EntriesBytes).CopyTo(copy.AsSpan(_ring.QueuesBytes));
        return copy;
    }

    /// <summary>A call that changes something, by the reactor's own thread or in its name.</summary>
    private void CheckAlive(string call)
    {
        if (Host.IsReactorOver)
        {
            Violate($"{call} is called for a reactor that has ended");
        }
    }
}
