using System.Diagnostics.Metrics;

namespace Ioxide;

/// <summary>The instruments of meter <c>Ioxide</c>, all observable: they read the reactors' own counters.</summary>
/// <remarks>The hot path pays a plain add. Each measurement has the attribute <c>ioxide.reactor.id</c>. See docs/metrics.md.</remarks>
public sealed class IoxideMetrics : IDisposable
{
    /// <summary>The meter's name.</summary>
    public const string MeterName = "Ioxide";

    private const string ReactorId = "ioxide.reactor.id";
    private const string KernelName = "ioxide.kernel";
    private const string BufferState = "ioxide.buffer.state";

    private readonly Meter _meter;
    private readonly ReactorGroup _group;

    private IoxideMetrics(ReactorGroup group, Meter meter)
    {
        _group = group;
        _meter = meter;
        Count("ioxide.ring.submissions", "{entry}", "Submission queue entries taken by the kernel.", s => s.Submissions);
        Count("ioxide.ring.completions", "{entry}", "Completion queue entries handled.", s => s.Completions);
        Count("ioxide.ring.enters", "{call}", "Calls of io_uring_enter.", s => s.Enters);
        Count("ioxide.ring.overflows", "{overflow}", "Turns on which the completion queue had overflowed.", s => s.CompletionOverflows);
        Count("ioxide.ring.rearms", "{operation}", "Multishot operations that were armed again.", s => s.Rearms);
        Count("ioxide.buffer_ring.exhaustions", "{receive}", "Receives that ended for want of a buffer.", s => s.BufferExhaustions);
        Count("ioxide.buffer_ring.copied", "By", "Bytes copied out of receive buffers for slow readers.", s => s.BytesCopied);
        Count("ioxide.reactor.accepts", "{connection}", "Connections accepted.", s => s.Accepted);
        Count("ioxide.reactor.accept_pauses", "{pause}", "Times that accepting paused for want of descriptors or memory.", s => s.AcceptPauses);
        Count(
            "ioxide.reactor.linger_drops", "{connection}", "Closed connections whose wait for the peer's end was cut short to make room.",
            s => s.LingersDropped);
        Count(
            "ioxide.reactor.send_pauses", "{pause}", "Times that a connection waited before it sent again, because the kernel had no memory.",
            s => s.SendPauses);
        Count("ioxide.reactor.stalls", "{stall}", "Times that the reactor did not turn for the stall threshold.", s => s.Stalls);
        Count("ioxide.reactor.rescues", "{connection}", "Connections that other reactors took while the reactor was stuck.", s => s.Rescued);
        Count("ioxide.reactor.blocked_waits", "{wait}", "Waits of application code that blocked the reactor's thread.", s => s.BlockedWaits);
        Count("ioxide.reactor.received", "By", "Bytes received.", s => s.BytesReceived);
        Count("ioxide.reactor.sent", "By", "Bytes sent.", s => s.BytesSent);
        CountSeconds("ioxide.reactor.busy_time", "Time spent outside the wait for completions.", s => s.BusyTime);
        CountSeconds(
            "ioxide.reactor.processor_wait_time", "Time that the reactor's thread was ready to run and had no processor.",
            s => s.TotalProcessorWait);
        Level("ioxide.reactor.connection.count", "{connection}", "Open connections.", s => s.Connections);
        Level(
            "ioxide.reactor.lingering.count", "{connection}", "Open connections that are over for the application and wait for the peer's end.",
            s => s.LingeringConnections);
        Level("ioxide.reactor.queue.length", "{item}", "Posted work that waits.", s => s.QueuedWork);
        Level("ioxide.reactor.operation.count", "{operation}", "Operations in flight.", s => s.OperationsInFlight);
        Level("ioxide.reactor.pool.size", "By", "Memory kept for receive buffers and for blocks to send.", s => s.PooledBytes);
        _meter.CreateObservableUpDownCounter(
            "ioxide.reactor.count", ReadKernels, "{reactor}", "Reactors, by what they run on: io_uring or epoll.");
        _meter.CreateObservableUpDownCounter(
            "ioxide.buffer_ring.buffer.count", ReadBuffers, "{buffer}", "Receive buffers, by whether the application holds them.");
    }

    /// <summary>Creates the instruments of a group. Dispose the result to remove them.</summary>
    /// <param name="group">A running group.</param>
    /// <param name="factory">The host's factory, or null to create a separate meter.</param>
    public static IoxideMetrics Attach(ReactorGroup group, IMeterFactory? factory = null)
    {
        ArgumentNullException.ThrowIfNull(group);
        var options = new MeterOptions(MeterName);
        return new IoxideMetrics(group, factory?.Create(options) ?? new Meter(options));
    }

    /// <inheritdoc/>
    public void Dispose() => _meter.Dispose();

    // Neither is generic over the value: such code is compiled at start even in packages that are compiled ahead.
    private void Count(string name, string unit, string description, Func<ReactorSnapshot, long> read)
        => _meter.CreateObservableCounter(name, () => Read(read), unit, description);

    private void CountSeconds(string name, string description, Func<ReactorSnapshot, TimeSpan> read)
        => _meter.CreateObservableCounter(name, () => Read(snapshot => read(snapshot).TotalSeconds), "s", description);

    private void Level(string name, string unit, string description, Func<ReactorSnapshot, long> read)
        => _meter.CreateObservableUpDownCounter(name, () => Read(read), unit, description);

    private IEnumerable<Measurement<T>> Read<T>(Func<ReactorSnapshot, T> read)
        where T : struct
        => _group.Reactors.Select(reactor => new Measurement<T>(
            read(reactor.Snapshot()), new KeyValuePair<string, object?>(ReactorId, reactor.Id)));

    private IEnumerable<Measurement<long>> ReadKernels()
        => _group.Reactors.Select(reactor => new Measurement<long>(
            1, new KeyValuePair<string, object?>(ReactorId, reactor.Id), new KeyValuePair<string, object?>(KernelName, _group.Kernel.Name)));

    private IEnumerable<Measurement<long>> ReadBuffers()
    {
        foreach (Reactor reactor in _group.Reactors)
        {
            ReactorSnapshot snapshot = reactor.Snapshot();
            var id = new KeyValuePair<string, object?>(ReactorId, reactor.Id);
            yield return new Measurement<long>(
                snapshot.BuffersTaken, id, new KeyValuePair<string, object?>(BufferState, "taken"));
            yield return new Measurement<long>(
                snapshot.BufferCount - snapshot.BuffersTaken, id, new KeyValuePair<string, object?>(BufferState, "lent"));
        }
    }
}
