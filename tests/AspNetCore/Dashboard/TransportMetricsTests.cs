using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Which transport serves, and the condition of each reactor, as an exporter reads them.</summary>
public sealed class TransportMetricsTests
{
    [Theory]
    [InlineData(KernelChoice.IoUring, "io_uring")]
    [InlineData(KernelChoice.Epoll, "epoll")]
    [InlineData(KernelChoice.Sockets, "sockets")]
    public async Task OneTransportServesAndEachReactorHasOneCondition(KernelChoice kernel, string expected)
    {
        Assert.SkipWhen(kernel == KernelChoice.IoUring && RingProbe.Check() != RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        await using TestServer server = await TestServer.StartAsync(DashboardSetup.Of(ioxide: options =>
        {
            // What faults are injected into is played on rings.
            options.UseKernel(null);
            options.Kernel = kernel;
        }));
        List<(string Name, long Value, string Tags)> seen = Read(server.Services);

        Assert.Equal(
            ["epoll", "io_uring", "sockets"],
            seen.Where(static each => each.Name == "ioxide.transport.status").Select(static each => each.Tags).Order(StringComparer.Ordinal));
        Assert.Equal([expected], seen.Where(static each => each is { Name: "ioxide.transport.status", Value: 1 }).Select(static each => each.Tags));
        Assert.Equal(
            kernel == KernelChoice.Sockets ? [] : ["0 turning", "1 turning"],
            seen.Where(static each => each is { Name: "ioxide.reactor.status", Value: 1 }).Select(static each => each.Tags).Order(StringComparer.Ordinal));
        Assert.Equal(
            kernel == KernelChoice.Sockets ? 0 : 2 * Enum.GetValues<ReactorCondition>().Length,
            seen.Count(static each => each.Name == "ioxide.reactor.status"));
    }

    [Fact]
    public async Task NoTransportServesWhereNothingIsBound()
    {
        await using ServiceProvider services = new ServiceCollection().AddLogging().AddMetrics().AddIoxideTransport().BuildServiceProvider();
        _ = services.GetRequiredService<ReactorFleet>();

        Assert.Equal(
            ["epoll 0", "io_uring 0", "sockets 0"],
            Read(services).Select(static each => $"{each.Tags} {each.Value}").Order(StringComparer.Ordinal));
    }

    /// <summary>The instruments of this server's own factory: others run in the process.</summary>
    private static List<(string Name, long Value, string Tags)> Read(IServiceProvider services)
    {
        IMeterFactory factory = services.GetRequiredService<IMeterFactory>();
        List<(string, long, string)> seen = [];
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, own) =>
        {
            if (ReferenceEquals(instrument.Meter.Scope, factory) && instrument.Name.EndsWith(".status", StringComparison.Ordinal))
            {
                own.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _)
            => seen.Add((instrument.Name, value, string.Join(' ', tags.ToArray().Select(static tag => tag.Value)))));
        listener.Start();
        listener.RecordObservableInstruments();
        return seen;
    }
}
