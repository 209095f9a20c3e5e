using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// Closing over bytes that nobody read makes the kernel send a reset, which costs the peer the end of the answer. So a
/// connection lingers until the peer has ended too, or the limit is over.
/// </summary>
public class LingerTests : ReactorTests
{
    private const int UploadBytes = 10 * 1024 * 1024;
    private const int AnswerBytes = 300_000;

    private static readonly RingListenOptions s_longLinger = new()
    {
        Connection = new RingConnectionOptions { LingerTimeout = TimeSpan.FromMinutes(10) },
    };

    public enum Reads
    {
        Nothing,
        TheFirstBytes,
        OnlyLooks,
    }

    [Theory, Each(Reads.Nothing, Reads.TheFirstBytes, Reads.OnlyLooks)]
    public async Task AnUploadingClientGetsTheWholeAnswerOfAServerThatClosesEarly(Reads reads)
    {
        const int RoundCount = 20;
        byte[] answer = Payload.Of(AnswerBytes);
        await using RingListener listener = await Fixture.ListenAsync(async connection =>
        {
            if (reads != Reads.Nothing)
            {
                ReadResult read = await connection.Input.ReadAsync();
                connection.Input.AdvanceTo(reads == Reads.TheFirstBytes ? read.Buffer.End : read.Buffer.Start, read.Buffer.End);
            }

            connection.Output.Write(answer);
            await connection.Output.FlushAsync();
        });
        byte[] upload = new byte[UploadBytes];
        for (int round = 0; round < RoundCount; round++)
        {
            using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
            Task uploading = UploadAsync(client, upload);
            byte[] received = await client.ReceiveToEndAsync();
            Payload.AssertSame(answer, received);
            await uploading;
        }
    }

    [Fact]
    public async Task TheLimitEndsTheLingering()
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(
            Fixture, new RingConnectionOptions { LingerTimeout = TimeSpan.FromMilliseconds(200) });
        await pair.Client.SendAllAsync("unread"u8.ToArray());
        await Waits.Eventually(() => ReceivePipeTests.Buffered(pair) == 6, 20.Seconds());
        int before = LeakCheck.Count();
        ValueTask disposing = pair.Server.DisposeAsync();

        // The answer is over at once; the descriptor stays until the limit, because the client does not end.
        Assert.Empty(await pair.Client.ReceiveToEndAsync());
        await disposing.Within(20.Seconds());
        await Waits.Eventually(() => LeakCheck.Count() == before - 1, 20.Seconds());
    }

    /// <summary>As a host that stops, and a watch over slow clients, may do.</summary>
    [Fact]
    public async Task AnAbortTakesNothingBackThatTheKernelHas()
    {
        byte[] answer = Payload.Of(100_000);
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(
            Fixture, new RingConnectionOptions { LingerTimeout = TimeSpan.FromMinutes(10) }, receiveBufferBytes: 4096);
        await pair.Client.SendAllAsync("unread"u8.ToArray());
        await Waits.Eventually(() => ReceivePipeTests.Buffered(pair) == 6, 20.Seconds());
        await pair.Server.Reactor.RunAsync(() => _ = pair.Server.Output.WriteAsync(answer).AsTask());
        ValueTask disposing = pair.Server.DisposeAsync();
        await Waits.Eventually(() => pair.Server.Reactor.Snapshot().LingeringConnections == 1, 20.Seconds());

        pair.Server.Abort();
        await disposing.Within(20.Seconds());
        Payload.AssertSame(answer, await pair.Client.ReceiveToEndAsync());
    }

    [Fact]
    public async Task LingeringEndsWithThePeersStream()
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(
            Fixture, new RingConnectionOptions { LingerTimeout = TimeSpan.FromMinutes(10) });
        await pair.Client.SendAllAsync("unread"u8.ToArray());
        await Waits.Eventually(() => ReceivePipeTests.Buffered(pair) == 6, 20.Seconds());
        ValueTask disposing = pair.Server.DisposeAsync();
        Assert.Empty(await pair.Client.ReceiveToEndAsync());
        Assert.False(disposing.IsCompleted);
        await pair.Client.SendAllAsync(new byte[100_000]);
        pair.Client.Shutdown(SocketShutdown.Send);
        await disposing.Within(20.Seconds());
    }

    [Fact]
    public async Task NothingLingersWhereEverythingWasRead()
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(
            Fixture, new RingConnectionOptions { LingerTimeout = TimeSpan.FromMinutes(10) });
        await pair.Client.SendAllAsync("read"u8.ToArray());
        await ReceivePipeTests.OnReactor(pair, async input =>
        {
            ReadResult read = await ReceivePipeTests.ReadAtLeast(input, 4);
            input.AdvanceTo(read.Buffer.End);
        });
        await pair.Server.DisposeAsync().Within(20.Seconds());
        Assert.Empty(await pair.Client.ReceiveToEndAsync());
    }

    /// <summary>Also behind the end of the output that the sockets transport would end both ways.</summary>
    [Theory, AllValues]
    public async Task WhereThePeerMaySpeakAtAnyTimeTheEndWaitsForItsOwn(bool completesFirst)
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(
            Fixture, new RingConnectionOptions { LingerTimeout = TimeSpan.FromMinutes(10), ShutsDownBothDirections = true });
        pair.Server.WaitsForPeerFin = true;
        if (completesFirst)
        {
            await SendPipeTests.OnReactor(pair, output => output.CompleteAsync().AsTask());
            Assert.Empty(await pair.Client.ReceiveToEndAsync());
        }

        ValueTask disposing = pair.Server.DisposeAsync();
        Assert.Empty(await pair.Client.ReceiveToEndAsync());

        // The first that meets a closed socket is answered by a reset, the second fails.
        await pair.Client.SendAllAsync("late"u8.ToArray());
        await pair.Client.SendAllAsync("later"u8.ToArray());
        Assert.False(disposing.IsCompleted);
        pair.Client.Shutdown(SocketShutdown.Send);
        await disposing.Within(20.Seconds());
    }

    /// <summary>A host counts a connection until its application has ended it, so lingering ones need a limit of their own.</summary>
    [Fact]
    public async Task NewConnectionsEndTheOldestOfThoseThatLingerOverTheLimit()
    {
        const int Over = 30;
        await using ReactorFixture fixture = ReactorFixture.Start(static options => options.ReactorCount = 1);
        await using RingListener listener = await fixture.ListenAsync(LookAndCloseAsync, s_longLinger);
        var clients = new List<Socket>();
        for (int number = 0; number < LingerList.GroupLimit + Over; number++)
        {
            clients.Add(await SendAndReadToEndAsync(listener));
        }

        // The last one came when the limit was over by those before it.
        Assert.Equal(LingerList.GroupLimit + 1, (await LingeringAsync(fixture)).Count);
        Assert.Equal(Over - 1, fixture[0].Snapshot().LingersDropped);
        Assert.Equal(LingerList.GroupLimit + 1, fixture[0].Snapshot().Connections);

        // Closed over what was not read: the oldest, and only those.
        Assert.Equal(Enumerable.Range(0, clients.Count).Select(number => number < Over - 1), clients.Select(IsReset));
        clients.ForEach(static client => client.Dispose());
    }

    [Fact]
    public async Task WhereNothingNewComesEveryOneLingersForItsTime()
    {
        const int Count = LingerList.GroupLimit * 2;
        await using ReactorFixture fixture = ReactorFixture.Start(static options => options.ReactorCount = 1);
        TaskCompletionSource mayClose = Waits.Signal();
        await using RingListener listener = await fixture.ListenAsync(
            async connection =>
            {
                await mayClose.Task;
                await LookAndCloseAsync(connection);
            },
            s_longLinger);
        Socket[] clients = await Task.WhenAll(Enumerable.Range(0, Count).Select(_ => RawSocket.ConnectAsync(listener.EndPoint)));
        await Task.WhenAll(clients.Select(client => client.SendAllAsync("unread"u8.ToArray())));
        await Waits.Eventually(() => fixture[0].Load.Open == Count, 20.Seconds());
        mayClose.SetResult();
        foreach (Socket client in clients)
        {
            Assert.Empty(await client.ReceiveToEndAsync());
        }

        Assert.Equal(Count, (await LingeringAsync(fixture)).Count);
        Assert.Equal(0, fixture[0].Snapshot().LingersDropped);
        Array.ForEach(clients, static client => client.Dispose());
        await Waits.Eventually(() => fixture[0].Snapshot() is { LingeringConnections: 0, Connections: 0 }, 20.Seconds());
    }

    [Fact]
    public async Task WhereDescriptorsAreShortLingeringOnesMakeRoom()
    {
        const int Count = 40;
        var kernel = new LimitedKernel();
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.ReactorCount = 1;
            options.PlayedKernel = kernel;
        });
        await using RingListener listener = await fixture.ListenAsync(LookAndCloseAsync, s_longLinger);
        var clients = new List<Socket>();
        for (int number = 0; number < Count; number++)
        {
            clients.Add(await SendAndReadToEndAsync(listener));
        }

        Assert.Equal(0, fixture[0].Snapshot().LingersDropped);
        kernel.OpenCount = LimitedKernel.AtTheLimit;

        // The accept that is armed takes this one; the next is not armed before there is room.
        clients.Add(await SendAndReadToEndAsync(listener));
        await Waits.Eventually(() => fixture[0].Snapshot().LingersDropped > 0, 20.Seconds());
        kernel.OpenCount = LimitedKernel.NearTheLimit;
        clients.Add(await SendAndReadToEndAsync(listener));
        Assert.True(IsReset(clients[0]));
        clients.ForEach(static client => client.Dispose());
    }

    private static async Task LookAndCloseAsync(RingConnection connection)
    {
        ReadResult read = await connection.Input.ReadAsync();
        connection.Input.AdvanceTo(read.Buffer.Start, read.Buffer.End);
    }

    private static async Task<Socket> SendAndReadToEndAsync(RingListener listener)
    {
        Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        await client.SendAllAsync("unread"u8.ToArray());
        Assert.Empty(await client.ReceiveToEndAsync());
        return client;
    }

    private static Task<LingerList> LingeringAsync(ReactorFixture fixture)
        => fixture[0].RunAsync(() => fixture[0].Load.Lingering).Within(20.Seconds());

    /// <summary>A first write to a closed socket is answered by a reset, which a second one finds.</summary>
    private static bool IsReset(Socket client)
    {
        try
        {
            for (int attempt = 0; attempt < 2; attempt++)
            {
                client.Send("late"u8);
                if (client.Poll(0, SelectMode.SelectError))
                {
                    return true;
                }
            }

            return false;
        }
        catch (SocketException)
        {
            return true;
        }
    }

    private static async Task UploadAsync(Socket client, byte[] upload)
    {
        try
        {
            await client.SendAllAsync(upload);
            client.Shutdown(SocketShutdown.Send);
        }
        catch (SocketException)
        {
            // The server may stop taking it; what counts is the answer.
        }
    }
}
