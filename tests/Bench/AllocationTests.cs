using Ioxide.Benchmarks;

namespace Ioxide.Bench.Tests;

/// <summary>
/// What the micro-benchmarks measure allocates nothing once it is warm. Bytes are those of one thread: the caller's, exactly, or the
/// reactor's, with less room than one object an operation would take. Only operations that wait for their end are counted on a reactor:
/// what queues up would depend on the machine's speed.
/// </summary>
public class AllocationTests
{
    private const int WarmCount = 1000;
    private const int Count = 10_000;
    private const int LeastObjectBytes = 24;

    [Theory]
    [InlineData(1)]
    [InlineData(16)]
    public void ATurnOfTheRingAllocatesNothing(int batch)
    {
        using var benchmarks = new NopBenchmarks { Batch = batch };
        benchmarks.Start();
        Assert.Equal(0, BytesOfThread(benchmarks.ThroughKernel));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(10_000)]
    public void ADeadlineThatIsAddedAndCancelledAllocatesNothing(int others)
    {
        var benchmarks = new TimerBenchmarks { Others = others };
        benchmarks.Fill();
        Assert.Equal(0, BytesOfThread(benchmarks.AddAndCancel));
    }

    [Fact]
    public void PostsAllocateNothing()
    {
        using var benchmarks = new ReactorBenchmarks();
        benchmarks.Start();
        AssertLessThanAnObjectEach(benchmarks.Reactor, benchmarks.PostAndWait);
    }

    [Fact]
    public void AReadAndAWriteOfPipesAllocateNothing()
    {
        using var benchmarks = new PipeBenchmarks();
        benchmarks.Start();
        AssertLessThanAnObjectEach(benchmarks.Reactor, benchmarks.Echo);
    }

    [Fact]
    public void ValuesAreEncodedAndDecodedWithoutObjects()
    {
        AssertCodec<bool>();
        AssertCodec<int>();
        AssertCodec<long>();
        AssertCodec<double>();
        AssertCodec<decimal>();
        AssertCodec<Guid>();
        AssertCodec<DateTime>();
        AssertCodec<DateOnly>();
        AssertCodec<TimeSpan>();
    }

    [Fact]
    public void WhatDoesAllocateIsSeen()
    {
        var benchmarks = new CodecBenchmarks<string>();
        Assert.Equal(0, BytesOfThread(() => benchmarks.Encode()));
        Assert.InRange(BytesOfThread(() => benchmarks.Decode()), Count * LeastObjectBytes, long.MaxValue);
    }

    [Fact]
    public void ARowBecomesJsonWithoutObjects()
    {
        var benchmarks = new RowJsonBenchmarks();
        Assert.Equal(0, BytesOfThread(() => benchmarks.NineFields()));
    }

    [Theory]
    [InlineData(128)]
    [InlineData(16 * 1024)]
    public void ATlsRecordIsSealedAndOpenedWithoutObjects(int lengthBytes)
    {
        using var benchmarks = new TlsRecordBenchmarks { LengthBytes = lengthBytes };
        benchmarks.Start();
        Assert.Equal(lengthBytes, benchmarks.Open());
        Assert.Equal(0, BytesOfThread(() => benchmarks.Seal()));
        Assert.Equal(0, BytesOfThread(() => benchmarks.Open()));
    }

    [Fact]
    public void AFileIsFoundWithoutObjects()
    {
        var benchmarks = new FileLookupBenchmarks();
        Assert.True(benchmarks.ByPath());
        Assert.Equal(0, BytesOfThread(() => benchmarks.ByPath()));
    }

    private static void AssertCodec<T>()
    {
        var benchmarks = new CodecBenchmarks<T>();
        Assert.Equal(0, BytesOfThread(() => benchmarks.Encode()));
        Assert.Equal(0, BytesOfThread(() => benchmarks.Decode()));
    }

    private static long BytesOfThread(Action operation)
    {
        Repeat(operation, WarmCount);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Repeat(operation, Count);
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private static void AssertLessThanAnObjectEach(Reactor reactor, Action operation)
    {
        Repeat(operation, WarmCount);
        long before = BytesSoFar(reactor);
        Repeat(operation, Count);
        Assert.InRange(BytesSoFar(reactor) - before, 0, Count * LeastObjectBytes * 3 / 4);
    }

    private static long BytesSoFar(Reactor reactor)
    {
        using var read = new ManualResetEventSlim();
        long bytes = 0;
        reactor.Post(
            _ =>
            {
                bytes = GC.GetAllocatedBytesForCurrentThread();
                read.Set();
            },
            null);
        Assert.True(read.Wait(TimeSpan.FromSeconds(30)));
        return bytes;
    }

    private static void Repeat(Action operation, int count)
    {
        for (int index = 0; index < count; index++)
        {
            operation();
        }
    }
}
