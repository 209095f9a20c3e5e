using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Http2.Tests;

/// <summary>
/// What the framework's instruments say about the same connections on stock Kestrel and on the engine: every measurement with its attributes, but
/// for times. The differences are the list below.
/// </summary>
public class MeasurementTests
{
    /// <summary>Instruments of which the engine measures nothing, and why.</summary>
    private static readonly Dictionary<string, string> s_missing = new()
    {
        ["kestrel.queued_requests"] = "A request runs where its fields were read: none is queued.",
        ["aspnetcore.memory_pool.allocated"] = "Memory is the reactor's: ioxide.reactor.pool.size.",
        ["aspnetcore.memory_pool.rented"] = "As above.",
        ["aspnetcore.memory_pool.evicted"] = "As above.",
        ["aspnetcore.memory_pool.pooled"] = "As above.",
    };

    [Theory, Each("requests", "keep-alive", "client-goaway", "bad-frame", "window", "compression", "leave", "reset")]
    public async Task TheSameIsMeasuredAsByKestrel(string script)
    {
        List<string> stock = await MeasureAsync(isEngine: false, script);
        List<string> engine = await MeasureAsync(isEngine: true, script);
        Assert.Contains(stock, static line => line.StartsWith("kestrel.connection.duration ", StringComparison.Ordinal));
        Assert.Equal(string.Join('\n', stock.Where(IsCompared)), string.Join('\n', engine.Where(IsCompared)));
    }

    private static bool IsCompared(string line) => !s_missing.ContainsKey(line.Split(' ')[0]);

    private static async Task<List<string>> MeasureAsync(bool isEngine, string script)
    {
        using Recorder recorder = new();
        TaskCompletionSource begun = Waits.Signal();
        await using (Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            ExpectsErrors = true,
            Map = app =>
            {
                app.UseRouting();
                app.MapGet("/known/{id}", static (string id) => id);
                app.MapPost("/body", static async (HttpContext context) => await context.Request.Body.CopyToAsync(context.Response.Body));
                app.MapGet("/fail", static string () => throw new InvalidOperationException("a fault of the handler"));
                app.MapGet("/wait", async (HttpContext context) =>
                {
                    begun.SetResult();
                    await Task.Delay(Timeout.Infinite, context.RequestAborted).ContinueWith(static _ => { }, TaskScheduler.Default);
                });
            },
        }))
        {
            recorder.Start(host.Services.GetRequiredService<IMeterFactory>());
            await RunAsync(script, host, begun.Task);
            await Waits.Eventually(() => recorder.Has("kestrel.connection.duration"), 30.Seconds());
        }

        return recorder.Lines;
    }

    private static async Task RunAsync(string script, Http2Host host, Task begun)
    {
        using FrameClient client = await host.ConnectAsync((4, 1000));
        switch (script)
        {
            case "requests":
                _ = await client.AskAsync(FrameClient.Request(1, "/known/1"));
                _ = await client.AskAsync(FrameClient.Request(3, "/unknown"));
                await client.SendAsync((byte[])[.. FrameClient.Request(5, "/body", ends: false, method: "POST"), .. FrameClient.Data(5, "body"u8, ends: true)]);
                _ = await client.ReadStreamAsync(5);
                _ = await client.AskAsync(FrameClient.Request(7, "/fail"));
                client.Socket.Shutdown(System.Net.Sockets.SocketShutdown.Send);
                break;
            case "keep-alive":
                client.Socket.Shutdown(System.Net.Sockets.SocketShutdown.Send);
                break;
            case "client-goaway":
                _ = await client.AskAsync(FrameClient.Request(1, "/known/1"));
                await client.SendAsync(FrameClient.Frame(Http2FrameType.GoAway, Http2FrameFlags.None, 0, new byte[8]));
                break;
            case "bad-frame":
                await client.SendAsync(FrameClient.Data(0, "x"u8));
                break;
            case "window":
                await client.SendAsync(FrameClient.Number(Http2FrameType.WindowUpdate, 0, int.MaxValue));
                break;
            case "compression":
                await client.SendAsync(FrameClient.Frame(Http2FrameType.Headers, Http2FrameFlags.EndHeaders | Http2FrameFlags.EndStream, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF));
                break;
            default:
                await client.SendAsync(FrameClient.Request(1, "/wait"));
                await begun.Within(30.Seconds());
                if (script == "leave")
                {
                    client.Socket.Shutdown(System.Net.Sockets.SocketShutdown.Send);
                    break;
                }

                client.Socket.LingerState = new(true, 0);
                client.Dispose();
                return;
        }

        _ = await client.ReadGoAwayAsync();
    }

    /// <summary>Listens to one host's instruments.</summary>
    private sealed class Recorder : IDisposable
    {
        private readonly MeterListener _listener = new();
        private readonly ConcurrentQueue<(string Name, string Line)> _measured = new();

        internal List<string> Lines => [.. _measured.Select(static one => one.Line).Order(StringComparer.Ordinal)];

        internal bool Has(string name) => _measured.Any(one => one.Name == name);

        internal void Start(IMeterFactory factory)
        {
            _listener.InstrumentPublished = (instrument, listener) =>
            {
                if (ReferenceEquals(instrument.Meter.Scope, factory) && instrument.Meter.Name.StartsWith("Microsoft.AspNetCore", StringComparison.Ordinal))
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            };
            _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Add(instrument, $"{value}", tags));
            _listener.SetMeasurementEventCallback<double>((instrument, _, tags, _) => Add(instrument, "time", tags));
            _listener.Start();
        }

        public void Dispose() => _listener.Dispose();

        private void Add(Instrument instrument, string value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            IEnumerable<string> attributes = tags.ToArray()
                .Where(static tag => tag.Key != "server.port").Select(static tag => $"{tag.Key}={tag.Value}").Order(StringComparer.Ordinal);
            _measured.Enqueue((instrument.Name, $"{instrument.Name} {value} {string.Join(' ', attributes)}"));
        }
    }
}
