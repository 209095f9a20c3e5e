using System.Buffers;
using System.Net.Security;
using System.Security.Authentication;
using Ioxide.Tls;

namespace Ioxide.Handshakes;

/// <summary>How long each call of OpenSSL's handshake holds its thread, and what a handshake keeps that waits for its client.</summary>
internal static unsafe class StepTimes
{
    private const int Rounds = 300;
    private const int Waiting = 1000;

    internal static void Run()
    {
        Console.WriteLine("ms of the thread's processor time: p50, p99, most");
        Console.WriteLine("key      version   answer to the hello     last step               KiB of a handshake that waits");
        foreach (string key in BenchCertificates.Keys)
        {
            foreach (SslProtocols version in (SslProtocols[])[SslProtocols.Tls12, SslProtocols.Tls13])
            {
                Measure(key, version);
            }
        }
    }

    private static void Measure(string key, SslProtocols version)
    {
        var options = new SslServerAuthenticationOptions { ServerCertificate = BenchCertificates.Make(key) };
        TlsContext context = new ServerContexts(new TlsServerOptions()).Find(options, options, "");
        TlsContext clientContext = TlsContext.ForClient(new TlsClientOptions { HostName = "localhost", Protocols = version });
        LibSsl.SetVerify(clientContext.Pointer, mode: 0, null);
        using var tickets = new TicketKeys(TimeSpan.FromHours(1), TimeProvider.System);
        var serverSettings = new HandshakeSettings { IsServer = true, Protocols = [], Tickets = tickets };
        var clientSettings = new HandshakeSettings { IsServer = false, Protocols = [], HostName = "localhost" };
        double[] first = new double[Rounds];
        double[] last = new double[Rounds];
        for (int round = -20; round < Rounds; round++)
        {
            using var client = new TlsBufferSession(clientSettings, clientContext);
            using var server = new TlsBufferSession(serverSettings, context);
            _ = client.Handshake([], [], out _);
            double longest = Feed(server, HelloBytes.Take(client));
            _ = Feed(client, HelloBytes.Take(server));
            double after = Feed(server, HelloBytes.Take(client));
            if (round >= 0)
            {
                first[round] = longest;
                last[round] = after;
            }
        }

        Console.WriteLine($"{key,-8} {version}     {Spread(first)}    {Spread(last)}    {KeptKib(serverSettings, clientSettings, context, clientContext):F0}");
    }

    private static double KeptKib(HandshakeSettings serverSettings, HandshakeSettings clientSettings, TlsContext context, TlsContext clientContext)
    {
        var waiting = new List<TlsBufferSession>(Waiting);
        long before = NativeFigures.AllocatedBytes();
        using var client = new TlsBufferSession(clientSettings, clientContext);
        _ = client.Handshake([], [], out _);
        byte[] hello = HelloBytes.Take(client);
        for (int index = 0; index < Waiting; index++)
        {
            var server = new TlsBufferSession(serverSettings, context);
            waiting.Add(server);
            _ = Feed(server, hello);
            _ = HelloBytes.Take(server);
        }

        double kept = (NativeFigures.AllocatedBytes() - before) / 1024.0 / Waiting;
        waiting.ForEach(static server => server.Dispose());
        return kept;
    }

    private static double Feed(TlsBufferSession session, byte[] bytes)
    {
        var rest = new ReadOnlySequence<byte>(bytes);
        double milliseconds = 0;
        while (RecordHeader.IsWhole(rest, RecordHeader.MaxExpansion12, out RecordHeader header))
        {
            ReadOnlySequence<byte> record = rest.Slice(0, RecordHeader.SizeInBytes + header.LengthBytes);
            double before = NativeFigures.ThreadCpuMilliseconds();
            _ = session.Handshake(record.FirstSpan, [], out _);
            milliseconds = Math.Max(milliseconds, NativeFigures.ThreadCpuMilliseconds() - before);
            rest = rest.Slice(record.End);
        }

        return milliseconds;
    }

    private static string Spread(double[] milliseconds)
    {
        Array.Sort(milliseconds);
        return $"{milliseconds[Rounds / 2],6:F3} {milliseconds[Rounds * 99 / 100],6:F3} {milliseconds[^1],6:F3}";
    }
}
