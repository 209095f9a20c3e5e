using System.Buffers;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Ioxide.Files;

/// <summary>The bytes of one representation, in native memory.</summary>
/// <remarks>
/// <para>It is filled once, by <see cref="Fill"/>, and read only from then on.</para>
/// <para>Owner: whoever refers to it. Snapshots do, and so does each send that is queued or in flight, through the memory that it
/// names; the memory is freed by the finalizer, so by construction not before the last of them is through. The collector is told
/// of the bytes (<see cref="GC.AddMemoryPressure"/>). Threads: any.</para>
/// </remarks>
internal sealed unsafe class FileBody : MemoryManager<byte>
{
    private static long s_allocatedBytes;

    private readonly int _length;
    private byte* _bytes;

    /// <param name="length">Bytes, above 0.</param>
    internal FileBody(int length)
    {
        Debug.Assert(length > 0);
        _length = length;
        _bytes = (byte*)NativeMemory.Alloc((nuint)length);
        GC.AddMemoryPressure(length);
        Interlocked.Add(ref s_allocatedBytes, length);
    }

    [System.Diagnostics.CodeAnalysis.SuppressMessage(
        "Reliability", "CA2015", Justification = "Who reads through a span keeps the object alive until it is through.")]
    ~FileBody() => Free();

    /// <summary>Native bytes of all snapshots of the process, also of old ones that sends still name.</summary>
    internal static long AllocatedBytes => Volatile.Read(ref s_allocatedBytes);

    /// <summary>The bytes. It keeps this object, and so the bytes, alive.</summary>
    internal ReadOnlyMemory<byte> Bytes => Memory;

    /// <summary>The same bytes, to be written before anybody else sees the object.</summary>
    internal Memory<byte> Fill() => Memory;

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

    /// <summary>Does nothing: only the finalizer knows that nobody names the bytes any more.</summary>
    protected override void Dispose(bool disposing)
    {
    }

    private void Free()
    {
        NativeMemory.Free(_bytes);
        _bytes = null;
        GC.RemoveMemoryPressure(_length);
        Interlocked.Add(ref s_allocatedBytes, -_length);
    }
}
