namespace Ioxide;

/// <summary>The limit that rings are charged to, RLIMIT_MEMLOCK: per user, without CAP_IPC_LOCK.</summary>
internal static unsafe class MemoryLockBudget
{
    private const ulong Unlimited = ulong.MaxValue;

    /// <summary>The limit in bytes, or null where none applies to this user.</summary>
    internal static ulong? Limit()
    {
        ResourceLimit limit;
        if (Sys.EffectiveUserId() == 0 || Kernel.Linux.GetResourceLimit(Sys.ResourceMemoryLock, &limit) < 0)
        {
            return null;
        }

        return limit.Current == Unlimited ? null : limit.Current;
    }

    internal static string Remedy()
    {
        string now = Limit() is { } bytes ? $"it is {bytes / 1024} KiB now, for all processes of this user together" : "see ulimit -l";
        return $"Raise the limit of locked memory (ulimit -l, LimitMEMLOCK=; {now}) "
            + "or lower ReactorCount, SqEntries, CqEntries and MaxReceiveBufferCount.";
    }
}
