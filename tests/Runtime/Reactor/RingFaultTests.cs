using System.IO.Pipes;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using Microsoft.Win32.SafeHandles;

namespace Ioxide.Tests;

/// <summary>A reactor whose ring fails ends without it: nobody waits for it, and what comes with the end touches no ring.</summary>
public class RingFaultTests
{
    [Fact]
    public async Task AStopThatWaitsForConnectionsEnds()
    {
        LeakCheck descriptors = LeakCheck.Start();
        var kernel = new BreakingKernel();
        ReactorGroup group = Start(kernel);
        RingListener listener = await group.ListenAsync(new IPEndPoint(IPAddress.Loopback, 0), EchoHandler.RunAsync).Within(20.Seconds());
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        await client.SendAllAsync("a"u8.ToArray());
        await client.ReceiveExactlyAsync(1);

        // The stop goes on inside the call that releases its guest, up to the wait for the connection.
        TaskCompletionSource isAsked = Waits.Signal();
        var guest = new TaskCompletionSource();
        Assert.True(group.TryAddGuest(() =>
        {
            isAsked.SetResult();
            return guest.Task;
        }));
        Task stopping = group.StopAsync();
        await isAsked.Task.Within(20.Seconds());
        guest.SetResult();
        await group.Reactors[0].RunAsync(static () => { }).Within(20.Seconds());
        Assert.False(stopping.IsCompleted);
        kernel.Break();
        Wake(group.Reactors[0]);

        await stopping.Within(20.Seconds());
        client.Dispose();
        await descriptors.AssertNoneLeftAsync(20.Seconds());
    }

    /// <remarks>The kernel gives the number to the next who opens something.</remarks>
    [Fact]
    public async Task AClosedSocketIsNotDuplicatedByItsNumber()
    {
        var kernel = new BreakingKernel();
        await using ReactorGroup group = Start(kernel);
        using Socket listener = RawSocket.Listen();
        RingConnection connection = await group.ConnectAsync(listener.LocalEndPoint!).Within(20.Seconds());
        int descriptor = connection.Descriptor;
        int? duplicate = null;
        kernel.Closed = closed =>
        {
            if (closed == descriptor)
            {
                int next = Kernel.Linux.EventDescriptor();
                duplicate = connection.Duplicate();
                _ = Kernel.Linux.Close(next);
            }
        };
        kernel.Break();
        Wake(group.Reactors[0]);
        await group.Reactors[0].Ended.Within(20.Seconds());
        await connection.DisposeAsync().Within(20.Seconds());

        Assert.Equal(-Errno.EBADF, duplicate);
    }

    [Fact]
    public async Task NoConnectionIsOpenAfterTheEndAndNoneIsWaitedFor()
    {
        var kernel = new BreakingKernel();
        await using ReactorGroup group = Start(kernel);
        Reactor reactor = group.Reactors[0];
        var neverReads = new TaskCompletionSource();
        await using RingListener listener = await group.ListenAsync(
            new IPEndPoint(IPAddress.Loopback, 0), _ => neverReads.Task, new RingListenOptions { FirstReadPatience = 120.Seconds() }).Within(20.Seconds());
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        await Waits.Eventually(() => reactor.Snapshot().Connections == 1, 20.Seconds());
        kernel.Break();
        Wake(reactor);
        await reactor.Ended.Within(20.Seconds());

        Assert.Equal(0, reactor.Snapshot().Connections);
        await listener.UnbindAsync().Within(20.Seconds());
    }

    [Fact]
    public async Task NoListenerIsPausedAfterTheEnd()
    {
        const int Always = 1000;
        Assert.SkipUnless(FaultSupport.CanInjectResults, "This kernel cannot complete a NOP with a given result (Linux 6.10).");
        var kernel = new BreakingKernel(new FaultRates { [Fault.AcceptEndsEarly] = Always, [Fault.AcceptTableFull] = Always });
        await using ReactorGroup group = Start(kernel);
        Reactor reactor = group.Reactors[0];
        await using RingListener listener = await group.ListenAsync(new IPEndPoint(IPAddress.Loopback, 0), EchoHandler.RunAsync).Within(20.Seconds());
        await Waits.Eventually(() => reactor.Snapshot().PausedListeners == 1, 20.Seconds());
        kernel.Break();
        Wake(reactor);
        await reactor.Ended.Within(20.Seconds());

        Assert.Equal(0, reactor.Snapshot().PausedListeners);
    }

    [Fact]
    public async Task ACancelThatComesWithTheEndMakesNoEntryForARead()
    {
        var kernel = new BreakingKernel();
        await using ReactorGroup group = Start(kernel);
        await using var pipe = new AnonymousPipeServerStream(PipeDirection.In);
        var handle = new SafeFileHandle(Kernel.Linux.Duplicate((int)pipe.SafePipeHandle.DangerousGetHandle()), ownsHandle: true);
        using RingFile file = RingFile.Adopt(group.Reactors[0], handle, 0);

        await AssertLateCancelMakesNoEntryAsync(group.Reactors[0], kernel, token => file.ReadAsync(new byte[10], 0, token).AsTask());
    }

    [Fact]
    public async Task ACancelThatComesWithTheEndMakesNoEntryForAConnect()
    {
        var kernel = new BreakingKernel();
        await using ReactorGroup group = Start(kernel);
        using var full = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        full.Bind(new UnixDomainSocketEndPoint($"\0ioxide-full-{Guid.NewGuid():N}"));
        full.Listen(0);
        using Socket filling = await RawSocket.ConnectAsync(full.LocalEndPoint!);

        await AssertLateCancelMakesNoEntryAsync(group.Reactors[0], kernel, token => group.ConnectAsync(full.LocalEndPoint!, null, token).AsTask());
    }

    /// <summary>The second call may come from whoever has the group's lock. After the end of its reactors, a listener is unbound at once.</summary>
    [Fact]
    public async Task AListenerIsUnboundTwiceWhileTheFirstWaitsForItsGroup()
    {
        var kernel = new BreakingKernel();
        await using ReactorGroup group = Start(kernel);
        RingListener listener = await group.ListenAsync(new IPEndPoint(IPAddress.Loopback, 0), EchoHandler.RunAsync).Within(20.Seconds());
        kernel.Break();
        Wake(group.Reactors[0]);
        await group.Reactors[0].Ended.Within(20.Seconds());
        Task? first = null;
        Task? second = null;
        var unbinding = new Thread(() => first = listener.UnbindAsync()) { IsBackground = true };
        var again = new Thread(() => second = listener.UnbindAsync()) { IsBackground = true };
        bool isAnswered;
        lock (LockOf(group))
        {
            unbinding.Start();
            SpinWait.SpinUntil(() => listener.IsUnbound);
            again.Start();
            isAnswered = again.Join(Waits.Generous(20.Seconds()));
        }

        unbinding.Join();
        again.Join();
        await Task.WhenAll(first!, second!).Within(20.Seconds());
        Assert.True(isAnswered);
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_lock")]
    private static extern ref Lock LockOf(ReactorGroup group);

    private static async Task AssertLateCancelMakesNoEntryAsync(Reactor reactor, BreakingKernel kernel, Func<CancellationToken, Task> start)
    {
        int atRest = reactor.Snapshot().OperationsInFlight;
        using var source = new CancellationTokenSource();
        Task operation = start(source.Token);
        await Waits.Eventually(() => reactor.Snapshot().OperationsInFlight == atRest + 1, 20.Seconds());
        kernel.Break(source.Cancel);
        Wake(reactor);

        Assert.IsType<ObjectDisposedException>(await operation.ErrorWithin(20.Seconds()));
        await reactor.Ended.Within(20.Seconds());
        Assert.Equal(atRest + 1, reactor.Snapshot().OperationsInFlight);
    }

    /// <summary>A reactor that sleeps enters its ring again. One that woke by itself may have ended.</summary>
    private static void Wake(Reactor reactor) => _ = reactor.TryEnqueue(WorkItem.Of(reactor, static _ => { }));

    private static ReactorGroup Start(BreakingKernel kernel)
        => ReactorGroup.Start(new ReactorOptions { ReactorCount = 1, StallThreshold = TimeSpan.FromMinutes(10), PlayedKernel = kernel });
}
