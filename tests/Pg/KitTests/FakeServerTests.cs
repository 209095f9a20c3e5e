namespace Ioxide.Pg.Tests;

/// <summary>The scripted server keeps to its script and to its delivery, and says where a client did not.</summary>
public class FakeServerTests
{
    private static readonly byte[] s_answer =
        [.. BackendMessages.RowDescription(("a", BackendMessages.Text, 0)), .. BackendMessages.TextRow("x"), .. BackendMessages.CommandComplete("SELECT 1")];

    private static Script Answering => Script.Welcome().Expect("Q").Send(s_answer, BackendMessages.ReadyForQuery());

    [Theory, Each(0, 1, 5)]
    public async Task AnswersAsTheScriptSays(int sliceBytes)
    {
        await using FakeServer server = FakeServer.Start(Answering, Delivery.Slices(sliceBytes));
        using (RawSession session = await RawSession.ConnectAsync(server.EndPoint))
        {
            Assert.Equal("TDCZ", string.Concat((await session.AskAsync(FrontendMessages.Query("q"))).Select(message => message.Type)));
        }

        await server.AssertScriptsEndedAsync();
        Assert.Equal("Q(q )", server.Sessions[0].Received[^1].ToString());
    }

    [Fact]
    public async Task ACutLeavesExactlySoManyBytesAtEveryByte()
    {
        byte[] all = [.. BackendMessages.Welcome().SelectMany(message => message)];
        for (int cut = 0; cut <= all.Length; cut++)
        {
            // A reset before anything was sent can already fail the connect.
            foreach (bool isReset in cut == 0 ? [false] : (bool[])[false, true])
            {
                await using FakeServer server = FakeServer.Start(Script.Welcome(), Delivery.Cut(cut, isReset));
                using System.Net.Sockets.Socket client = await RawSocket.ConnectAsync(server.EndPoint);
                if (cut > 0)
                {
                    await client.SendAllAsync(FrontendMessages.Startup("u", "d"));
                }

                Assert.Equal(all[..cut], await client.ReceiveExactlyAsync(cut));
                Task<byte[]> end = client.ReceiveToEndAsync();
                if (isReset)
                {
                    await Assert.ThrowsAsync<System.Net.Sockets.SocketException>(() => end);
                }
                else
                {
                    Assert.Empty(await end);
                }
            }
        }
    }

    [Fact]
    public async Task TellsWhatAClientDidInstead()
    {
        await using FakeServer server = FakeServer.Start(Answering);
        using RawSession session = await RawSession.ConnectAsync(server.EndPoint);
        await session.SendAsync(FrontendMessages.Sync());
        AggregateException failure = await Assert.ThrowsAsync<AggregateException>(() => server.AssertScriptsEndedAsync());
        Assert.Contains("expects Q of Q; the client sent S()", failure.InnerException!.Message, StringComparison.Ordinal);
    }
}
