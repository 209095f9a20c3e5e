using System.Buffers;

namespace Ioxide.Simulation;

/// <summary>Memory for bodies, which counts what was not given back.</summary>
internal sealed class CountingMemory : MemoryPool<byte>
{
    private const int BlockBytes = 4096;

    internal int Out { get; private set; }

    public override int MaxBufferSize => BlockBytes;

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        Out++;
        return new Block(this, Math.Max(minBufferSize, BlockBytes));
    }

    protected override void Dispose(bool disposing)
    {
    }

    private sealed class Block(CountingMemory home, int bytes) : IMemoryOwner<byte>
    {
        private byte[]? _bytes = new byte[bytes];

        public Memory<byte> Memory => _bytes ?? throw new ObjectDisposedException(nameof(Block));

        public void Dispose()
        {
            if (_bytes is not null)
            {
                _bytes = null;
                home.Out--;
            }
        }
    }
}
