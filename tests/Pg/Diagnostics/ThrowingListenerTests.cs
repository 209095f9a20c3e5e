using System.Diagnostics;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;

namespace Ioxide.Pg.Tests;

/// <summary>What a listener or a logger throws is its own affair: commands, connections and callers do not notice.</summary>
[Collection(nameof(ListeningTests))]
public class ThrowingListenerTests() : PgTests(TestDatabase.OneReactor)
{
    [Fact]
    public async Task AMetricsListenerThatThrowsKeepsNoCallerWaiting()
    {
        using var meters = new ThrowingMeters();
        PgDataSource db = await OpenAsync(null, meters);
        Assert.Equal(1, await AskAsync(db, 1));
        Assert.Equal(2, await AskAsync(db, 2));
        Assert.Equal(2, meters.Thrown);
        Assert.Equal(1, db.Opened());
    }

    [Fact]
    public async Task AnActivityListenerThatThrowsKeepsNoCallerWaiting()
    {
        using Activity caller = new Activity("caller").Start();
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Ioxide.Pg",
            Sample = (ref ActivityCreationOptions<ActivityContext> options)
                => options.Parent.TraceId == caller.TraceId ? ActivitySamplingResult.AllData : ActivitySamplingResult.None,
            ActivityStopped = static _ => throw new InvalidOperationException("an activity"),
        };
        ActivitySource.AddActivityListener(listener);
        PgDataSource db = await OpenAsync(null, null);
        Assert.Equal(1, await AskAsync(db, 1));
        Assert.Equal(2, await AskAsync(db, 2));
        Assert.Equal(1, db.Opened());
    }

    [Fact]
    public async Task ALoggerThatThrowsNeitherLosesAConnectionNorItsCallers()
    {
        PgDataSource db = await OpenAsync(new EventLog(throws: true), null);
        await using PgSession session = await db.OpenSessionAsync().AsTask().Within(20.Seconds());
        Task<int> waiting = session.Query(PgStatement.Create("select 1 from pg_sleep(60)"u8)).ScalarAsync<int>().AsTask();
        await using PgSession other = await db.OpenSessionAsync().AsTask().Within(20.Seconds());
        await other.RunScriptAsync($"select pg_terminate_backend({session.ProcessId})").AsTask().Within(20.Seconds());
        await Assert.ThrowsAnyAsync<Exception>(() => waiting.Within(20.Seconds()));
        Assert.True(waiting.IsFaulted);
        Assert.Equal(2, db.Opened());
    }

    private static Task<int> AskAsync(PgDataSource db, int value)
        => db.Query(PgStatement.Create<int>("select $1"u8), value).ScalarAsync<int>().AsTask().Within(20.Seconds());

    private async Task<PgDataSource> OpenAsync(ILoggerFactory? loggers, IMeterFactory? meters)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        PgDataSourceOptions options = PgDataSourceOptions.Parse(
            $"Host=127.0.0.1;Port={server.Port};Username={PgUsers.Trust};Database={await server.DatabaseAsync<ThrowingListenerTests>()};SSL Mode=Disable");
        return Fixture.Own(PgDataSource.Create(TestDatabase.Patient(options), Fixture.Group, loggers, meters));
    }

    private sealed class ThrowingMeters : IMeterFactory
    {
        private readonly MeterListener _listener = new();
        private Meter? _meter;
        private int _thrown;

        internal ThrowingMeters()
        {
            _listener.InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Name == "db.client.operation.duration" && instrument.Meter == _meter)
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            };
            _listener.SetMeasurementEventCallback<double>((_, _, _, _) =>
            {
                Interlocked.Increment(ref _thrown);
                throw new InvalidOperationException("a measurement");
            });
            _listener.Start();
        }

        internal int Thrown => Volatile.Read(ref _thrown);

        public Meter Create(MeterOptions options) => _meter = new Meter(options);

        public void Dispose()
        {
            _listener.Dispose();
            _meter?.Dispose();
        }
    }
}
