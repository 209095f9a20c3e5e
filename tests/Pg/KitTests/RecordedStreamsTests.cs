namespace Ioxide.Pg.Tests;

/// <summary>The recordings hold what the real server sent, cut into whole messages of every type.</summary>
public class RecordedStreamsTests
{
    [Fact]
    public async Task HoldEveryMessageOfTheirSessions()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        IReadOnlyList<RecordedStream> streams = await RecordedStreams.CaptureAsync(server);
        Assert.All(streams, stream => Assert.Equal('R', (char)stream.ToClient[0][0]));
        Assert.All(streams, stream => Assert.Equal('Z', (char)stream.ToClient[^1][0]));
        Assert.All(streams, stream => Assert.Equal(FrontendMessages.Terminate(), stream.ToServer[^1]));
        IEnumerable<char> types = streams.SelectMany(stream => stream.ToClient).Select(message => (char)message[0]).Distinct();
        Assert.Equal("123ACDEGHIKNRSTZcdnst", string.Concat(types.Order(Comparer<char>.Default)));
        Assert.Equal(2000, streams.Single(stream => stream.Name == "many rows").ToClient.Count(message => message[0] == 'D'));
    }

    [Fact]
    public async Task AFaultAtAMessageLeavesWholeMessages()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await using FaultProxy proxy = FaultProxy.Start(server.EndPoint);
        int all = await MessagesAsync(proxy);
        // A reset before the first can already fail the connect.
        for (int count = 1; count < all; count += 3)
        {
            proxy.SetFaults(
                ProxyFault.ResetAfter(Direction.ToClient, 0).AtMessage(count),
                ProxyFault.DelayAfter(Direction.ToClient, 0, 1.Milliseconds()).AtEveryMessage());
            Assert.Equal(count, await MessagesAsync(proxy));
        }
    }

    /// <summary>Whole messages that came before the end of the stream; a part of one fails.</summary>
    private static async Task<int> MessagesAsync(FaultProxy proxy)
    {
        using System.Net.Sockets.Socket client = await RawSocket.ConnectAsync(proxy.EndPoint);
        try
        {
            byte[] start = FrontendMessages.Startup(PgUsers.Super, "postgres");
            await client.SendAllAsync((byte[])[.. start, .. FrontendMessages.Query("select 1"), .. FrontendMessages.Terminate()]);
        }
        catch (System.Net.Sockets.SocketException)
        {
            // It was cut before.
        }

        int messages = 0;
        byte[] rest = [];
        var boundaries = new WireBoundaries();
        while (true)
        {
            byte[] buffer = new byte[4096];
            int count;
            try
            {
                count = await client.ReceiveAsync(buffer.AsMemory(), System.Net.Sockets.SocketFlags.None).AsTask().Within(20.Seconds());
            }
            catch (System.Net.Sockets.SocketException)
            {
                count = 0;
            }

            if (count == 0)
            {
                Assert.Empty(rest);
                return messages;
            }

            for (rest = buffer[..count]; rest.Length > 0;)
            {
                int taken = boundaries.Advance(Direction.ToClient, rest, out bool isEnd);
                messages += isEnd ? 1 : 0;
                Assert.True(isEnd || taken == rest.Length);
                rest = isEnd || taken < rest.Length ? rest[taken..] : [];
            }
        }
    }
}
