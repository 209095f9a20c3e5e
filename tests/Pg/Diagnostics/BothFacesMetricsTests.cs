using System.Data.Common;
using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Ioxide.Pg.Tests;

/// <summary>Who listens turns measuring on for the whole process: these tests run when no others do.</summary>
[CollectionDefinition(nameof(ListeningTests), DisableParallelization = true)]
public class ListeningTests;

/// <summary>Metrics and activities tell of a command whichever face it came through.</summary>
[Collection(nameof(ListeningTests))]
public class BothFacesMetricsTests : PgTests
{
    private const int Commands = 10;

    [Theory, Each("native", "facade", "facade, blocking", "facade, in a transaction")]
    public async Task EachCommandIsOneMeasurementAndOneActivity(string face)
    {
        using var heard = new Listeners();
        PgDataSource db = await OpenAsync(Fixture, heard);
        using Activity caller = new Activity("caller").Start();
        heard.Trace = caller.TraceId;
        await using DbConnection connection = await db.AsDbDataSource().OpenConnectionAsync();
        await using DbTransaction? transaction = face.EndsWith("transaction", StringComparison.Ordinal) ? await connection.BeginTransactionAsync() : null;
        PgStatement one = PgStatement.Create("select 1"u8);
        for (int i = 0; i < Commands; i++)
        {
            await using DbCommand command = connection.Command("select 1");
            Assert.Equal(1, face switch
            {
                "native" => await db.Query(one).ScalarAsync<int>(),
                "facade, blocking" => command.ExecuteScalar(),
                _ => await command.ExecuteScalarAsync(),
            });
        }

        Assert.Same(caller, Activity.Current);
        await Waits.Eventually(() => heard.Measured.Count == Commands && heard.Stopped.Count == Commands, 60.Seconds());
        Assert.All(heard.Measured, static name => Assert.Equal("SELECT", name));
        Assert.All(heard.Stopped, activity =>
        {
            Assert.Equal("SELECT", activity.OperationName);
            Assert.Equal(caller.SpanId, activity.ParentSpanId);
            Assert.Equal(ActivityStatusCode.Unset, activity.Status);
        });
    }

    [Fact]
    public async Task AFailureAndABatchAreToldAsSuch()
    {
        using var heard = new Listeners();
        PgDataSource db = await OpenAsync(Fixture, heard);
        using Activity caller = new Activity("caller").Start();
        heard.Trace = caller.TraceId;
        await using DbConnection connection = await db.AsDbDataSource().OpenConnectionAsync();
        await using DbCommand command = connection.Command("select 1 / 0");
        await Assert.ThrowsAsync<PgException>(() => command.ExecuteScalarAsync());
        command.CommandText = "select 1; select 2";
        Assert.Equal(1, await command.ExecuteScalarAsync());
        await Waits.Eventually(() => heard.Stopped.Count == 2, 60.Seconds());
        Activity failed = Assert.Single(heard.Stopped, static activity => activity.Status == ActivityStatusCode.Error);
        Assert.Equal(PgSqlState.DivisionByZero, failed.GetTagItem("db.response.status_code"));
        Assert.Equal(PgSqlState.DivisionByZero, failed.StatusDescription);
        Assert.Single(heard.Stopped, static activity => activity.OperationName == "BATCH");
        Assert.Equal(["BATCH", "SELECT"], heard.Measured.Order());
    }

    [Fact]
    public async Task OfSeveralHostsTheOneThatRanTheCommandIsTold()
    {
        using var heard = new Listeners();
        PgDataSource db = await OpenAsync(Fixture, heard, static port => $"127.0.0.1:1,localhost:{port}");
        using Activity caller = new Activity("caller").Start();
        heard.Trace = caller.TraceId;
        Assert.Equal(1, await db.Query(PgStatement.Create("select 1"u8)).ScalarAsync<int>());
        await Waits.Eventually(() => heard.Measured.Count == 1 && heard.Stopped.Count == 1, 60.Seconds());
        int port = (await PostgresServer.SharedAsync()).Port;
        Assert.Equal(("localhost", port), (heard.Stopped[0].GetTagItem("server.address"), heard.Stopped[0].GetTagItem("server.port")));
        Assert.Equal(["localhost"], heard.MeasuredHosts);
    }

    /// <summary>Without advice an exporter has limits for milliseconds: the first one, 5, is above all commands.</summary>
    [Fact]
    public async Task DurationsAdviseLimitsOfSeconds()
    {
        using var heard = new Listeners();
        await OpenAsync(Fixture, heard);
        Assert.Equal([0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10], heard.Durations?.Advice?.HistogramBucketBoundaries ?? []);
    }

    private static async Task<PgDataSource> OpenAsync(PgFixture fixture, IMeterFactory meters, Func<int, string>? hosts = null)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        PgDataSourceOptions options = PgDataSourceOptions.Parse(
            $"Host={hosts?.Invoke(server.Port) ?? $"127.0.0.1:{server.Port}"};Username={PgUsers.Trust};Database={await server.DatabaseAsync<BothFacesMetricsTests>()};SSL Mode=Disable");

        // The first open of the facade would read them by a command of its own.
        options.LoadTypes = false;
        return fixture.Own(PgDataSource.Create(TestDatabase.Patient(options), fixture.Group, null, meters));
    }

    private sealed class Listeners : IMeterFactory
    {
        private readonly ActivityListener _activities = new();
        private readonly MeterListener _measurements = new();
        private readonly List<Meter> _meters = [];
        private readonly List<string> _measured = [];
        private readonly List<string> _measuredHosts = [];
        private readonly List<Activity> _stopped = [];

        internal Listeners()
        {
            _activities.ShouldListenTo = static source => source.Name == "Ioxide.Pg";
            _activities.Sample = (ref ActivityCreationOptions<ActivityContext> options)
                => options.Parent.TraceId == Trace ? ActivitySamplingResult.AllData : ActivitySamplingResult.None;
            _activities.ActivityStopped = activity =>
            {
                lock (_stopped)
                {
                    _stopped.Add(activity);
                }
            };
            ActivitySource.AddActivityListener(_activities);
            _measurements.InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Name == "db.client.operation.duration" && _meters.Contains(instrument.Meter))
                {
                    Durations = (Histogram<double>)instrument;
                    listener.EnableMeasurementEvents(instrument);
                }
            };
            _measurements.SetMeasurementEventCallback<double>((_, _, tags, _) =>
            {
                foreach (KeyValuePair<string, object?> tag in tags)
                {
                    if ((tag.Key == "db.operation.name" ? _measured : tag.Key == "server.address" ? _measuredHosts : null) is { } values)
                    {
                        lock (_measured)
                        {
                            values.Add((string)tag.Value!);
                        }
                    }
                }
            });
            _measurements.Start();
        }

        internal ActivityTraceId Trace { get; set; }

        internal Histogram<double>? Durations { get; private set; }

        internal IReadOnlyList<string> Measured
        {
            get
            {
                lock (_measured)
                {
                    return [.. _measured];
                }
            }
        }

        internal IReadOnlyList<string> MeasuredHosts
        {
            get
            {
                lock (_measured)
                {
                    return [.. _measuredHosts];
                }
            }
        }

        internal IReadOnlyList<Activity> Stopped
        {
            get
            {
                lock (_stopped)
                {
                    return [.. _stopped];
                }
            }
        }

        public Meter Create(MeterOptions options)
        {
            var meter = new Meter(options);
            _meters.Add(meter);
            return meter;
        }

        public void Dispose()
        {
            _activities.Dispose();
            _measurements.Dispose();
            _meters.ForEach(static meter => meter.Dispose());
        }
    }
}
