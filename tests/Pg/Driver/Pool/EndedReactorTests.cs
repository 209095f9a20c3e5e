using System.Diagnostics.Metrics;

namespace Ioxide.Pg.Tests;

/// <summary>A reactor whose ring fails takes its own connections along, and nothing else of the data source.</summary>
public class EndedReactorTests
{
    [Fact]
    public async Task ADataSourceThatWaitsForItsSessionsCloses()
    {
        var kernel = new BreakingKernel();
        await using ReactorGroup group = Start(kernel, reactors: 1);
        await using FakeServer server = FakeServer.Start(Script.Welcome());
        using var meters = new Meters();
        TaskCompletionSource isOver = Waits.Signal();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (ReferenceEquals(instrument.Meter, meters.Made))
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
            MeasurementsCompleted = (_, _) => isOver.TrySetResult(),
        };
        listener.Start();
        PgDataSource db = PgDataSource.Create(OptionsOf(server.Port), group, meterFactory: meters);
        await using PgSession session = await db.OpenSessionAsync().Within(20.Seconds());
        Task closing = db.CloseAsync();
        await Waits.Eventually(() => db.Pools[0].IsClosed, 20.Seconds());
        Assert.False(isOver.Task.IsCompleted);
        await BreakAsync(kernel, group.Reactors[0]);

        await closing.Within(20.Seconds());
        await isOver.Task.Within(20.Seconds());
    }

    private static async Task BreakAsync(BreakingKernel kernel, params Reactor[] reactors)
    {
        kernel.Break(only: reactors.Length == 1 ? reactors[0] : null);
        foreach (Reactor reactor in reactors)
        {
            // One that sleeps enters its ring again. One that woke by itself may have ended.
            _ = reactor.TryEnqueue(WorkItem.Of(reactor, static _ => { }));
        }

        await Task.WhenAll(reactors.Select(static reactor => reactor.Ended)).Within(20.Seconds());
    }

    private static PgDataSourceOptions OptionsOf(int port, int? total = null)
    {
        PgDataSourceOptions options = PgDataSourceOptions.Parse($"Host=127.0.0.1;Port={port};Username=u;Database=d;SSL Mode=Disable");
        options.MaxConnections = total;
        return TestDatabase.Patient(options);
    }

    private static ReactorGroup Start(BreakingKernel kernel, int reactors = 2)
        => ReactorGroup.Start(new ReactorOptions { ReactorCount = reactors, StallThreshold = TimeSpan.FromMinutes(10), PlayedKernel = kernel });

    /// <summary>Makes a meter that no other test has.</summary>
    private sealed class Meters : IMeterFactory
    {
        internal Meter? Made { get; private set; }

        public Meter Create(MeterOptions options) => Made = new Meter(options);

        public void Dispose() => Made?.Dispose();
    }
}
