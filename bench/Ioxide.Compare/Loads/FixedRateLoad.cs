using System.Diagnostics;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.Compare.Loads;

/// <summary>Sends requests at a rate, whatever the server does.</summary>
/// <param name="question">Answered with a <c>Content-Length</c> and always in the same length. A body that it has is ASCII.</param>
/// <param name="rate">Requests a second over all connections.</param>
/// <remarks>
/// A request is due at its place in the schedule and its latency is counted from then: a server that stalls is charged for every
/// request that was due meanwhile (coordinated omission). One thread looks at all connections without sleeping.
/// </remarks>
internal sealed class FixedRateLoad(Question question, double rate) : ILoad
{
    /// <summary>A request that waited so much longer for this thread than for a free connection was not sent at its time.</summary>
    private const double MaxOwnDelayP99Us = 1000;

    private const int SleepMs = 1;
    private const int AnswerTimeoutMs = 10_000;

    public Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
        => Task.Factory.StartNew(
            () => Run(target, duration, cancellation), cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private LoadResult Run(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
    {
        byte[] request = Encoding.ASCII.GetBytes(question.Body is { } body
            ? $"POST {question.Path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\nContent-Length: {body.Length}\r\n\r\n{body}"
            : $"GET {question.Path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        var connections = new List<Connection>(target.ConnectionCount);
        try
        {
            while (connections.Count < target.ConnectionCount)
            {
                cancellation.ThrowIfCancellationRequested();
                connections.Add(new Connection(Wire.Connect(target.Ports, target.Endpoint), request));
                connections[^1].Prepare(question);
            }

            using var poll = new PollSet([.. connections.Select(static connection => connection.Wire.Socket)]);
            target.OnConnected();
            return Send(connections, poll, duration, cancellation);
        }
        finally
        {
            connections.ForEach(static connection => connection.Wire.Dispose());
        }
    }

    private LoadResult Send(List<Connection> connections, PollSet poll, TimeSpan duration, CancellationToken cancellation)
    {
        var latencies = new LatencyHistogram();
        var ownDelays = new LatencyHistogram();
        var free = new Queue<int>(Enumerable.Range(0, connections.Count));
        long requestCount = Math.Max(1, (long)(duration.TotalSeconds * rate));
        double interval = Stopwatch.Frequency / rate;
        long started = Stopwatch.GetTimestamp();
        long freeSince = started;
        long sent = 0;
        while (latencies.Count < requestCount)
        {
            cancellation.ThrowIfCancellationRequested();
            long now = Stopwatch.GetTimestamp();
            long due = started + (long)(sent * interval);
            while (sent < requestCount && due <= now && free.TryDequeue(out int index))
            {
                ownDelays.Add(Stopwatch.GetElapsedTime(Math.Max(due, freeSince), now));
                connections[index].Send(due);
                due = started + (long)(++sent * interval);
            }

            bool canSend = sent < requestCount && free.Count > 0;
            int timeoutMs = !canSend ? AnswerTimeoutMs : Stopwatch.GetElapsedTime(now, due).TotalMilliseconds > 2 * SleepMs ? SleepMs : 0;
            if (poll.Wait(timeoutMs) == 0)
            {
                if (timeoutMs == AnswerTimeoutMs)
                {
                    throw new RefusedException($"no answer within {AnswerTimeoutMs / 1000} s");
                }

                continue;
            }

            bool wasEmpty = free.Count == 0;
            foreach (int index in poll.Ready)
            {
                if (connections[index].TryReceive(out long dueAt))
                {
                    latencies.Add(Stopwatch.GetElapsedTime(dueAt));
                    free.Enqueue(index);
                }
            }

            freeSince = wasEmpty ? Stopwatch.GetTimestamp() : freeSince;
        }

        double ownDelayUs = ownDelays.PercentileUs(0.99);
        double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        return ownDelayUs <= MaxOwnDelayP99Us
            ? new LoadResult(latencies.Count, seconds, 0).With(latencies)
            : throw new LateLoadException($"the load was the limit: one request in a hundred left {ownDelayUs:N0} us late");
    }

    private sealed class Connection(Wire wire, byte[] request)
    {
        private byte[] _expected = [];
        private byte[] _reply = [];
        private int _receivedBytes;
        private long _dueAt;

        internal Wire Wire => wire;

        /// <summary>Learns from a first answer how long one is.</summary>
        internal void Prepare(Question question)
        {
            wire.Stream.Write(request);
            string reply = new ReplyReader(wire.Stream).Read();
            string body = reply[(reply.IndexOf("\r\n\r\n", StringComparison.Ordinal) + 4)..];
            if (!question.IsRight(body))
            {
                throw new RefusedException($"{question.Path} answered: {reply}");
            }

            _expected = Encoding.ASCII.GetBytes(body);
            _reply = new byte[reply.Length];
            _receivedBytes = _reply.Length;
        }

        internal void Send(long dueAt)
        {
            _dueAt = dueAt;
            _receivedBytes = 0;
            wire.Send(request);
        }

        /// <returns>True when the answer is whole.</returns>
        internal bool TryReceive(out long dueAt)
        {
            dueAt = _dueAt;
            int takenBytes = wire.Take(_reply.AsSpan(_receivedBytes));
            _receivedBytes += takenBytes;
            if (takenBytes == 0 || _receivedBytes < _reply.Length)
            {
                return false;
            }

            return _reply.AsSpan().StartsWith("HTTP/1.1 200 "u8) && _reply.AsSpan().EndsWith(_expected)
                ? true
                : throw new RefusedException($"the server answered: {Encoding.ASCII.GetString(_reply)}");
        }
    }
}
