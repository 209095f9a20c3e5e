namespace Ioxide.Weak;

/// <summary>Races follow each other in one process, and the collector stays away from each of them.</summary>
public sealed class StillHeapTests
{
    private const int Heaps = 10;
    private const int BytesPerHeap = 1024 * 1024;

    [Fact]
    public void PinnedArraysOfEarlierHeapsCountForNothing()
    {
        for (int number = 0; number < Heaps; number++)
        {
            using var heap = new StillHeap();
            for (int bytes = 0; bytes < BytesPerHeap; bytes += ReactorMemory.SmallBlockBytes)
            {
                GC.KeepAlive(GC.AllocateUninitializedArray<byte>(ReactorMemory.SmallBlockBytes, pinned: true));
            }

            StillHeap.RequireStill();
        }
    }
}
