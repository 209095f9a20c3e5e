using System.Diagnostics;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;

namespace Ioxide.Handshakes;

/// <summary>Full handshakes, one after the other, each on a connection of its own; the time from connecting to the end of the handshake.</summary>
internal sealed class HonestClient(EndPoint server)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(20);

    private readonly List<double> _milliseconds = [];
    private int _failed;

    internal async Task RunAsync(Func<bool> isOver)
    {
        while (!isOver())
        {
            long started = Stopwatch.GetTimestamp();
            using var limit = new CancellationTokenSource(s_patience);
            try
            {
                using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
                await socket.ConnectAsync(server, limit.Token);
                await using var stream = new SslStream(new NetworkStream(socket), leaveInnerStreamOpen: false);
                var options = new SslClientAuthenticationOptions
                {
                    TargetHost = "localhost",
                    AllowTlsResume = false,
                    RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate is not null,
                };
                await stream.AuthenticateAsClientAsync(options, limit.Token);
                _milliseconds.Add(Stopwatch.GetElapsedTime(started).TotalMilliseconds);
            }
            catch (Exception exception) when (exception is IOException or SocketException or OperationCanceledException)
            {
                _failed++;
            }

            await Task.Delay(s_pause);
        }
    }

    public override string ToString()
    {
        double[] sorted = [.. _milliseconds.Order()];
        return sorted.Length == 0
            ? $"no handshake was done, {_failed} failed"
            : $"{sorted.Length,5} done, {_failed} failed, p50 {At(sorted, 50),8:F2} ms, p99 {At(sorted, 99),8:F2} ms, most {sorted[^1],8:F2} ms";
    }

    private static double At(double[] sorted, int percent) => sorted[(sorted.Length - 1) * percent / 100];
}
