namespace Ioxide.Tests;

/// <summary>A group starts what its options say or says which option is wrong, and ends without leaving anything.</summary>
public class GroupTests : ReactorTests
{
    [Theory]
    [InlineData(nameof(ReactorOptions.ReactorCount), 0, 64, false)]
    [InlineData(nameof(ReactorOptions.SqEntries), 8, 4096, true)]
    [InlineData(nameof(ReactorOptions.CqEntries), 512, 65536, true)]
    [InlineData(nameof(ReactorOptions.ReceiveBufferSize), 256, 65536, false)]
    [InlineData(nameof(ReactorOptions.ReceiveBufferCount), 1, 2048, false)]
    [InlineData(nameof(ReactorOptions.MaxReceiveBufferCount), 128, 32768, true)]
    [InlineData(nameof(ReactorOptions.BulkReceiveBufferSize), 4096, 1 << 20, false)]
    [InlineData(nameof(ReactorOptions.MaxBulkReceiveBufferCount), 2, 32768, true)]
    [InlineData(nameof(ReactorOptions.BusyPollMicroseconds), 0, 1_000_000, false)]
    public void AnOptionIsCheckedAtBothOfItsBounds(string name, int least, int most, bool isPowerOfTwo)
    {
        foreach (int good in new[] { least, most })
        {
            With(name, good).Validate();
        }

        int[] bad = isPowerOfTwo ? [least - 1, least / 2, most + 1, most * 2, (most / 2) + 1, int.MinValue] : [least - 1, most + 1, int.MinValue, int.MaxValue];
        foreach (int value in bad)
        {
            ArgumentOutOfRangeException exception = Assert.Throws<ArgumentOutOfRangeException>(() => ReactorGroup.Start(With(name, value)));
            Assert.Contains(exception.ParamName!, new[] { name, nameof(ReactorOptions.ReceiveBufferCount) });
        }
    }

    [Theory, Each(KernelChoice.IoUring, KernelChoice.Epoll)]
    public async Task RunsOnTheKernelThatIsChosen(KernelChoice choice)
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.Kernel = choice);

        Assert.Equal(choice, fixture.Group.RunsOn);
        Assert.Null(fixture.Group.RingRefusal);
    }

    [Fact]
    public void OptionsThatContradictEachOtherAreRefused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => ReactorGroup.Start(new ReactorOptions { SqEntries = 1024, CqEntries = 512 }));
        Assert.Throws<ArgumentOutOfRangeException>(
            () => ReactorGroup.Start(new ReactorOptions { ReceiveBufferCount = 65, MaxReceiveBufferCount = 64 }));
        Assert.Throws<ArgumentOutOfRangeException>(
            () => ReactorGroup.Start(new ReactorOptions { ReceiveBufferCount = 1, MaxReceiveBufferCount = 1 }));
        new ReactorOptions { ReceiveBufferCount = 1, MaxReceiveBufferCount = 2 }.Validate();
        Assert.Equal("Kernel", Assert.Throws<ArgumentOutOfRangeException>(
            () => ReactorGroup.Start(new ReactorOptions { Kernel = KernelChoice.Sockets })).ParamName);
        Assert.Throws<ArgumentOutOfRangeException>(() => ReactorGroup.Start(new ReactorOptions { StallThreshold = TimeSpan.FromMilliseconds(9) }));
        new ReactorOptions { StallThreshold = TimeSpan.FromMilliseconds(10) }.Validate();
        new ReactorOptions().Validate();
    }

    [Fact]
    public async Task NoCountMeansOneReactorForEachProcessor()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 0);

        Assert.Equal(Environment.ProcessorCount, fixture.Reactors.Count);
        Assert.Equal(Enumerable.Range(0, Environment.ProcessorCount), fixture.Reactors.Select(reactor => reactor.Id));
        Assert.All(fixture.Reactors, reactor => Assert.Same(fixture.Group, reactor.Group));
    }

    [Theory, Each(1, 64)]
    public async Task StartsAsManyReactorsAsAskedForAndAllTurn(int count)
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.ReactorCount = count;
            options.CqEntries = 512;
        });
        int[] threads = await Task.WhenAll(
            fixture.Reactors.Select(reactor => reactor.RunAsync(() => Environment.CurrentManagedThreadId))).Within(20.Seconds());

        Assert.Equal(count, threads.Distinct().Count());
    }

    [Fact]
    public async Task TheSmallestSizesServeToo()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.SqEntries = 8;
            options.CqEntries = 8;
            options.ReceiveBufferSize = 256;
            options.ReceiveBufferCount = 1;
            options.MaxReceiveBufferCount = 2;
            options.MaxBulkReceiveBufferCount = 2;
        });
        await using RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync);
        using System.Net.Sockets.Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        byte[] message = new byte[20_000];
        new Random(3).NextBytes(message);
        Task sent = client.SendAllAsync(message);

        Assert.Equal(message, await client.ReceiveExactlyAsync(message.Length));
        await sent;
    }

    [Fact]
    public async Task AShortageOfMemoryForTheWakeUpCounterIsWaitedFor()
    {
        var kernel = new FaultyKernel(1, new FaultRates { [Fault.EventNoMemory] = 1000 });
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.PlayedKernel = kernel);
        await fixture[1].RunAsync(() => 0).Within(20.Seconds());

        Assert.True(kernel.Counts[Fault.EventNoMemory] > 0, "It was never injected.");
    }

    /// <summary>A start that did not wait would leave the slower one's thread and ring behind.</summary>
    [Fact]
    public async Task AReactorThatIsSlowToBeginEndsWhereAnotherCannotBegin()
    {
        LeakCheck descriptors = LeakCheck.Start();
        using var slow = new Blocker();
        var options = new ReactorOptions { ReactorCount = 3, PlayedKernel = new HalfRefusingKernel(slow) };
        Task<ReactorGroup> starting = Task.Run(() => ReactorGroup.Start(options));
        await Task.WhenAny(starting, Task.Delay(200.Milliseconds()));
        slow.Release();

        Assert.IsType<RingUnavailableException>(await starting.ErrorWithin(20.Seconds()));
        await descriptors.AssertNoneLeftAsync(20.Seconds());
    }

    [Fact]
    public async Task ChangingTheOptionsAfterwardsChangesNothing()
    {
        var options = new ReactorOptions { ReactorCount = 1 };
        await using ReactorGroup group = ReactorGroup.Start(options);
        options.ReactorCount = 7;

        Assert.Equal(1, group.Options.ReactorCount);
        Assert.Single(group.Reactors);
    }

    [Fact]
    public async Task StoppingTwiceIsTheSameStop()
    {
        Task first = Fixture.Group.StopAsync();
        Task second = Fixture.Group.StopAsync(new CancellationToken(canceled: true));

        Assert.Same(first, second);
        await first.Within(20.Seconds());
        await Fixture.Group.DisposeAsync().Within(20.Seconds());
        Assert.All(Fixture.Reactors, reactor => Assert.True(reactor.HasEnded && reactor.Ring.IsDisposed));
    }

    [Fact]
    public async Task AGroupMayStopFromItsOwnReactor()
    {
        Task<Task> stopping = Fixture[0].RunAsync(() => Task.FromResult(Fixture.Group.StopAsync()));

        await (await stopping.Within(20.Seconds())).Within(20.Seconds());
    }

    [Fact]
    public async Task AGroupStartsAndStopsAHundredTimesAndLeavesNothing()
    {
        LeakCheck descriptors = LeakCheck.Start();
        for (int round = 0; round < 100; round++)
        {
            await using ReactorGroup group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 2, CqEntries = 512 });
            await group.StopAsync().Within(20.Seconds());
        }

        await descriptors.AssertNoneLeftAsync(20.Seconds());
    }

    private static ReactorOptions With(string name, int value)
    {
        var options = new ReactorOptions();
        typeof(ReactorOptions).GetProperty(name)!.SetValue(options, value);
        return options;
    }

    /// <summary>Refuses the ring of reactor 1, and enables that of reactor 2 late.</summary>
    private sealed unsafe class HalfRefusingKernel(Blocker slow) : Kernel
    {
        internal override int RingRegister(int fd, RegisterOpcode opcode, void* argument, uint count)
        {
            if (opcode == RegisterOpcode.EnableRings && Reactor.Current is { Id: 1 })
            {
                return -Errno.ENOMEM;
            }

            if (opcode == RegisterOpcode.EnableRings && Reactor.Current is { Id: 2 })
            {
                slow.Hold();
            }

            return base.RingRegister(fd, opcode, argument, count);
        }
    }
}
