using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;
using Ioxide.TestKit;

namespace Ioxide.Tests;

/// <summary>What a stop leaves to connections that were accepted just before it: a first read, and a first message to read.</summary>
public class FirstReadTests
{
    [Fact]
    public async Task UnbindingWaitsForTheFirstReadOfEachConnection()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        TaskCompletionSource accepted = Waits.Signal();
        TaskCompletionSource mayRead = Waits.Signal();
        await using RingListener listener = await fixture.ListenAsync(
            async connection =>
            {
                accepted.TrySetResult();
                await mayRead.Task;
                await EchoHandler.RunAsync(connection);
            },
            new RingListenOptions { FirstReadPatience = 60.Seconds() });
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        await accepted.Task.Within(20.Seconds());

        Task unbinding = listener.UnbindAsync();
        await Waits.Eventually(() => IsRefused(listener), 20.Seconds(), "the port is closed");
        Assert.False(unbinding.IsCompleted);
        mayRead.SetResult();

        await unbinding.Within(20.Seconds());
    }

    [Fact]
    public async Task UnbindingDoesNotWaitForAConnectionThatEnded()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        TaskCompletionSource accepted = Waits.Signal();
        TaskCompletionSource mayEnd = Waits.Signal();
        await using RingListener listener = await fixture.ListenAsync(
            async connection =>
            {
                accepted.TrySetResult();
                await mayEnd.Task;
                connection.Abort();
            },
            new RingListenOptions { FirstReadPatience = 60.Seconds() });
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        await accepted.Task.Within(20.Seconds());

        Task unbinding = listener.UnbindAsync();
        await Waits.Eventually(() => IsRefused(listener), 20.Seconds(), "the port is closed");
        Assert.False(unbinding.IsCompleted);
        mayEnd.SetResult();

        await unbinding.Within(20.Seconds());
    }

    [Fact]
    public async Task UnbindingWaitsForTheReadBehindThePrologue()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        TaskCompletionSource inPrologue = Waits.Signal();
        TaskCompletionSource mayRead = Waits.Signal();
        await using RingListener listener = await fixture.ListenAsync(
            async connection =>
            {
                connection.BeginPrologue();
                ReadResult prologue = await connection.Input.ReadAsync();
                connection.Input.AdvanceTo(prologue.Buffer.End);
                connection.EndPrologue();
                inPrologue.TrySetResult();
                await mayRead.Task;
                await EchoHandler.RunAsync(connection);
            },
            new RingListenOptions { FirstReadPatience = 60.Seconds() });
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        await client.SendAllAsync("hello"u8.ToArray());
        await inPrologue.Task.Within(20.Seconds());

        Task unbinding = listener.UnbindAsync();
        await Waits.Eventually(() => IsRefused(listener), 20.Seconds(), "the port is closed");
        Assert.False(unbinding.IsCompleted);
        mayRead.SetResult();

        await unbinding.Within(20.Seconds());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ACancelBehindTheStopWaitsForTheFirstBytes(bool isOnReactor)
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        TaskCompletionSource<RingConnection> reading = Waits.Signal<RingConnection>();
        TaskCompletionSource<(long Bytes, bool IsCanceled)> first = Waits.Signal<(long, bool)>();
        await using RingListener listener = await fixture.ListenAsync(
            async connection =>
            {
                ValueTask<ReadResult> pending = connection.Input.ReadAsync();
                reading.SetResult(connection);
                ReadResult read = await pending;
                first.SetResult((read.Buffer.Length, read.IsCanceled));
            },
            new RingListenOptions { Connection = { FirstBytesPatience = 60.Seconds() } });
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        RingConnection connection = await reading.Task.Within(20.Seconds());
        await listener.UnbindAsync();

        if (isOnReactor)
        {
            await connection.Reactor.RunAsync(connection.Input.CancelPendingRead);
        }
        else
        {
            connection.Input.CancelPendingRead();
        }

        await PassTurnsAsync(connection.Reactor);
        Assert.False(first.Task.IsCompleted);
        await client.SendAllAsync("request"u8.ToArray());

        Assert.Equal((7, false), await first.Task.Within(20.Seconds()));
    }

    [Fact]
    public async Task ACancelBehindTheStopComesAtLastToASilentConnection()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        TaskCompletionSource<RingConnection> reading = Waits.Signal<RingConnection>();
        TaskCompletionSource<bool> isCanceled = Waits.Signal<bool>();
        await using RingListener listener = await fixture.ListenAsync(
            async connection =>
            {
                ValueTask<ReadResult> pending = connection.Input.ReadAsync();
                reading.SetResult(connection);
                isCanceled.SetResult((await pending).IsCanceled);
            },
            new RingListenOptions { Connection = { FirstBytesPatience = TimeSpan.FromMilliseconds(5) } });
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        RingConnection connection = await reading.Task.Within(20.Seconds());
        await listener.UnbindAsync();

        connection.Input.CancelPendingRead();

        Assert.True(await isCanceled.Task.Within(20.Seconds()));
    }

    [Fact]
    public async Task ACancelBeforeTheStopDoesNotWait()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        TaskCompletionSource<RingConnection> reading = Waits.Signal<RingConnection>();
        TaskCompletionSource<bool> isCanceled = Waits.Signal<bool>();
        await using RingListener listener = await fixture.ListenAsync(
            async connection =>
            {
                ValueTask<ReadResult> pending = connection.Input.ReadAsync();
                reading.SetResult(connection);
                isCanceled.SetResult((await pending).IsCanceled);
            },
            new RingListenOptions { Connection = { FirstBytesPatience = 600.Seconds() } });
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        RingConnection connection = await reading.Task.Within(20.Seconds());

        connection.Input.CancelPendingRead();

        Assert.True(await isCanceled.Task.Within(20.Seconds()));
    }

    private static bool IsRefused(RingListener listener)
    {
        using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        try
        {
            socket.Connect(listener.EndPoint);
            return false;
        }
        catch (SocketException)
        {
            return true;
        }
    }

    /// <summary>A cancel takes two turns.</summary>
    private static async Task PassTurnsAsync(Reactor reactor)
    {
        for (int turn = 0; turn < 4; turn++)
        {
            await reactor.RunAsync(static () => { });
        }
    }
}
