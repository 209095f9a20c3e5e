using System.Buffers;
using System.Runtime.CompilerServices;

namespace Ioxide.Tests;

/// <summary>Files read through the ring: the right bytes at every offset, the end, cancelling and closing in between.</summary>
public class RingFileTests : ReactorTests
{
    private const int FileBytes = 3_000_001;

    [Theory]
    [InlineData(0, 0)]
    [InlineData(0, 1)]
    [InlineData(4095, 2)]
    [InlineData(1_000_000, 65_537)]
    [InlineData(FileBytes - 1, 1)]
    [InlineData(0, FileBytes)]
    public async Task ReadsBytesAtAnOffset(int offset, int lengthBytes)
    {
        using var temporary = new TemporaryFile();
        using RingFile file = await RingFile.OpenAsync(Fixture[0], temporary.Path).Within(20.Seconds());
        Assert.Equal(FileBytes, file.Length);
        byte[] bytes = new byte[lengthBytes];
        int total = 0;
        do
        {
            int count = await file.ReadAsync(bytes.AsMemory(total), offset + total).Within(20.Seconds());
            Assert.True(count > 0 || lengthBytes == 0);
            total += count;
        }
        while (total < lengthBytes);
        Payload.AssertSame(temporary.Bytes[offset..(offset + lengthBytes)], bytes);
    }

    [Fact]
    public async Task ReadsLessAtTheEndAndNothingBehindIt()
    {
        using var temporary = new TemporaryFile();
        using RingFile file = await RingFile.OpenAsync(Fixture[0], temporary.Path).Within(20.Seconds());
        byte[] bytes = new byte[100];
        Assert.Equal(40, await file.ReadAsync(bytes, FileBytes - 40).Within(20.Seconds()));
        Payload.AssertSame(temporary.Bytes[^40..], bytes[..40]);
        Assert.Equal(0, await file.ReadAsync(bytes, FileBytes).Within(20.Seconds()));
        Assert.Equal(0, await file.ReadAsync(bytes, FileBytes + 1_000_000L).Within(20.Seconds()));
        Assert.Throws<ArgumentOutOfRangeException>(() => { _ = file.ReadAsync(bytes, -1).AsTask(); });
    }

    [Fact]
    public async Task CompletesOnTheReactorOfTheFile()
    {
        using var temporary = new TemporaryFile();
        using RingFile file = await RingFile.OpenAsync(Fixture[1], temporary.Path).Within(20.Seconds());
        await Fixture[1].RunAsync(async () =>
        {
            Assert.Equal(10, await file.ReadAsync(new byte[10], 0));
            Assert.True(Fixture[1].IsCurrent);
        }).Within(20.Seconds());
    }

    [Fact]
    public async Task ReadsManyPlacesAtOnce()
    {
        const int ReadCount = 3000;
        var random = new Random(Seed.Print());
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.SqEntries = 8);
        using var temporary = new TemporaryFile();
        using RingFile file = await RingFile.OpenAsync(fixture[0], temporary.Path).Within(20.Seconds());
        var reads = new List<(int Offset, byte[] Bytes, Task<int> Count)>();
        for (int read = 0; read < ReadCount; read++)
        {
            int offset = random.Next(FileBytes);
            byte[] bytes = new byte[random.Next(1, 9000)];
            reads.Add((offset, bytes, file.ReadAsync(bytes, offset).AsTask()));
        }

        foreach ((int offset, byte[] bytes, Task<int> reading) in reads)
        {
            int count = await reading.Within(20.Seconds());
            Assert.Equal(Math.Min(bytes.Length, FileBytes - offset), count);
            Payload.AssertSame(temporary.Bytes[offset..(offset + count)], bytes[..count]);
        }
    }

    [Fact]
    public async Task AReadThatTheKernelInterruptsBeginsAgain()
    {
        Assert.SkipUnless(FaultSupport.CanInjectResults, "A NOP cannot be given a result here (Linux 6.10).");
        var kernel = new FaultyKernel(1, new FaultRates { [Fault.ReadInterrupted] = 500 });
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.PlayedKernel = kernel);
        using var temporary = new TemporaryFile();
        using RingFile file = await RingFile.OpenAsync(fixture[0], temporary.Path).Within(20.Seconds());
        byte[] bytes = new byte[1000];
        for (int offset = 0; offset < 100_000; offset += bytes.Length)
        {
            Assert.Equal(bytes.Length, await file.ReadAsync(bytes, offset).Within(20.Seconds()));
            Payload.AssertSame(temporary.Bytes[offset..(offset + bytes.Length)], bytes);
        }

        Assert.True(kernel.Counts[Fault.ReadInterrupted] > 0, "It was never injected.");
    }

    [Fact]
    public async Task ATokenEndsAReadAtOnceOrLeavesItsBytesRight()
    {
        const int ReadCount = 1000;
        using var temporary = new TemporaryFile();
        using RingFile file = await RingFile.OpenAsync(Fixture[0], temporary.Path).Within(20.Seconds());
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => file.ReadAsync(new byte[1], 0, new CancellationToken(canceled: true)).Within(20.Seconds()));
        for (int read = 0; read < ReadCount; read++)
        {
            using var source = new CancellationTokenSource();
            byte[] bytes = new byte[20_000];
            Task<int> reading = file.ReadAsync(bytes, read * 1000, source.Token).AsTask();
            await source.CancelAsync();
            try
            {
                int count = await reading.Within(20.Seconds());
                Payload.AssertSame(temporary.Bytes[(read * 1000)..((read * 1000) + count)], bytes[..count]);
            }
            catch (OperationCanceledException exception)
            {
                Assert.Equal(source.Token, exception.CancellationToken);
            }
        }
    }

    [Fact]
    public async Task DisposingWaitsForTheReadsInFlight()
    {
        Reactor reactor = Fixture[0];
        using var temporary = new TemporaryFile();
        RingFile file = await RingFile.OpenAsync(reactor, temporary.Path).Within(20.Seconds());
        Assert.Equal(1, CountOpen());
        byte[] bytes = new byte[100_000];
        using var release = new Blocker();
        reactor.Post(_ => release.Hold(), null);
        Task<int> reading = file.ReadAsync(bytes, 5000).AsTask();
        file.Dispose();
        file.Dispose();
        int whileReading = CountOpen();
        release.Release();
        Assert.Equal(1, whileReading);
        ObjectDisposedException disposed = Assert.Throws<ObjectDisposedException>(() => { _ = file.ReadAsync(bytes, 0).AsTask(); });
        Assert.Equal(typeof(RingFile).FullName, disposed.ObjectName);
        Assert.Equal(bytes.Length, await reading.Within(20.Seconds()));
        Payload.AssertSame(temporary.Bytes[5000..105_000], bytes);
        await Waits.Eventually(() => CountOpen() == 0, 20.Seconds());

        int CountOpen() => Descriptors.Of("self").Count(open => open.Value == temporary.Path);
    }

    [Fact]
    public async Task TheBufferIsPinnedForTheReadAndNoLonger()
    {
        using var temporary = new TemporaryFile();
        using RingFile file = await RingFile.OpenAsync(Fixture[0], temporary.Path).Within(20.Seconds());
        var owner = new CountingMemory(100);
        Assert.Equal(100, await file.ReadAsync(owner.Memory, 0).Within(20.Seconds()));
        Assert.Equal((1, 1), (owner.Pins, owner.Unpins));
        Payload.AssertSame(temporary.Bytes[..100], owner.Memory.ToArray());
    }

    [Fact]
    public async Task ReadsThatRaceWithTheEndOfTheReactorAllEnd()
    {
        for (int round = 0; round < 10; round++)
        {
            await using ReactorFixture fixture = ReactorFixture.Start();
            using var temporary = new TemporaryFile();
            using RingFile file = await RingFile.OpenAsync(fixture[0], temporary.Path).Within(20.Seconds());
            TaskCompletionSource isReading = Waits.Signal();
            Task reading = Task.Run(async () =>
            {
                byte[] bytes = new byte[10_000];
                try
                {
                    for (int read = 0; ; read++)
                    {
                        await file.ReadAsync(bytes, read % 100 * 1000);
                        isReading.TrySetResult();

                        // Half of the reads start on the reactor, half on the pool.
                        await Task.CompletedTask.ConfigureAwait(read % 2 == 0 ? ConfigureAwaitOptions.ForceYielding : ConfigureAwaitOptions.None);
                    }
                }
                catch (Exception exception) when (exception is ObjectDisposedException or OperationCanceledException)
                {
                    // The reactor has ended.
                }
            });
            await isReading.Task.Within(20.Seconds());
            await fixture.Group.DisposeAsync().Within(20.Seconds());
            await reading.Within(20.Seconds(), "the last read has ended");
        }
    }

    [Fact]
    public async Task AFileThatIsNotThereIsAnError()
    {
        await Assert.ThrowsAsync<FileNotFoundException>(
            () => RingFile.OpenAsync(Fixture[0], Path.Combine(Path.GetTempPath(), $"ioxide-{Guid.NewGuid():N}")).Within(20.Seconds()));
    }

    private sealed unsafe class CountingMemory(int lengthBytes) : MemoryManager<byte>
    {
        private readonly byte[] _bytes = GC.AllocateArray<byte>(lengthBytes, pinned: true);

        internal int Pins { get; private set; }

        internal int Unpins { get; private set; }

        public override Span<byte> GetSpan() => _bytes;

        public override MemoryHandle Pin(int elementIndex = 0)
        {
            Pins++;
            return new MemoryHandle(Unsafe.AsPointer(ref _bytes[elementIndex]), pinnable: this);
        }

        public override void Unpin() => Unpins++;

        protected override void Dispose(bool disposing)
        {
        }
    }

    private sealed class TemporaryFile : IDisposable
    {
        internal TemporaryFile()
        {
            Bytes = Payload.Of(FileBytes);
            File.WriteAllBytes(Path, Bytes);
        }

        internal string Path { get; } = System.IO.Path.Combine(System.IO.Path.GetTempPath(), $"ioxide-{Guid.NewGuid():N}.bin");

        internal byte[] Bytes { get; }

        public void Dispose() => File.Delete(Path);
    }
}
