namespace Ioxide;

/// <summary>A count that only grows, as several threads read it. A slow thread has read less than another has kept meanwhile.</summary>
internal static class Greatest
{
    /// <summary>Keeps the reading unless a greater one is kept. Returns the greater of the two. Threads: any.</summary>
    internal static long Keep(ref long kept, long reading)
    {
        long greatest = Volatile.Read(ref kept);
        while (reading > greatest)
        {
            long before = Interlocked.CompareExchange(ref kept, reading, greatest);
            greatest = before == greatest ? reading : before;
        }

        return greatest;
    }
}
