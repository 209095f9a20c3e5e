using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>Every instrument is there, says of which reactor it speaks, and has the value of what happened.</summary>
public class MetricsTests : ReactorTests
{
    private static readonly string[] s_counters =
    [
        "ioxide.buffer_ring.copied", "ioxide.buffer_ring.exhaustions", "ioxide.reactor.accept_pauses", "ioxide.reactor.accepts",
        "ioxide.reactor.blocked_waits", "ioxide.reactor.busy_time", "ioxide.reactor.linger_drops", "ioxide.reactor.received",
        "ioxide.reactor.rescues", "ioxide.reactor.send_pauses",
        "ioxide.reactor.sent", "ioxide.reactor.stalls",
        "ioxide.reactor.processor_wait_time", "ioxide.ring.completions", "ioxide.ring.enters", "ioxide.ring.overflows", "ioxide.ring.rearms", "ioxide.ring.submissions",
    ];

    private static readonly string[] s_levels =
    [
        "ioxide.buffer_ring.buffer.count", "ioxide.reactor.connection.count", "ioxide.reactor.count", "ioxide.reactor.lingering.count", "ioxide.reactor.operation.count",
        "ioxide.reactor.pool.size", "ioxide.reactor.queue.length",
    ];

    [Fact]
    public async Task EveryInstrumentIsMeasuredForEveryReactor()
    {
        using IoxideMetrics metrics = IoxideMetrics.Attach(Fixture.Group);
        using var reading = new Reading();

        Assert.Equal(s_counters.Concat(s_levels).Order(), reading.Instruments.Keys.Order());
        Assert.All(s_counters, name => Assert.True(reading.Instruments[name] is ObservableCounter<long> or ObservableCounter<double>, name));
        Assert.All(s_levels, name => Assert.IsType<ObservableUpDownCounter<long>>(reading.Instruments[name]));
        Assert.All(reading.Instruments.Values, instrument => Assert.False(string.IsNullOrEmpty(instrument.Unit), instrument.Name));
        Assert.All(reading.Instruments.Values, instrument => Assert.False(string.IsNullOrEmpty(instrument.Description), instrument.Name));
        reading.Take();
        foreach (string name in reading.Instruments.Keys)
        {
            Assert.Equal([0, 1], reading.Measurements.Where(one => one.Name == name).Select(one => one.ReactorId).Distinct().Order());
        }
    }

    [Fact]
    public async Task AnEchoIsCountedWhereItHappened()
    {
        const int Bytes = 12_345;
        using IoxideMetrics metrics = IoxideMetrics.Attach(Fixture.Group);
        using var reading = new Reading();
        TaskCompletionSource<int> where = Waits.Signal<int>();
        await using RingListener listener = await Fixture.ListenAsync(connection =>
        {
            where.SetResult(connection.Reactor.Id);
            return EchoHandler.RunAsync(connection);
        });
        Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        await client.SendAllAsync(new byte[Bytes]);
        await client.ReceiveExactlyAsync(Bytes);
        int busy = await where.Task.Within(20.Seconds());
        int idle = 1 - busy;
        await Fixture[busy].RunAsync(() => { }).Within(20.Seconds());

        reading.Take();
        foreach (string name in new[] { "ioxide.reactor.received", "ioxide.reactor.sent" })
        {
            Assert.Equal((Bytes, 0), (reading.Of(name, busy), reading.Of(name, idle)));
        }

        Assert.Equal((1, 0), (reading.Of("ioxide.reactor.accepts", busy), reading.Of("ioxide.reactor.accepts", idle)));
        Assert.Equal((1, 0), (reading.Of("ioxide.reactor.connection.count", busy), reading.Of("ioxide.reactor.connection.count", idle)));

        // The wake-up poll and the accept, and on one reactor the receive.
        Assert.Equal((3, 2), (reading.Of("ioxide.reactor.operation.count", busy), reading.Of("ioxide.reactor.operation.count", idle)));
        Assert.True(reading.Of("ioxide.ring.completions", busy) > reading.Of("ioxide.reactor.accepts", busy));
        Assert.True(reading.Of("ioxide.ring.submissions", busy) >= 4);
        Assert.True(reading.Of("ioxide.ring.enters", busy) > 0);
        Assert.True(reading.Of("ioxide.reactor.busy_time", busy) > 0);
        Assert.Equal(0, reading.Of("ioxide.ring.overflows", busy));
        Assert.Equal(Fixture.Group.Options.ReceiveBufferCount, reading.Of("ioxide.buffer_ring.buffer.count", idle));
        int receiveBytes = Fixture.Group.Options.ReceiveBufferCount * Fixture.Group.Options.ReceiveBufferSize;
        Assert.Equal(receiveBytes, reading.Of("ioxide.reactor.pool.size", idle));
        Assert.True(reading.Of("ioxide.reactor.pool.size", busy) >= receiveBytes + Bytes);

        client.Dispose();
        await Waits.Eventually(
            () =>
            {
                reading.Take();
                return reading.Of("ioxide.reactor.connection.count", busy) == 0;
            },
            20.Seconds());
        Assert.Equal(1, reading.Of("ioxide.reactor.accepts", busy));
    }

    [Fact]
    public async Task BuffersThatTheApplicationHoldsAreCountedAsTaken()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        using IoxideMetrics metrics = IoxideMetrics.Attach(fixture.Group);
        using var reading = new Reading();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        await pair.Client.SendAllAsync(new byte[100]);
        System.IO.Pipelines.ReadResult read = await pair.Server.Input.ReadAsync().Within(20.Seconds());

        reading.Take();
        Assert.Equal((1, 127), (reading.Buffers("taken"), reading.Buffers("lent")));
        pair.Server.Input.AdvanceTo(read.Buffer.End);
        await fixture[0].RunAsync(() => { }).Within(20.Seconds());
        reading.Take();
        Assert.Equal((0, 128), (reading.Buffers("taken"), reading.Buffers("lent")));
    }

    [Fact]
    public async Task DisposedTheyAreGone()
    {
        using var reading = new Reading();
        IoxideMetrics metrics = IoxideMetrics.Attach(Fixture.Group);
        reading.Take();
        Assert.NotEmpty(reading.Measurements);

        metrics.Dispose();
        reading.Take();
        Assert.Empty(reading.Measurements);
    }

    private sealed record One(string Name, int ReactorId, string? State, double Value);

    private sealed class Reading : IDisposable
    {
        private readonly MeterListener _listener = new();
        private readonly ConcurrentQueue<One> _measurements = new();

        internal Reading()
        {
            _listener.InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter.Name == IoxideMetrics.MeterName)
                {
                    Instruments[instrument.Name] = instrument;
                    listener.EnableMeasurementEvents(instrument);
                }
            };
            _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Add(instrument, value, tags));
            _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Add(instrument, value, tags));
            _listener.Start();
        }

        internal ConcurrentDictionary<string, Instrument> Instruments { get; } = new();

        internal IReadOnlyCollection<One> Measurements => _measurements;

        internal void Take()
        {
            _measurements.Clear();
            _listener.RecordObservableInstruments();
        }

        internal double Of(string name, int reactorId)
            => _measurements.Where(one => one.Name == name && one.ReactorId == reactorId).Sum(one => one.Value);

        internal double Buffers(string state) => _measurements.Where(one => one.State == state).Sum(one => one.Value);

        public void Dispose() => _listener.Dispose();

        private void Add(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            Dictionary<string, object?> byName = new(tags.ToArray());
            _measurements.Enqueue(new One(
                instrument.Name, (int)byName["ioxide.reactor.id"]!, (string?)byName.GetValueOrDefault("ioxide.buffer.state"), value));
        }
    }
}
