using System.Diagnostics;
using System.Net.Sockets;

namespace Ioxide.Compare.Loads;

/// <summary>Listens to server-sent events on all connections, and publishes on one more.</summary>
/// <remarks>An event that one connection has received is one request; its latency is counted from when it was published.</remarks>
internal sealed class EventLoad : ILoad
{
    /// <summary>So many events are published before the slowest listener has the first of them.</summary>
    private const int Window = 4;

    private const int TimeoutMs = 10_000;

    private static readonly TimeSpan s_subscribeTimeout = TimeSpan.FromSeconds(10);

    public Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
        => Task.Factory.StartNew(
            () => Run(target, duration, cancellation), cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private static LoadResult Run(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
    {
        using Socket publisherSocket = LoopbackSocket.Connect(target.Ports.Http);
        var publisher = new EventPublisher(publisherSocket, target.ConnectionCount);
        var listeners = new List<EventListenerClient>(target.ConnectionCount);
        try
        {
            while (listeners.Count < target.ConnectionCount)
            {
                listeners.Add(new EventListenerClient(LoopbackSocket.Connect(target.Ports.Http)));
            }

            // What is published before all listen reaches only some of them, who skip it.
            long started = Stopwatch.GetTimestamp();
            while (publisher.PublishAndCount() != listeners.Count)
            {
                if (Stopwatch.GetElapsedTime(started) > s_subscribeTimeout)
                {
                    throw new RefusedException("not all listeners are there");
                }
            }

            listeners.ForEach(listener => listener.SkipTo(publisher.LastId));
            using var poll = new PollSet([.. listeners.Select(static listener => listener.Socket), publisherSocket]);
            return Publish(publisher, listeners, poll, duration, cancellation);
        }
        finally
        {
            listeners.ForEach(static listener => listener.Socket.Dispose());
        }
    }

    private static LoadResult Publish(
        EventPublisher publisher, List<EventListenerClient> listeners, PollSet poll, TimeSpan duration, CancellationToken cancellation)
    {
        var latencies = new LatencyHistogram();
        long[] publishedAt = new long[Window];
        long started = Stopwatch.GetTimestamp();
        int slowest = publisher.LastId;
        while (true)
        {
            cancellation.ThrowIfCancellationRequested();
            bool isOver = Stopwatch.GetElapsedTime(started) >= duration;
            if (isOver && slowest == publisher.LastId && !publisher.IsWaiting)
            {
                return new LoadResult(latencies.Count, Stopwatch.GetElapsedTime(started).TotalSeconds, 0).With(latencies);
            }

            if (!isOver && !publisher.IsWaiting && publisher.LastId - slowest < Window)
            {
                publishedAt[(publisher.LastId + 1) % Window] = Stopwatch.GetTimestamp();
                publisher.Publish();
            }

            if (poll.Wait(TimeoutMs) == 0)
            {
                throw new RefusedException($"no event within {TimeoutMs / 1000} s");
            }

            if (poll.IsReady(listeners.Count))
            {
                publisher.Receive();
            }

            slowest = int.MaxValue;
            for (int index = 0; index < listeners.Count; index++)
            {
                EventListenerClient listener = listeners[index];
                int before = listener.LastId;
                if (poll.IsReady(index))
                {
                    listener.Receive();
                }

                for (int id = before + 1; id <= listener.LastId; id++)
                {
                    latencies.Add(Stopwatch.GetElapsedTime(publishedAt[id % Window]));
                }

                slowest = Math.Min(slowest, listener.LastId);
            }
        }
    }
}
