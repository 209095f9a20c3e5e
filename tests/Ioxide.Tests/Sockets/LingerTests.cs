using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;
using Ioxide.TestKit;

namespace Ioxide.Tests;

/// <summary>
/// Closing over bytes that nobody read makes the kernel send a reset, which costs the peer the end of the answer. So a
/// connection lingers until the peer has ended too, or the limit is over.
/// </summary>
public class LingerTests
{
    private const int UploadBytes = 10 * 1024 * 1024;
    private const int AnswerBytes = 300_000;

    public enum Reads
    {
        Nothing,
        TheFirstBytes,
        OnlyLooks,
    }

    [Theory]
    [InlineData(Reads.Nothing)]
    [InlineData(Reads.TheFirstBytes)]
    [InlineData(Reads.OnlyLooks)]
    public async Task AnUploadingClientGetsTheWholeAnswerOfAServerThatClosesEarly(Reads reads)
    {
        const int RoundCount = 20;
        await using ReactorFixture fixture = ReactorFixture.Start();
        byte[] answer = Payload.Of(AnswerBytes);
        await using RingListener listener = await fixture.ListenAsync(async connection =>
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
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(
            fixture, new RingConnectionOptions { LingerTimeout = TimeSpan.FromMilliseconds(200) });
        await pair.Client.SendAllAsync("unread"u8.ToArray());
        await Waits.Eventually(() => ReceivePipeTests.Buffered(pair) == 6, 20.Seconds());
        int before = LeakCheck.Count();
        ValueTask disposing = pair.Server.DisposeAsync();

        // The answer is over at once; the descriptor stays until the limit, because the client does not end.
        Assert.Empty(await pair.Client.ReceiveToEndAsync());
        await disposing.Within(20.Seconds());
        await Waits.Eventually(() => LeakCheck.Count() == before - 1, 20.Seconds());
    }

    [Fact]
    public async Task LingeringEndsWithThePeersStream()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(
            fixture, new RingConnectionOptions { LingerTimeout = TimeSpan.FromMinutes(10) });
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
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(
            fixture, new RingConnectionOptions { LingerTimeout = TimeSpan.FromMinutes(10) });
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
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task WhereThePeerMaySpeakAtAnyTimeTheEndWaitsForItsOwn(bool completesFirst)
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(
            fixture, new RingConnectionOptions { LingerTimeout = TimeSpan.FromMinutes(10), EndsBothWays = true });
        pair.Server.EndsWithPeer = true;
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
