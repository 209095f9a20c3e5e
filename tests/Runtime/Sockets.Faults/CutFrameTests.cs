using System.Net;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// A client may stop sending after any byte, and reading after any byte: politely, rudely or silently. Each whole frame that
/// it sent comes back, each connection ends, and the fixture shows that nothing is left of any.
/// </summary>
public class CutFrameTests
{
    private const int BatchSize = 64;
    private const int LargeAnswerBytes = 16 * 1024 * 1024;

    public enum Leaving
    {
        Finishing,
        Resetting,
        Closing,
    }

    [Theory, AllValues]
    public Task AFinAfterAnyByteBringsBackEachWholeFrameAndAFin(bool isUnix)
        => CutEverywhereAsync(isUnix, async (client, cut) =>
        {
            await client.SendAllAsync(FramedEcho.Frames.AsMemory(0, cut));
            client.Shutdown(SocketShutdown.Send);

            Payload.AssertSame(FramedEcho.WholeFrames(cut), await client.ReceiveToEndAsync());
        });

    [Fact]
    public Task AResetAfterAnyByteEndsTheConnection()
        => CutEverywhereAsync(isUnix: false, async (client, cut) =>
        {
            await client.SendAllAsync(FramedEcho.Frames.AsMemory(0, cut));
            client.Reset();
        });

    [Fact]
    public Task AResetAfterTheAnswerToAnyByteEndsTheConnection()
        => CutEverywhereAsync(isUnix: false, async (client, cut) =>
        {
            await client.SendAllAsync(FramedEcho.Frames.AsMemory(0, cut));
            byte[] whole = FramedEcho.WholeFrames(cut);
            Payload.AssertSame(whole, await client.ReceiveExactlyAsync(whole.Length));
            client.Reset();
        });

    [Theory, AllValues]
    public async Task ASilenceAfterAnyByteBringsBackEachWholeFrameAndIsBorneUntilTheClientCloses(bool isUnix)
    {
        using var unobserved = UnobservedExceptions.Watch();
        await using (ReactorFixture fixture = Start())
        {
            await using RingListener listener = await ListenAsync(fixture, isUnix);
            Socket[] clients = await Task.WhenAll(FramedEcho.Cuts.Select(_ => RawSocket.ConnectAsync(listener.EndPoint)));
            await Task.WhenAll(FramedEcho.Cuts.Zip(clients, async (cut, client) =>
            {
                await client.SendAllAsync(FramedEcho.Frames.AsMemory(0, cut));
                byte[] whole = FramedEcho.WholeFrames(cut);
                Payload.AssertSame(whole, await client.ReceiveExactlyAsync(whole.Length));
            })).Within(20.Seconds(), "every whole frame is back");
            Assert.Equal(clients.Length, Connections(fixture));

            Array.ForEach(clients, client => client.Dispose());

            await AssertAllEndedAsync(fixture);
        }

        unobserved.AssertNone();
    }

    /// <summary>What the client does not read fits into its socket, so that the server never waits for it.</summary>
    [Theory]
    [InlineData(Leaving.Finishing, false)]
    [InlineData(Leaving.Finishing, true)]
    [InlineData(Leaving.Closing, false)]
    [InlineData(Leaving.Closing, true)]
    [InlineData(Leaving.Resetting, false)]
    public async Task AClientThatReadsUpToAnyByteAndLeavesEndsTheConnection(Leaving leaving, bool isUnix)
    {
        using var unobserved = UnobservedExceptions.Watch();
        await using (ReactorFixture fixture = Start())
        {
            await using RingListener listener = await ListenAsync(fixture, isUnix);
            Socket[] clients = await Task.WhenAll(FramedEcho.Cuts.Select(_ => RawSocket.ConnectAsync(listener.EndPoint)));
            await Task.WhenAll(FramedEcho.Cuts.Zip(clients, async (cut, client) =>
            {
                await client.SendAllAsync(FramedEcho.Frames);
                Payload.AssertSame(FramedEcho.Frames[..cut], await client.ReceiveExactlyAsync(cut));
                Leave(client, leaving);
            })).Within(20.Seconds(), "every client has left");

            // Those that only finished still hold their end: the server's end must not depend on it.
            await AssertAllEndedAsync(fixture);
            Array.ForEach(clients, client => client.Dispose());
        }

        unobserved.AssertNone();
    }

    /// <summary>What the client does not read is far more than the sockets hold, so that the server waits for it.</summary>
    [Theory, AllValues]
    public async Task AClientThatLeavesALargeAnswerEndsTheConnection(Leaving leaving)
    {
        const int ClientCount = 64;
        const int StepBytes = 1001;
        using var unobserved = UnobservedExceptions.Watch();
        await using (ReactorFixture fixture = Start())
        {
            var options = new RingListenOptions { Connection = new RingConnectionOptions { SendTimeout = TimeSpan.FromMilliseconds(300) } };
            byte[] answer = Payload.Of(LargeAnswerBytes);
            await using RingListener listener = await fixture.ListenAsync(connection => SendInPiecesAsync(connection, answer), options);
            Socket[] clients = await Task.WhenAll(Enumerable.Range(0, ClientCount).Select(_ => RawSocket.ConnectAsync(listener.EndPoint)));
            await Task.WhenAll(clients.Select(async (client, index) =>
            {
                Payload.AssertSame(answer[..(index * StepBytes)], await client.ReceiveExactlyAsync(index * StepBytes));
                Leave(client, leaving);
            })).Within(20.Seconds(), "every client has left");

            await AssertAllEndedAsync(fixture);
            Array.ForEach(clients, client => client.Dispose());
        }

        unobserved.AssertNone();
    }

    private static async Task CutEverywhereAsync(bool isUnix, Func<Socket, int, Task> cutAsync)
    {
        using var unobserved = UnobservedExceptions.Watch();
        await using (ReactorFixture fixture = Start())
        {
            await using RingListener listener = await ListenAsync(fixture, isUnix);
            foreach (int[] cuts in FramedEcho.Cuts.Chunk(BatchSize))
            {
                await Task.WhenAll(cuts.Select(async cut =>
                {
                    using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
                    await cutAsync(client, cut).Within(20.Seconds(), $"the end of a connection cut after {cut} bytes");
                }));
            }

            await AssertAllEndedAsync(fixture);
        }

        unobserved.AssertNone();
    }

    private static ReactorFixture Start()
    {
        ReactorFixture fixture = ReactorFixture.Start();
        fixture.Patience = 20.Seconds();
        return fixture;
    }

    private static Task<RingListener> ListenAsync(ReactorFixture fixture, bool isUnix)
    {
        EndPoint endPoint = isUnix
            ? new UnixDomainSocketEndPoint($"\0ioxide-cut-{Guid.NewGuid():N}")
            : new IPEndPoint(IPAddress.Loopback, 0);
        return fixture.ListenAsync(FramedEcho.RunAsync, endPoint: endPoint);
    }

    private static async Task SendInPiecesAsync(RingConnection connection, byte[] answer)
    {
        const int PieceBytes = 60_000;
        for (int offset = 0; offset < answer.Length; offset += PieceBytes)
        {
            ReadOnlyMemory<byte> piece = answer.AsMemory(offset, Math.Min(PieceBytes, answer.Length - offset));
            if ((await connection.Output.WriteAsync(piece)).IsCompleted)
            {
                return;
            }
        }

        Assert.Fail("The client took an answer that it did not read.");
    }

    private static void Leave(Socket client, Leaving leaving)
    {
        switch (leaving)
        {
            case Leaving.Finishing:
                client.Shutdown(SocketShutdown.Send);
                break;
            case Leaving.Resetting:
                client.Reset();
                break;
            case Leaving.Closing:
                client.Dispose();
                break;
        }
    }

    private static int Connections(ReactorFixture fixture) => fixture.Reactors.Sum(reactor => reactor.Snapshot().Connections);

    /// <summary>The fixture would abort what is left; here each connection must have ended by itself.</summary>
    private static Task AssertAllEndedAsync(ReactorFixture fixture)
        => Waits.Eventually(() => Connections(fixture) == 0, 20.Seconds(), "every connection has ended");
}
