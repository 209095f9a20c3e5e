using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Ioxide.Compare;
using Ioxide.Compare.Loads;
using Ioxide.Compare.Servers;

namespace Ioxide.Bench.Tests;

/// <summary>Connections of a load that one thread serves, over real sockets: a server echoes pieces of its own choice, and every byte comes back.</summary>
public class WireTests
{
    private const int EchoedBytes = 40_000;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task OneThreadTakesAllBytesOfSeveralConnections(bool isTls)
    {
        const int wireCount = 3;
        using X509Certificate2 certificate = LoadHost.LoadCertificate.Create();
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Task serving = Task.WhenAll(Enumerable.Range(0, wireCount).Select(_ => EchoOnceAsync(listener, isTls ? certificate : null)));
        int port = ((IPEndPoint)listener.LocalEndpoint).Port;
        byte[] sent = RandomNumberGenerator.GetBytes(EchoedBytes);

        List<byte[]> taken = await Task.Run(() => Exchange(port, isTls, wireCount, sent));

        Assert.Equal(wireCount, taken.Count);
        Assert.All(taken, bytes => Assert.Equal(sent, bytes));
        await serving;
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AConnectionThatEndsIsRefused(bool isTls)
    {
        using X509Certificate2 certificate = LoadHost.LoadCertificate.Create();
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        int port = ((IPEndPoint)listener.LocalEndpoint).Port;
        Task serving = Task.Run(async () =>
        {
            using Stream stream = await AcceptAsync(listener, isTls ? certificate : null);
            await stream.ReadExactlyAsync(new byte[1], TestContext.Current.CancellationToken);
        }, TestContext.Current.CancellationToken);

        await Task.Run(() => Assert.Throws<RefusedException>(() => TakeNothingUntilTheEnd(port, isTls)));
        await serving;
    }

    private static void TakeNothingUntilTheEnd(int port, bool isTls)
    {
        using Wire wire = Connect(port, isTls);
        wire.Send([1]);
        using var poll = new PollSet([wire.Socket]);
        while (true)
        {
            // Tickets of the handshake may come first: they are no bytes of the application.
            Assert.Equal(0, poll.Wait(-1) > 0 ? wire.Take(new byte[16]) : 0);
        }
    }

    private static List<byte[]> Exchange(int port, bool isTls, int wireCount, byte[] sent)
    {
        Wire[] wires = [.. Enumerable.Range(0, wireCount).Select(_ => Connect(port, isTls))];
        try
        {
            byte[][] taken = [.. wires.Select(_ => new byte[sent.Length])];
            int[] takenBytes = new int[wireCount];
            using var poll = new PollSet([.. wires.Select(static wire => wire.Socket)]);
            foreach (Wire wire in wires)
            {
                wire.Send(sent);
            }

            while (takenBytes.Any(bytes => bytes < sent.Length))
            {
                poll.Wait(-1);
                foreach (int index in poll.Ready)
                {
                    Assert.True(poll.IsReady(index));
                    takenBytes[index] += wires[index].Take(taken[index].AsSpan(takenBytes[index]));
                }
            }

            return [.. taken];
        }
        finally
        {
            Array.ForEach(wires, static wire => wire.Dispose());
        }
    }

    private static Wire Connect(int port, bool isTls)
        => isTls ? Wire.Connect(new ServerPorts(port - 1), WorkloadEndpoint.Https) : Wire.Connect(new ServerPorts(port), WorkloadEndpoint.Http);

    /// <summary>Reads all before it answers, so that neither side's buffers can fill up.</summary>
    private static async Task EchoOnceAsync(TcpListener listener, X509Certificate2? certificate)
    {
        using Stream stream = await AcceptAsync(listener, certificate);
        byte[] bytes = new byte[EchoedBytes];
        await stream.ReadExactlyAsync(bytes);

        // Uneven pieces: records end anywhere.
        for (int start = 0; start < bytes.Length; start += 7_001)
        {
            await stream.WriteAsync(bytes.AsMemory(start, Math.Min(7_001, bytes.Length - start)));
        }

        // The client closes first: a reset must not overtake the last piece. A client without close_notify ends it with an error.
        try
        {
            _ = await stream.ReadAsync(new byte[1]);
        }
        catch (IOException)
        {
            return;
        }
    }

    private static async Task<Stream> AcceptAsync(TcpListener listener, X509Certificate2? certificate)
    {
        var stream = new NetworkStream(await listener.AcceptSocketAsync(), ownsSocket: true);
        if (certificate is null)
        {
            return stream;
        }

        var secured = new SslStream(stream);
        await secured.AuthenticateAsServerAsync(certificate, clientCertificateRequired: false, SslProtocols.Tls12 | SslProtocols.Tls13, checkCertificateRevocation: false);
        return secured;
    }
}
