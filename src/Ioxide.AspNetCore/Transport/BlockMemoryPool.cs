namespace Ioxide.AspNetCore;

/// <summary>Blocks of 4 KiB for hosts that register no pool of their own (services without Kestrel).</summary>
/// <remarks>The shared pool alone will not do: servers rent 0 bytes and expect a block. Threads: any.</remarks>
internal sealed class BlockMemoryPool : MemoryPool<byte>
{
    private const int BlockBytes = 4096;

    public override int MaxBufferSize => BlockBytes;

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, BlockBytes);
        return Shared.Rent(BlockBytes);
    }

    /// <summary>The blocks are the process's.</summary>
    protected override void Dispose(bool disposing)
    {
    }
}
