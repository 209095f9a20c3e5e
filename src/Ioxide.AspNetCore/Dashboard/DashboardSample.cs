using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text.Json;

namespace Ioxide.AspNetCore;

/// <summary>Writes one reading of everything as a server-sent event: totals since some start, of which the page makes rates.</summary>
/// <remarks>The event's data is one line of JSON; docs/dashboard.md describes it. Threads: one at a time.</remarks>
internal sealed class DashboardSample(ReactorFleet? fleet, MeterWatch meters)
{
    private const int MaxEndpoints = 64;

    private readonly ArrayBufferWriter<byte> _buffer = new(16 * 1024);

    /// <summary>Differs between periods of watching and between processes: counts of two of them are not to be compared.</summary>
    private readonly string _epoch = Guid.NewGuid().ToString("N");

    /// <exception cref="AggregateException">An instrument threw.</exception>
    internal byte[] Read()
    {
        meters.Read();
        TransportInUse transport = TransportInUse.Of(fleet);
        _buffer.ResetWrittenCount();

        // Browsers that lost the connection come back after so many milliseconds.
        _buffer.Write("retry: 2000\ndata: "u8);
        using (var json = new Utf8JsonWriter(_buffer))
        {
            json.WriteStartObject();
            json.WriteString("epoch", _epoch);
            json.WriteNumber("timeMs", Stopwatch.GetElapsedTime(0).TotalMilliseconds);
            json.WriteString("transport", transport.Name);
            json.WriteString("reason", transport.Reason);
            json.WriteNumber("requests", meters.Requests.Total);
            WriteProcess(json);
            WriteReactors(json, transport.Group);
            WriteEndpoints(json, transport.Group);
            WriteSeries(json);
            json.WriteEndObject();
        }

        _buffer.Write("\n\n"u8);
        return _buffer.WrittenSpan.ToArray();
    }

    private static void WriteProcess(Utf8JsonWriter json)
    {
        json.WriteStartObject("process");
        json.WriteString("name", AppDomain.CurrentDomain.FriendlyName);
        json.WriteNumber("id", Environment.ProcessId);
        json.WriteString("machine", Environment.MachineName);
        json.WriteString("runtime", RuntimeInformation.FrameworkDescription);
        json.WriteString("system", RuntimeInformation.OSDescription);
        json.WriteNumber("processors", Environment.ProcessorCount);
        if (!OperatingSystem.IsIOS() && !OperatingSystem.IsTvOS())
        {
            json.WriteNumber("cpuSeconds", Environment.CpuUsage.TotalTime.TotalSeconds);
        }

        json.WriteNumber("memoryBytes", Environment.WorkingSet);
        json.WriteNumber("heapBytes", GC.GetTotalMemory(forceFullCollection: false));
        json.WriteNumber("poolQueue", ThreadPool.PendingWorkItemCount);
        json.WriteNumber("poolThreads", ThreadPool.ThreadCount);
        json.WriteNumber("poolItems", ThreadPool.CompletedWorkItemCount);
        json.WriteNumber("lockContentions", Monitor.LockContentionCount);
        json.WriteNumber("allocatedBytes", GC.GetTotalAllocatedBytes());
        json.WriteNumber("pauseSeconds", GC.GetTotalPauseDuration().TotalSeconds);
        json.WriteNumber("gen0", GC.CollectionCount(0));
        json.WriteNumber("gen1", GC.CollectionCount(1));
        json.WriteNumber("gen2", GC.CollectionCount(2));
        json.WriteEndObject();
    }

    private void WriteReactors(Utf8JsonWriter json, ReactorGroup? group)
    {
        json.WriteStartArray("reactors");
        foreach (Reactor reactor in group?.Reactors ?? [])
        {
            ReactorSnapshot snapshot = reactor.Snapshot();
            ReactorCondition condition = snapshot.Condition(reactor.Group.Options.StallThreshold);
            json.WriteStartObject();
            json.WriteNumber("id", snapshot.ReactorId);
            json.WriteString("condition", TransportMetrics.NameOf(condition));
            json.WriteNumber("turnMs", snapshot.TurnTime.TotalMilliseconds);
            json.WriteNumber("heldMs", snapshot.HeldTime.TotalMilliseconds);
            json.WriteNumber("processorWaitSeconds", snapshot.TotalProcessorWait.TotalSeconds);
            json.WriteNumber("connections", snapshot.Connections);
            json.WriteNumber("requests", meters.Requests[snapshot.ReactorId]);
            json.WriteNumber("accepted", snapshot.Accepted);
            json.WriteNumber("receivedBytes", snapshot.BytesReceived);
            json.WriteNumber("sentBytes", snapshot.BytesSent);
            json.WriteNumber("busySeconds", snapshot.BusyTime.TotalSeconds);
            json.WriteNumber("buffersTaken", snapshot.BuffersTaken);
            json.WriteNumber("buffers", snapshot.BufferCount);
            json.WriteNumber("queued", snapshot.QueuedWork);
            json.WriteNumber("operations", snapshot.OperationsInFlight);
            json.WriteNumber("turns", snapshot.Turns);
            json.WriteNumber("stalls", snapshot.Stalls);
            json.WriteNumber("acceptPauses", snapshot.AcceptPauses);
            json.WriteNumber("bufferExhaustions", snapshot.BufferExhaustions);
            json.WriteNumber("overflows", snapshot.CompletionOverflows);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private void WriteEndpoints(Utf8JsonWriter json, ReactorGroup? group)
    {
        json.WriteStartArray("endpoints");
        PlacementRegistry? registry = group is not null && fleet?.Placements is { IsAdaptive: true } adaptive ? adaptive : null;
        foreach (EndpointFigures endpoint in EndpointFigures.Of(registry, meters.Requests.Routes).Take(MaxEndpoints))
        {
            endpoint.Write(json);
        }

        json.WriteEndArray();
        json.WriteStartObject("connectionErrors");
        foreach ((string type, long count) in meters.Requests.ConnectionErrors)
        {
            json.WriteNumber(type, count);
        }

        json.WriteEndObject();
    }

    private void WriteSeries(Utf8JsonWriter json)
    {
        json.WriteStartArray("series");
        foreach (InstrumentFigures instrument in meters.Instruments)
        {
            foreach ((string attributes, double value, double sum) in instrument.Values())
            {
                json.WriteStartObject();
                json.WriteString("meter", instrument.Meter);
                json.WriteString("name", instrument.Name);
                json.WriteString("what", instrument.Description);
                json.WriteString("unit", instrument.Unit);
                json.WriteString("kind", instrument.Kind);
                json.WriteString("attributes", attributes);
                json.WriteNumber("value", value);
                if (instrument.Kind == InstrumentFigures.Histogram)
                {
                    json.WriteNumber("sum", sum);
                }

                json.WriteEndObject();
            }
        }

        json.WriteEndArray();
    }
}
