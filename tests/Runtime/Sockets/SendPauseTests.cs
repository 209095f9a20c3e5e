using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// A kernel without memory for a send (ENOBUFS, ENOMEM) is asked again after 1, 2, 4 ... 64 ms and not each turn, and a connection that waits so
/// can be ended like any other. The fault is injected under the real kernel.
/// </summary>
public class SendPauseTests
{
    private const int Always = 1000;

    [Theory, Each(nameof(Fault.SendNoBuffers), nameof(Fault.SendNoMemory))]
    public async Task AKernelWithoutMemoryIsAskedEverLessOftenAndGetsEverythingOnceItHasSome(string faultName)
    {
        const int Pauses = 9;
        const int LeastMs = 1 + 2 + 4 + 8 + 16 + 32 + 64 + 64;
        Fault fault = Enum.Parse<Fault>(faultName);
        SkipWhereNothingIsInjected();
        var rates = new FaultRates { [fault] = Always };
        await using ReactorFixture fixture = Start(rates, out FaultyKernel kernel);
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        byte[] sent = Payload.Of(100_000);
        long started = Environment.TickCount64;
        await SendPipeTests.OnReactor(pair, async output => await output.WriteAsync(sent.AsMemory(..1000)));
        await Waits.Eventually(() => fixture[0].Snapshot().SendPauses >= Pauses, 20.Seconds());
        Assert.True(Environment.TickCount64 - started >= LeastMs - 1);
        Assert.InRange(kernel.Counts[fault], Pauses, Pauses + 2);
        Assert.Equal(64, await NextPauseMsAsync());

        rates[fault] = 0;
        await SendPipeTests.OnReactor(pair, async output => await output.WriteAsync(sent.AsMemory(1000..)));
        Payload.AssertSame(sent, await pair.Client.ReceiveExactlyAsync(sent.Length));

        // What was sent took the pauses back to the shortest one.
        await Waits.Until(NextPauseMsAsync, static ms => ms == 1, 20.Seconds());
        rates[fault] = Always;
        long before = fixture[0].Snapshot().SendPauses;
        await SendPipeTests.OnReactor(pair, async output => await output.WriteAsync(sent.AsMemory(..1000)));
        await Waits.Eventually(() => fixture[0].Snapshot().SendPauses >= before + 3, 20.Seconds());
        rates[fault] = 0;
        Payload.AssertSame(sent[..1000], await pair.Client.ReceiveExactlyAsync(1000));

        Task<int> NextPauseMsAsync() => fixture[0].RunAsync(() => pair.Server.Sender.NextPauseMs).Within(20.Seconds());
    }

    [Fact]
    public async Task AnAbortDoesNotWaitForThePauseAndTheQueueGoesHome()
    {
        SkipWhereNothingIsInjected();
        await using ReactorFixture fixture = Start(new FaultRates { [Fault.SendNoMemory] = Always }, out _);
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        await SendPipeTests.OnReactor(pair, async output => await output.WriteAsync(Payload.Of(10_000)));
        await Waits.Eventually(() => fixture[0].Snapshot().SendPauses >= 3, 20.Seconds());
        await fixture[0].RunAsync(() => pair.Server.Abort()).Within(20.Seconds());
        await pair.Server.DisposeAsync().Within(20.Seconds());
        Assert.Equal(0, await fixture[0].RunAsync(() => fixture[0].Timers.Count).Within(20.Seconds()));
        SocketException reset = await Assert.ThrowsAsync<SocketException>(async () => await pair.Client.ReceiveToEndAsync());
        Assert.Equal(SocketError.ConnectionReset, reset.SocketErrorCode);
    }

    [Fact]
    public async Task ADisposeSendsWhatWaitsWhenThereIsMemoryAgain()
    {
        SkipWhereNothingIsInjected();
        var rates = new FaultRates { [Fault.SendNoMemory] = Always };
        await using ReactorFixture fixture = Start(rates, out _);
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        byte[] sent = Payload.Of(10_000);
        await SendPipeTests.OnReactor(pair, async output => await output.WriteAsync(sent));
        await Waits.Eventually(() => fixture[0].Snapshot().SendPauses >= 3, 20.Seconds());
        ValueTask disposing = pair.Server.DisposeAsync();
        Assert.False(disposing.IsCompleted);
        rates[Fault.SendNoMemory] = 0;
        Payload.AssertSame(sent, await pair.Client.ReceiveToEndAsync());
        pair.Client.Shutdown(SocketShutdown.Both);
        await disposing.Within(20.Seconds());
    }

    [Fact]
    public async Task TheSendTimeoutRunsOnThroughPauses()
    {
        SkipWhereNothingIsInjected();
        await using ReactorFixture fixture = Start(new FaultRates { [Fault.SendNoBuffers] = Always }, out _);
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(
            fixture, new RingConnectionOptions { SendTimeout = TimeSpan.FromMilliseconds(200) });
        await SendPipeTests.OnReactor(pair, async output => await output.WriteAsync(Payload.Of(10_000)));
        await Waits.Eventually(() => pair.Server.CloseReason == CloseReason.TimedOut, 20.Seconds());
        await pair.Server.DisposeAsync().Within(20.Seconds());
    }

    [Fact]
    public async Task PagesThatFindNoMemoryPauseToo()
    {
        const int Refusals = 9;
        var kernel = new PoorKernel { Refusals = Refusals };
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.ReactorCount = 1;
            options.PlayedKernel = kernel;
        });
        Assert.SkipUnless(
            await fixture[0].RunAsync(() => fixture[0].Memory.Pages is not null).Within(20.Seconds()), "Memory cannot be sent by its pages here.");
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        byte[] sent = GC.AllocateUninitializedArray<byte>(300_000, pinned: true);
        Payload.Of(sent.Length).CopyTo(sent, 0);
        Task<byte[]> receiving = pair.Client.ReceiveExactlyAsync(sent.Length);
        await SendPipeTests.OnReactor(pair, async output =>
        {
            ((IReferenceWriter)output).Append(sent, owner: null, isImmutable: true);
            await output.FlushAsync();
        });
        Payload.AssertSame(sent, await receiving);
        Assert.Equal(Refusals, fixture[0].Snapshot().SendPauses);
        Assert.True(fixture[0].Counters.PageBytesSent > 0);
    }

    private static ReactorFixture Start(FaultRates rates, out FaultyKernel kernel)
    {
        FaultyKernel made = kernel = new FaultyKernel(1, rates);
        return ReactorFixture.Start(options =>
        {
            options.ReactorCount = 1;
            options.PlayedKernel = made;
        });
    }

    private static void SkipWhereNothingIsInjected()
        => Assert.SkipUnless(FaultSupport.CanInjectResults, "This kernel cannot complete a NOP with a given result (Linux 6.10).");

    /// <summary>Linux that has no memory for pages a number of times.</summary>
    private sealed unsafe class PoorKernel : Kernel
    {
        internal int Refusals { get; set; }

        internal override int SendPages(PagePipe pipe, int fd, void* memory, nuint length)
            => Refusals-- > 0 ? -Errno.ENOMEM : base.SendPages(pipe, fd, memory, length);
    }
}
