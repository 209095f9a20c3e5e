namespace Ioxide;

/// <summary>The stores of one thread that no other thread sees yet, in their order: what a processor's store buffer is.</summary>
/// <remarks>
/// <para>A seed says for how many of the thread's later accesses each store is held back. They become visible in their order, and all of them before
/// an interlocked operation, a barrier or a system call. The thread itself sees its own.</para>
/// <para>Plain stores and <c>volatile</c> fields are not held back: they overtake those that are, as they may on a weak machine. Loads are not
/// reordered.</para>
/// <para>A store is held back by its address, so only while <see cref="StillHeap"/> keeps the collector away.</para>
/// </remarks>
internal sealed unsafe class StoreBuffer : IDisposable
{
    private const int LongestDelay = 12;
    private const int MostHeld = 8;

    [ThreadStatic]
    private static StoreBuffer? s_here;

    private readonly Random _random;
    private readonly Queue<Store> _held = new();
    private int _accessesLeft;

    private StoreBuffer(int seed) => _random = new Random(seed);

    /// <summary>The calling thread's; null where stores are visible at once.</summary>
    internal static StoreBuffer? Here => s_here;

    /// <summary>From here on, stores of the calling thread are held back, until the result is disposed.</summary>
    internal static StoreBuffer Begin(int seed)
    {
        StillHeap.RequireStill();
        Debug.Assert(s_here is null);
        return s_here = new StoreBuffer(seed);
    }

    /// <summary>The end of the thread's part: everything is visible, and nothing is held back any more.</summary>
    public void Dispose()
    {
        Drain();
        s_here = null;
    }

    internal void Hold<T>(ref T location, T value)
        where T : unmanaged
    {
        long bits = 0;
        *(T*)&bits = value;
        Hold(new Store(Unsafe.AsPointer(ref location), sizeof(T), bits, null, null));
    }

    internal void HoldReference<T>(ref T location, T value)
        where T : class?
        => Hold(new Store(Unsafe.AsPointer(ref Unsafe.As<T, object?>(ref location)), 0, 0, value, null));

    /// <summary>Holds something back that becomes visible as a whole, such as an item of a queue.</summary>
    internal void Hold(Action store) => Hold(new Store(null, 0, 0, null, store));

    /// <summary>The thread reads its own store before others do.</summary>
    internal bool TryForward<T>(ref readonly T location, out T value)
        where T : unmanaged
    {
        Pause();
        if (TryFind(Unsafe.AsPointer(ref Unsafe.AsRef(in location)), out Store own))
        {
            long bits = own.Bits;
            value = *(T*)&bits;
            return true;
        }

        value = default;
        return false;
    }

    /// <inheritdoc cref="TryForward{T}"/>
    internal bool TryForwardReference<T>(ref readonly T location, out T? value)
        where T : class?
    {
        Pause();
        bool isOwn = TryFind(Unsafe.AsPointer(ref Unsafe.As<T, object?>(ref Unsafe.AsRef(in location))), out Store own);
        value = isOwn ? (T?)own.Reference : null;
        return isOwn;
    }

    /// <summary>An access: what was held back long enough becomes visible, and sometimes other threads get their turn.</summary>
    internal void Pause()
    {
        if (_held.Count > 0 && --_accessesLeft <= 0)
        {
            Release();
        }

        int luck = _random.Next(64);
        if (luck == 0)
        {
            Thread.Yield();
        }
        else if (luck < 16)
        {
            Thread.SpinWait(_random.Next(64));
        }
    }

    /// <summary>Everything becomes visible now.</summary>
    internal void Drain()
    {
        while (_held.Count > 0)
        {
            Release();
        }
    }

    private void Hold(in Store store)
    {
        Pause();
        _held.Enqueue(store);
        if (_held.Count == 1)
        {
            Delay();
        }
        else if (_held.Count > MostHeld)
        {
            Release();
        }
    }

    private void Delay() => _accessesLeft = _random.Next(1, LongestDelay);

    private void Release()
    {
        Store store = _held.Dequeue();
        StillHeap.RequireStill();
        if (store.Other is { } other)
        {
            other();
        }
        else
        {
            store.Write();
        }

        if (_held.Count > 0)
        {
            Delay();
        }
    }

    private bool TryFind(void* address, out Store found)
    {
        found = default;
        bool isFound = false;
        foreach (Store store in _held)
        {
            if (store.Address == address)
            {
                found = store;
                isFound = true;
            }
        }

        return isFound;
    }

    /// <summary>One store.</summary>
    /// <param name="address">Where it goes; null for one that is no store to one place.</param>
    /// <param name="size">Its bytes; 0 for a reference.</param>
    /// <param name="bits">The value.</param>
    /// <param name="reference">The value, where it is a reference.</param>
    /// <param name="other">What makes it visible, where it is no store to one place.</param>
    private readonly struct Store(void* address, int size, long bits, object? reference, Action? other)
    {
        internal void* Address { get; } = address;

        internal long Bits { get; } = bits;

        internal object? Reference { get; } = reference;

        internal Action? Other { get; } = other;

        internal void Write()
        {
            switch (size)
            {
                case sizeof(byte):
                    System.Threading.Volatile.Write(ref *(byte*)Address, (byte)Bits);
                    break;
                case sizeof(ushort):
                    System.Threading.Volatile.Write(ref *(ushort*)Address, (ushort)Bits);
                    break;
                case sizeof(uint):
                    System.Threading.Volatile.Write(ref *(uint*)Address, (uint)Bits);
                    break;
                case sizeof(long):
                    System.Threading.Volatile.Write(ref *(long*)Address, Bits);
                    break;
                default:
                    System.Threading.Volatile.Write(ref Unsafe.AsRef<object?>(Address), Reference);
                    break;
            }
        }
    }
}
