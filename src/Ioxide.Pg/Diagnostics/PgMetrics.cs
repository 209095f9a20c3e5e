using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Ioxide.Pg;

/// <summary>The instruments of meter <c>Ioxide.Pg</c> and the activities of the source of the same name, for one data source.</summary>
/// <remarks>
/// Names and attributes are OpenTelemetry's for database clients (semantic conventions 1.33). They contain no statement text and no
/// parameter values. Without a listener a command pays for two reads of a flag.
/// </remarks>
internal sealed class PgMetrics : IDisposable
{
    internal const string Name = "Ioxide.Pg";

    private static readonly ActivitySource s_source = new(Name);

    private readonly Meter _meter;
    private readonly Histogram<double> _duration;
    private readonly IReadOnlyList<ReactorPool> _pools;
    private readonly PgHost[] _hosts;
    private readonly KeyValuePair<string, object?>[][] _attributesOfHosts;
    private readonly KeyValuePair<string, object?> _poolName;

    internal PgMetrics(PgDataSourceOptions source, IReadOnlyList<ReactorPool> pools, IMeterFactory? factory)
    {
        _pools = pools;
        _hosts = [.. source.Hosts];
        _attributesOfHosts = _hosts.Length == 0 ? [AttributesOf(source, null)] : [.. _hosts.Select(host => AttributesOf(source, host))];
        _poolName = new("db.client.connection.pool.name", $"{source.Hosts.FirstOrDefault()}/{source.Database}");
        var options = new MeterOptions(Name);
        _meter = factory?.Create(options) ?? new Meter(options);
        _duration = _meter.CreateHistogram(
            "db.client.operation.duration", "s", "Duration of commands.", tags: null,
            advice: new InstrumentAdvice<double> { HistogramBucketBoundaries = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10] });
        _meter.CreateObservableUpDownCounter("db.client.connection.count", ReadConnections, "{connection}", "Open connections by state.");
        Level("db.client.connection.max", "{connection}", "Max connections.", static pool => pool.ShareOfMax);
        Level(
            "db.client.connection.pending_requests", "{request}", "Commands and leases waiting for a connection.",
            static pool => pool.Queue.ShareOfLength);
        Count("db.client.connection.timeouts", "{timeout}", "Timeouts of waits for a connection.", static pool => pool.Counters.QueueTimeouts);
        Count("ioxide.pg.connections.opened", "{connection}", "Connections opened.", static pool => pool.Counters.Opened);
        Count("ioxide.pg.connections.failed", "{attempt}", "Failed attempts to connect.", static pool => pool.Counters.ConnectFailures);
        Count("ioxide.pg.cancels", "{request}", "Cancel requests sent.", static pool => pool.Counters.Cancels);
    }

    /// <summary>Whether a listener observes the durations of commands.</summary>
    internal bool IsObserved => _duration.Enabled || s_source.HasListeners();

    public void Dispose() => _meter.Dispose();

    /// <summary>Starts an activity for a command, as a child of the caller's; or null.</summary>
    internal Activity? StartActivity(string operationName)
    {
        Activity? caller = Activity.Current;
        Activity? activity = s_source.StartActivity(operationName, ActivityKind.Client);
        if (activity is { IsAllDataRequested: true })
        {
            SetTags(activity, _attributesOfHosts[0]);
            activity.SetTag("db.operation.name", operationName);
            activity.SetTag("db.query.summary", operationName);
        }

        // It outlasts this call, and must not become the ambient activity.
        Activity.Current = caller;
        return activity;
    }

    /// <summary>A command has ended. Listeners are application code.</summary>
    /// <param name="duration">From the call until the answer.</param>
    /// <param name="activity">The command's activity; or null.</param>
    /// <param name="operationName">The command's name.</param>
    /// <param name="error">Why it failed; or null.</param>
    /// <param name="host">Where it was sent. Null: nowhere, and the first host is told.</param>
    internal void Ended(TimeSpan duration, Activity? activity, string operationName, Exception? error, PgHost? host)
    {
        activity?.SetEndTime(DateTime.UtcNow);
        int hostIndex = Math.Max(0, Array.IndexOf(_hosts, host));
        HostCalls.CallOut(
            static ended => ended.Metrics.Report(ended.Duration, ended.Activity, ended.OperationName, ended.Error, ended.HostIndex),
            (Metrics: this, Duration: duration, Activity: activity, OperationName: operationName, Error: error, HostIndex: hostIndex));
    }

    private void Report(TimeSpan duration, Activity? activity, string operationName, Exception? error, int hostIndex)
    {
        string? sqlState = (error as PgException)?.SqlState;
        if (_duration.Enabled)
        {
            var tags = new TagList(_attributesOfHosts[hostIndex]) { { "db.operation.name", operationName } };
            if (error is not null)
            {
                tags.Add("error.type", sqlState ?? error.GetType().FullName);
            }

            if (sqlState is not null)
            {
                tags.Add("db.response.status_code", sqlState);
            }

            _duration.Record(duration.TotalSeconds, tags);
        }

        if (activity is null)
        {
            return;
        }

        if (hostIndex > 0 && activity.IsAllDataRequested)
        {
            SetTags(activity, _attributesOfHosts[hostIndex]);
        }

        if (error is not null)
        {
            // A message may quote values.
            string? errorType = sqlState ?? error.GetType().FullName;
            activity.SetTag("error.type", errorType);
            activity.SetStatus(ActivityStatusCode.Error, errorType);
            if (sqlState is not null)
            {
                activity.SetTag("db.response.status_code", sqlState);
            }
        }

        Activity? current = Activity.Current;
        activity.Stop();
        Activity.Current = current;
    }

    private static void SetTags(Activity activity, KeyValuePair<string, object?>[] attributes)
    {
        foreach (KeyValuePair<string, object?> attribute in attributes)
        {
            activity.SetTag(attribute.Key, attribute.Value);
        }
    }

    private static KeyValuePair<string, object?>[] AttributesOf(PgDataSourceOptions options, PgHost? host)
    {
        var attributes = new List<KeyValuePair<string, object?>>
        {
            new("db.system.name", "postgresql"),
            new("db.namespace", options.Database),
        };
        if (host is not null)
        {
            attributes.Add(new("server.address", host.Name));
            if (host is { IsUnixSocket: false })
            {
                attributes.Add(new("server.port", host.Port == 0 ? PgDataSourceOptions.DefaultPort : host.Port));
            }
        }

        return [.. attributes];
    }

    private void Level(string name, string unit, string description, Func<ReactorPool, long> read)
        => _meter.CreateObservableUpDownCounter(name, () => new Measurement<long>(_pools.Sum(read), _poolName), unit, description);

    private void Count(string name, string unit, string description, Func<ReactorPool, long> read)
        => _meter.CreateObservableCounter(name, () => new Measurement<long>(_pools.Sum(read), _poolName), unit, description);

    private Measurement<long>[] ReadConnections()
    {
        long idle = _pools.Sum(static pool => (long)pool.Lanes.IdleCount);
        long open = _pools.Sum(static pool => (long)pool.OpenCount);
        return
        [
            new(idle, _poolName, new("db.client.connection.state", "idle")),
            new(Math.Max(0, open - idle), _poolName, new("db.client.connection.state", "used")),
        ];
    }
}

/// <summary>The counters of a reactor's pool, in plain fields. Another thread reads a snapshot.</summary>
internal sealed class PoolCounters
{
    internal long Opened { get; set; }

    internal long Closed { get; set; }

    internal long ConnectFailures { get; set; }

    internal long QueueTimeouts { get; set; }

    internal long Cancels { get; set; }

    /// <summary>Resets of sessions for their next user.</summary>
    internal long Resets { get; set; }

    internal long Commands { get; set; }

    internal long Errors { get; set; }
}
