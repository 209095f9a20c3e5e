namespace Ioxide.Files;

/// <summary>One mapping that holds the bodies of many files: written while a snapshot is made, read only from then on.</summary>
/// <remarks>
/// <para>It is made as long as might be needed; memory is taken only for what is written to, and what is left over is given back
/// when it is sealed. A stray write after that is a fault and not a wrong byte on the wire.</para>
/// <para>Owner: every object that refers to it. Bodies do, and so does each send that is queued or in flight, through the memory that it
/// names; the finalizer unmaps it, so by construction not before the last of them is through. The collector knows of the bytes
/// (<see cref="GC.AddMemoryPressure"/>). Threads: any; <see cref="Take"/> and <see cref="Seal"/> are for one at a time.</para>
/// Source: mmap(2), mprotect(2), MADV_COLLAPSE in madvise(2), Linux 6.1.
/// </remarks>
internal sealed unsafe class BodyChunk : MemoryManager<byte>
{
    /// <summary>The longest body, which is what a span can tell, in whole pages of any size.</summary>
    internal const int MaxBytes = 0x7FFF0000;

    // Bodies begin where a copy does not straddle lines of the cache.
    private const int Alignment = 64;

    /// <summary>A huge page of x64, and of arm64 with pages of 4 KiB.</summary>
    private const int HugePageBytes = 2 * 1024 * 1024;

    private static long s_allocatedBytes;

    private byte* _bytes;
    private int _length;
    private int _used;
    private long _pressure;

    /// <param name="length">Bytes, from 1 to <see cref="MaxBytes"/>; rounded up to pages.</param>
    /// <exception cref="IOException">The kernel gives no more memory; then there is nothing to free.</exception>
    internal BodyChunk(int length)
    {
        Debug.Assert(length is > 0 and <= MaxBytes);
        _length = (int)RoundUp(length, Environment.SystemPageSize);
        if (_length < HugePageBytes)
        {
            _bytes = Map((nuint)_length);
            return;
        }

        // Mapped a huge page longer, so that it can begin where one may begin.
        byte* mapped = Map((nuint)_length + HugePageBytes);
        _bytes = (byte*)RoundUp((long)mapped, HugePageBytes);
        Unmap(mapped, _bytes);
        Unmap(_bytes + _length, mapped + _length + HugePageBytes);
    }

    [System.Diagnostics.CodeAnalysis.SuppressMessage(
        "Reliability", "CA2015", Justification = "Readers of a span keep the object alive while they read.")]
    ~BodyChunk() => Free();

    /// <summary>Bytes of all chunks of the process that are sealed, also of those that only old snapshots and sends name.</summary>
    internal static long AllocatedBytes => Volatile.Read(ref s_allocatedBytes);

    /// <summary>Bytes of bodies.</summary>
    internal int Used => _used;

    /// <summary>Takes room for one body more. Null where there is not enough.</summary>
    internal FileBody? Take(int length)
    {
        Debug.Assert(length > 0);
        int start = (int)RoundUp(_used, Alignment);
        if (length > _length - start)
        {
            return null;
        }

        _used = start + length;
        return new FileBody(this, start, length);
    }

    /// <summary>Nothing is written any more. Called once.</summary>
    internal void Seal()
    {
        int kept = (int)Math.Min(RoundUp(_used, Environment.SystemPageSize), _length);
        Unmap(_bytes + kept, _bytes + _length);
        _length = kept;

        // Sending by pages costs half where they are huge. It is a wish: the kernel may have none.
        _ = Sys.Advise(_bytes, (nuint)(_length / HugePageBytes * HugePageBytes), Sys.AdviseCollapse);
        Check(Sys.Protect(_bytes, (nuint)_length, Sys.ProtectRead), "seal");
        _pressure = _length;
        GC.AddMemoryPressure(_pressure);
        Interlocked.Add(ref s_allocatedBytes, _pressure);
    }

    public override Span<byte> GetSpan() => new(_bytes, _length);

    public override MemoryHandle Pin(int elementIndex = 0)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)elementIndex, (uint)_length, nameof(elementIndex));
        return new MemoryHandle(_bytes + elementIndex, default, this);
    }

    public override void Unpin()
    {
        // Native memory does not move; the handle holds this object, and with it the bytes.
    }

    /// <summary>Does nothing: only the finalizer knows that the bytes are no longer referenced.</summary>
    protected override void Dispose(bool disposing)
    {
    }

    private static long RoundUp(long value, int unit) => (value + unit - 1) / unit * unit;

    private static byte* Map(nuint length)
    {
        void* mapped = Kernel.Linux.Map(length, Sys.ProtectRead | Sys.ProtectWrite, Sys.MapPrivate | Sys.MapAnonymous, -1, 0, out int errno);
        return mapped is null ? throw Errno.ToIOException(errno, $"map {length} bytes for files") : (byte*)mapped;
    }

    private static void Unmap(byte* start, byte* end)
    {
        if (start < end)
        {
            Check(Kernel.Linux.Unmap(start, (nuint)(end - start)), "give back");
        }
    }

    private static void Check(int result, string what)
    {
        if (result < 0)
        {
            throw Errno.ToIOException(-result, $"{what} the memory of a snapshot");
        }
    }

    private void Free()
    {
        if (_bytes is not null)
        {
            _ = Kernel.Linux.Unmap(_bytes, (nuint)_length);
            _bytes = null;
        }

        if (_pressure > 0)
        {
            GC.RemoveMemoryPressure(_pressure);
            Interlocked.Add(ref s_allocatedBytes, -_pressure);
        }
    }
}
