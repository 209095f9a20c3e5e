namespace Ioxide;

/// <summary>Stands for <see cref="System.Threading.Interlocked"/> in the runtime's sources: a full fence, in front of which nothing is held back.</summary>
internal static class Interlocked
{
    internal static void MemoryBarrier()
    {
        StoreBuffer.Here?.Drain();
        System.Threading.Interlocked.MemoryBarrier();
    }

    internal static int Increment(ref int location)
    {
        StoreBuffer.Here?.Drain();
        return System.Threading.Interlocked.Increment(ref location);
    }

    internal static long Increment(ref long location)
    {
        StoreBuffer.Here?.Drain();
        return System.Threading.Interlocked.Increment(ref location);
    }

    internal static int Decrement(ref int location)
    {
        StoreBuffer.Here?.Drain();
        return System.Threading.Interlocked.Decrement(ref location);
    }

    internal static int Add(ref int location, int value)
    {
        StoreBuffer.Here?.Drain();
        return System.Threading.Interlocked.Add(ref location, value);
    }

    internal static long Add(ref long location, long value)
    {
        StoreBuffer.Here?.Drain();
        return System.Threading.Interlocked.Add(ref location, value);
    }

    internal static int Or(ref int location, int value)
    {
        StoreBuffer.Here?.Drain();
        return System.Threading.Interlocked.Or(ref location, value);
    }

    [return: NotNullIfNotNull(nameof(location))]
    internal static T Exchange<T>(ref T location, T value)
    {
        StoreBuffer.Here?.Drain();
        return System.Threading.Interlocked.Exchange(ref location, value);
    }

    [return: NotNullIfNotNull(nameof(location))]
    internal static T CompareExchange<T>(ref T location, T value, T comparand)
    {
        StoreBuffer.Here?.Drain();
        return System.Threading.Interlocked.CompareExchange(ref location, value, comparand);
    }
}
