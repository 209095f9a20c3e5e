using System.Collections.Concurrent;

namespace Ioxide.Files;

/// <summary>One piece of a large file on its way from the disk to the connection.</summary>
/// <remarks>Owner: who rented it, then the send queue, which disposes it when the kernel is through. Threads: any.</remarks>
internal sealed class PieceBuffer : IDisposable
{
    internal const int LengthBytes = 128 * 1024;

    // 8 MiB; what is beyond goes to the collector.
    private const int MaxPooled = 64;

    private static readonly ConcurrentQueue<PieceBuffer> s_pool = new();

    private readonly byte[] _bytes = GC.AllocateUninitializedArray<byte>(LengthBytes, pinned: true);
    private int _isRented;

    private PieceBuffer()
    {
    }

    internal Memory<byte> Memory => _bytes;

    internal static PieceBuffer Rent()
    {
        if (!s_pool.TryDequeue(out PieceBuffer? buffer))
        {
            buffer = new PieceBuffer();
        }

        buffer._isRented = 1;
        return buffer;
    }

    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isRented, 0) == 1 && s_pool.Count < MaxPooled)
        {
            s_pool.Enqueue(this);
        }
    }
}
