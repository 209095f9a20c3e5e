namespace Ioxide;

/// <summary>What rings cost of RLIMIT_MEMLOCK, which the kernel charges per user without CAP_IPC_LOCK.</summary>
internal static unsafe class MemoryLockBudget
{
    private const ulong Unlimited = ulong.MaxValue;
    private const ulong PageBytes = 4096;

    /// <summary>Bytes that one ring with its buffer rings is charged, rounded up to pages.</summary>
    internal static ulong RingBytes(uint sqEntries, uint cqEntries, uint bufferRingEntries)
        => Pages((ulong)sqEntries * Sqe.SizeInBytes)
            + Pages(((ulong)cqEntries * Cqe.SizeInBytes) + PageBytes)
            + Pages((ulong)bufferRingEntries * BufferRingEntry.SizeInBytes);

    /// <summary>The limit in bytes, or null where none applies to this user.</summary>
    internal static ulong? Limit()
    {
        ResourceLimit limit;
        if (Sys.EffectiveUserId() == 0 || Sys.GetResourceLimit(Sys.ResourceMemoryLock, &limit) < 0)
        {
            return null;
        }

        return limit.Current == Unlimited ? null : limit.Current;
    }

    internal static string Remedy()
    {
        string now = Limit() is { } bytes ? $"it is {bytes / 1024} KiB now, for all processes of this user together" : "see ulimit -l";
        return $"Raise the limit of locked memory (ulimit -l, LimitMEMLOCK=; {now}) or lower ReactorCount, SqEntries, CqEntries and MaxReceiveBufferCount.";
    }

    private static ulong Pages(ulong bytes) => (bytes + PageBytes - 1) / PageBytes * PageBytes;
}
