using System.Diagnostics.Metrics;

namespace Ioxide.Tls;

/// <summary>The instruments of meter <c>Ioxide.Tls</c>; one set a process. See docs/tls.md.</summary>
internal sealed class TlsMetrics
{
    internal const string MeterName = "Ioxide.Tls";

    /// <summary>Certificates that are reported, those that end soonest first: each is a series.</summary>
    internal const int MaxCertificates = 64;

    internal static readonly TlsMetrics Shared = new();

    // Then an alert has had its time. What has long ended is hardly served, and must not take the places of what is.
    private static readonly TimeSpan s_reportedBehindEnd = TimeSpan.FromDays(1);

    private readonly Histogram<double> _duration;
    private readonly Counter<long> _resumed;
    private readonly Counter<long> _failures;
    private readonly Counter<long> _kernelSessions;
    private readonly ConditionalWeakTable<ServerContexts, object> _servers = [];
    private long _userCount;
    private long _kernelCount;

    private TlsMetrics()
    {
        var meter = new Meter(MeterName);
        _duration = meter.CreateHistogram(
            "ioxide.tls.handshake.duration", "s", "Duration of handshakes, failed ones too.", tags: null,
            advice: new InstrumentAdvice<double>
            {
                HistogramBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
            });
        _resumed = meter.CreateCounter<long>("ioxide.tls.handshakes.resumed", "{handshake}", "Resumed handshakes.");
        _failures = meter.CreateCounter<long>("ioxide.tls.handshake.failures", "{handshake}", "Failed handshakes by reason.");
        _kernelSessions = meter.CreateCounter<long>(
            "ioxide.tls.kernel_sessions", "{session}", "Sessions encrypted by the kernel, by direction.");
        meter.CreateObservableUpDownCounter(
            "ioxide.tls.session.count", ReadSessions, "{session}", "Open sessions by where they are encrypted.");
        meter.CreateObservableGauge(
            "ioxide.tls.certificate.remaining_time", ReadCertificates, "s", "Remaining lifetime of certificates.");
    }

    /// <summary>Reports the certificates of a server as long as that exists.</summary>
    internal void Observe(ServerContexts contexts) => _servers.Add(contexts, contexts);

    internal void SessionStarted() => Interlocked.Increment(ref _userCount);

    /// <summary>The session's output was completed.</summary>
    internal void SessionEnded(bool isInKernel) => Interlocked.Decrement(ref isInKernel ? ref _kernelCount : ref _userCount);

    internal void Succeeded(TlsSessionInfo info, long started)
    {
        if (_duration.Enabled)
        {
            _duration.Record(
                Stopwatch.GetElapsedTime(started).TotalSeconds,
                new KeyValuePair<string, object?>("tls.protocol.version", info.Protocol == SslProtocols.Tls13 ? "1.3" : "1.2"));
        }

        if (info.IsResumed)
        {
            _resumed.Add(1);
        }
    }

    internal void Failed(TlsFailure failure, long started)
    {
        var reason = new KeyValuePair<string, object?>("error.type", failure.ToString());
        _failures.Add(1, reason);
        if (_duration.Enabled)
        {
            _duration.Record(Stopwatch.GetElapsedTime(started).TotalSeconds, reason);
        }
    }

    /// <summary>The kernel has taken over what a session sends.</summary>
    internal void NoteKernelSession(string direction)
    {
        Interlocked.Decrement(ref _userCount);
        Interlocked.Increment(ref _kernelCount);
        _kernelSessions.Add(1, new KeyValuePair<string, object?>("network.io.direction", direction));
    }

    private Measurement<long>[] ReadSessions() =>
    [
        new(Volatile.Read(ref _userCount), new KeyValuePair<string, object?>("ioxide.tls.encryption", "user")),
        new(Volatile.Read(ref _kernelCount), new KeyValuePair<string, object?>("ioxide.tls.encryption", "kernel")),
    ];

    private IEnumerable<Measurement<double>> ReadCertificates()
    {
        // Of those of one name, the last one has taken the place of the others.
        DateTimeOffset now = DateTimeOffset.UtcNow;
        return _servers.SelectMany(static server => server.Key.Served).Where(served => now - served.Ends < s_reportedBehindEnd)
            .GroupBy(static served => served.Name, static (_, same) => same.MaxBy(static served => served.MadeAt)!, StringComparer.Ordinal)
            .OrderBy(static served => served.Ends).Take(MaxCertificates).Select(served => new Measurement<double>(
                (served.Ends - now).TotalSeconds, new KeyValuePair<string, object?>("tls.server.subject", served.Name)));
    }
}
