using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>What a stop leaves to connections that were accepted just before it: a first read, and a first message to read.</summary>
public class FirstReadTests : ReactorTests
{
    [Fact]
    public Task UnbindingWaitsForTheFirstReadOfEachConnection() => UnbindingWaitsAsync(static async (connection, hasArrived, mayGoOn) =>
    {
        hasArrived();
        await mayGoOn;
        await EchoHandler.RunAsync(connection);
    });

    [Fact]
    public Task UnbindingDoesNotWaitForAConnectionThatEnded() => UnbindingWaitsAsync(static async (connection, hasArrived, mayGoOn) =>
    {
        hasArrived();
        await mayGoOn;
        connection.Abort();
    });

    [Fact]
    public Task UnbindingWaitsForTheReadBehindThePrologue() => UnbindingWaitsAsync(static async (connection, hasArrived, mayGoOn) =>
    {
        connection.FirstRead!.BeginPrologue();
        ReadResult prologue = await connection.Input.ReadAsync();
        connection.Input.AdvanceTo(prologue.Buffer.End);
        connection.FirstRead!.EndPrologue(connection);
        hasArrived();
        await mayGoOn;
        await EchoHandler.RunAsync(connection);
    });

    [Theory, AllValues]
    public async Task ACancelBehindTheStopWaitsForTheFirstBytes(bool isOnReactor)
    {
        TaskCompletionSource<RingConnection> reading = Waits.Signal<RingConnection>();
        TaskCompletionSource<(long Bytes, bool IsCanceled)> first = Waits.Signal<(long, bool)>();
        await using RingListener listener = await Fixture.ListenAsync(
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

        // The read that waited is the cancelled one, and it has the bytes.
        Assert.Equal((7, true), await first.Task.Within(20.Seconds()));
    }

    [Fact]
    public Task ACancelBehindTheStopComesAtLastToASilentConnection() => ASilentReadIsCanceledAsync(isStopped: true, TimeSpan.FromMilliseconds(5));

    [Fact]
    public Task ACancelBeforeTheStopDoesNotWait() => ASilentReadIsCanceledAsync(isStopped: false, 600.Seconds());

    private static async Task ASilentReadIsCanceledAsync(bool isStopped, TimeSpan patience)
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
            new RingListenOptions { Connection = { FirstBytesPatience = patience } });
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        RingConnection connection = await reading.Task.Within(20.Seconds());
        if (isStopped)
        {
            await listener.UnbindAsync();
        }

        connection.Input.CancelPendingRead();

        Assert.True(await isCanceled.Task.Within(20.Seconds()));
    }

    /// <summary>The port is closed at once; the unbinding is over when the handler has gone on.</summary>
    private static async Task UnbindingWaitsAsync(Func<RingConnection, Action, Task, Task> handler)
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        TaskCompletionSource arrived = Waits.Signal();
        TaskCompletionSource mayGoOn = Waits.Signal();
        await using RingListener listener = await fixture.ListenAsync(
            connection => handler(connection, () => arrived.TrySetResult(), mayGoOn.Task),
            new RingListenOptions { FirstReadPatience = 60.Seconds() });
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        await client.SendAllAsync("hello"u8.ToArray());
        await arrived.Task.Within(20.Seconds());

        Task unbinding = listener.UnbindAsync();
        await Waits.Eventually(() => IsRefused(listener), 20.Seconds(), "the port is closed");
        Assert.False(unbinding.IsCompleted);
        mayGoOn.SetResult();

        await unbinding.Within(20.Seconds());
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
