using System.Collections.Concurrent;

namespace Ioxide.AspNetCore;

/// <summary>Blocks of 4 KiB for hosts that register no pool of their own (services without Kestrel).</summary>
/// <remarks>The shared pool will not do: servers rent 0 bytes and expect a block. Threads: any.</remarks>
internal sealed class PinnedMemoryPool : MemoryPool<byte>
{
    private const int BlockBytes = 4096;
    private const int MaxPooledBlocks = 1024;

    private readonly ConcurrentQueue<byte[]> _blocks = new();

    public override int MaxBufferSize => BlockBytes;

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, BlockBytes);
        byte[] block = _blocks.TryDequeue(out byte[]? pooled) ? pooled : GC.AllocateUninitializedArray<byte>(BlockBytes, pinned: true);
        return new Block(this, block);
    }

    protected override void Dispose(bool disposing) => _blocks.Clear();

    private void Return(byte[] block)
    {
        if (_blocks.Count < MaxPooledBlocks)
        {
            _blocks.Enqueue(block);
        }
    }

    private sealed class Block(PinnedMemoryPool pool, byte[] memory) : IMemoryOwner<byte>
    {
        private byte[]? _memory = memory;

        public Memory<byte> Memory => _memory ?? throw new ObjectDisposedException(nameof(Block));

        public void Dispose()
        {
            if (Interlocked.Exchange(ref _memory, null) is { } returned)
            {
                pool.Return(returned);
            }
        }
    }
}
