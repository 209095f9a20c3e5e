using System.Diagnostics;
using System.Text;

namespace Ioxide.Compare.Loads;

/// <summary>Sends large bodies, one after the other on each connection, a thread a connection.</summary>
internal sealed class UploadLoad : ILoad
{
    private const int BodyLengthBytes = 20_000_000;

    private static readonly byte[] s_head = Encoding.ASCII.GetBytes(
        $"POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: {BodyLengthBytes}\r\n\r\n");

    private static readonly byte[] s_body = new byte[BodyLengthBytes];

    public async Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
    {
        long started = Stopwatch.GetTimestamp();
        Task<LatencyHistogram>[] connections =
        [
            .. Enumerable.Range(0, target.ConnectionCount).Select(_ => Task.Factory.StartNew(
                () => Upload(target, started, duration, cancellation),
                cancellation,
                TaskCreationOptions.LongRunning,
                TaskScheduler.Default)),
        ];
        var latencies = new LatencyHistogram();
        foreach (LatencyHistogram connection in await Task.WhenAll(connections))
        {
            latencies.Add(connection);
        }

        double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        return new LoadResult(latencies.Count, seconds, latencies.Count * BodyLengthBytes).With(latencies);
    }

    private static LatencyHistogram Upload(LoadTarget target, long started, TimeSpan duration, CancellationToken cancellation)
    {
        using Stream connection = LoopbackStream.Connect(target.Ports, target.Endpoint);
        var replies = new ReplyReader(connection);
        var latencies = new LatencyHistogram();

        // The last body is sent to its end: a cut one would be neither counted nor free for the server.
        while (Stopwatch.GetElapsedTime(started) < duration)
        {
            cancellation.ThrowIfCancellationRequested();
            long sentAt = Stopwatch.GetTimestamp();
            connection.Write(s_head);
            connection.Write(s_body);
            string reply = replies.Read();
            if (!reply.Contains($"{BodyLengthBytes}", StringComparison.Ordinal))
            {
                throw new RefusedException($"The server counted another length: {reply}");
            }

            latencies.Add(Stopwatch.GetElapsedTime(sentAt));
        }

        return latencies;
    }
}
