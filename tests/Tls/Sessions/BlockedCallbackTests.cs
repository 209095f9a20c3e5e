using System.IO.Pipelines;
using System.Net;
using System.Net.Security;

namespace Ioxide.Tls.Tests;

/// <summary>
/// A certificate selector that waits blocks its reactor inside OpenSSL's handshake. Other sessions and handshakes of that reactor go on
/// meanwhile, on the same thread and beside it, and none disturbs another's state or error queue.
/// </summary>
public class BlockedCallbackTests() : ReactorTests(OneReactor)
{
    [Fact]
    public async Task ASelectorThatWaitsHoldsUpItsOwnHandshakeOnly()
    {
        using var release = new ManualResetEventSlim();
        using TlsServer server = TlsEcho.Options(options => options.CertificateSelector = (_, name) =>
        {
            if (name == "slow.test")
            {
                release.Wait(120.Seconds());
            }

            return null;
        }).CreateServer();
        RingListener listener = await Fixture.ListenAsync(connection => EchoAsync(server, connection));
        await using SslClient before = await SslClient.ConnectAsync(listener.EndPoint);
        Assert.Equal(Payload.Of(3000), await before.EchoAsync(Payload.Of(3000)));

        Task<SslClient> slow = SslClient.ConnectAsync(listener.EndPoint, AnyName("slow.test"));
        await Waits.Eventually(() => Fixture[0].IsBlocked, Patience.Limit, "the selector blocks");
        for (int round = 0; round < 5; round++)
        {
            byte[] bytes = Payload.Of(1000 + (round * 40_000));
            Assert.Equal(bytes, await before.EchoAsync(bytes));
            await using SslClient other = await SslClient.ConnectAsync(listener.EndPoint);
            Assert.Equal(bytes, await other.EchoAsync(bytes));

            // What fails leaves nothing in the queue of the handshake that waits.
            await BreakAsync(listener.EndPoint);
        }

        Assert.True(Fixture[0].IsBlocked);
        Assert.False(slow.IsCompleted);
        release.Set();
        await using SslClient late = await slow.Within(Patience.Limit);
        Assert.Equal(Payload.Of(5000), await late.EchoAsync(Payload.Of(5000)));
        Assert.True(Fixture[0].Blocked.Count >= 1);
    }

    [Fact]
    public async Task ManySelectorsThatWaitAreAllServed()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        using TlsServer server = TlsEcho.Options(options => options.CertificateSelector = static (_, _) =>
        {
            // A wait that spins first may be over before it blocks, on a busy machine.
            using ManualResetEvent never = new(false);
            never.WaitOne(3);
            return TestCertificates.Ecdsa;
        }).CreateServer();
        RingListener listener = await fixture.ListenAsync(connection => EchoAsync(server, connection));
        await Task.WhenAll(Enumerable.Range(0, 40).Select(async index =>
        {
            await using SslClient client = await SslClient.ConnectAsync(listener.EndPoint);
            byte[] bytes = Payload.Of(100 + (index * 700));
            Assert.Equal(bytes, await client.EchoAsync(bytes));
        })).Within(Patience.Limit);

        Assert.True(fixture[0].Blocked.Count + fixture[1].Blocked.Count >= 1);
    }

    [Fact]
    public async Task ASessionIsReadAndWrittenWhileAHandlerBlocks()
    {
        using TlsServer server = TlsEcho.Options().CreateServer();
        RingListener listener = await Fixture.ListenAsync(async connection =>
        {
            await using TlsSession session = await server.AuthenticateAsync(connection);
            while (true)
            {
                // Synchronous: the very session's reads and flushes are what the handler blocks for.
                ReadResult read = session.Input.ReadAsync().AsTask().Result;
                foreach (ReadOnlyMemory<byte> piece in read.Buffer)
                {
                    session.Output.WriteAsync(piece).AsTask().Wait();
                }

                session.Input.AdvanceTo(read.Buffer.End);
                if (read.IsCompleted)
                {
                    return;
                }
            }
        });
        await Task.WhenAll(Enumerable.Range(0, 4).Select(async index =>
        {
            await using SslClient client = await SslClient.ConnectAsync(listener.EndPoint);
            byte[] bytes = Payload.Of(1_500_000 + index);
            Assert.Equal(bytes, await client.EchoAsync(bytes));
            await client.FinishAsync();
        })).Within(Patience.Limit);

        Assert.True(Fixture[0].Blocked.Count >= 1);
    }

    private static async Task BreakAsync(EndPoint endPoint)
    {
        using System.Net.Sockets.Socket socket = await RawSocket.ConnectAsync(endPoint);

        // A record of a handshake that is none.
        await socket.SendAsync((byte[])[22, 3, 1, 0, 4, 1, 0, 0, 0]);
        byte[] rest = new byte[256];
        while (await socket.ReceiveAsync(rest).Within(Patience.Limit, "the server closes") > 0)
        {
        }
    }

    private static async Task EchoAsync(TlsServer server, RingConnection connection)
    {
        try
        {
            await using TlsSession session = await server.AuthenticateAsync(connection);
            while (true)
            {
                ReadResult read = await session.Input.ReadAsync();
                foreach (ReadOnlyMemory<byte> piece in read.Buffer)
                {
                    await session.Output.WriteAsync(piece);
                }

                session.Input.AdvanceTo(read.Buffer.End);
                if (read.IsCompleted)
                {
                    return;
                }
            }
        }
        catch (TlsException)
        {
            // The client that sends nonsense.
        }
    }

    private static SslClientAuthenticationOptions AnyName(string name) => SslClient.Options(options =>
    {
        options.TargetHost = name;
        options.CertificateChainPolicy = null;
        options.RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate is not null;
    });
}
