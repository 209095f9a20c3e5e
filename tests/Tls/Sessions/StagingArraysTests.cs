namespace Ioxide.Tls.Tests;

/// <summary>Arrays of a turn's plaintext serve the next turns.</summary>
public class StagingArraysTests
{
    [Theory, Each(StagingArrays.SmallBytes, StagingArrays.LargeBytes)]
    public async Task AReactorKeepsTheArraysOfItsBusiestTurn(int lengthBytes)
    {
        await using ReactorGroup group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 1 });
        long allocated = await group.Reactors[0].RunAsync(() =>
        {
            RunTurn(lengthBytes);
            long before = GC.GetAllocatedBytesForCurrentThread();
            RunTurn(lengthBytes);
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }).Within(Patience.Limit);

        Assert.InRange(allocated, 0, StagingArrays.LargeBytes);
    }

    [Fact]
    public async Task MemoryOfAnUnusualSizeIsNotKept()
    {
        await using ReactorGroup group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 1 });
        await group.Reactors[0].RunAsync(() =>
        {
            byte[] large = StagingArrays.Rent(StagingArrays.LargeBytes + 1);
            StagingArrays.Return(large);

            Assert.Equal(StagingArrays.LargeBytes, StagingArrays.Rent(StagingArrays.LargeBytes).Length);
            Assert.Equal(StagingArrays.SmallBytes, StagingArrays.Rent(StagingArrays.SmallBytes).Length);
        }).Within(Patience.Limit);
    }

    /// <summary>As many connections as the shared pool has no room for write, and all are encrypted at the end.</summary>
    private static void RunTurn(int lengthBytes)
    {
        const int connectionCount = 200;
        byte[][] arrays = new byte[connectionCount][];
        for (int index = 0; index < connectionCount; index++)
        {
            arrays[index] = StagingArrays.Rent(lengthBytes);
        }

        foreach (byte[] array in arrays)
        {
            StagingArrays.Return(array);
        }
    }
}
