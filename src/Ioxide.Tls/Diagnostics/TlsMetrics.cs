using System.Diagnostics.Metrics;

namespace Ioxide.Tls;

/// <summary>The instruments of meter <c>Ioxide.Tls</c>; one set a process. See docs/tls.md.</summary>
internal sealed class TlsMetrics
{
    internal const string MeterName = "Ioxide.Tls";

    internal static readonly TlsMetrics Shared = new();

    private readonly Histogram<double> _duration;
    private readonly Counter<long> _resumed;
    private readonly Counter<long> _failures;
    private readonly Counter<long> _kernelSessions;
    private long _userCount;
    private long _kernelCount;

    private TlsMetrics()
    {
        var meter = new Meter(MeterName);
        _duration = meter.CreateHistogram<double>(
            "ioxide.tls.handshake.duration", "s", "Time from the connection to the end of its handshake, failed ones too.");
        _resumed = meter.CreateCounter<long>("ioxide.tls.handshakes.resumed", "{handshake}", "Handshakes that resumed a session.");
        _failures = meter.CreateCounter<long>("ioxide.tls.handshake.failures", "{handshake}", "Handshakes that failed, by reason.");
        _kernelSessions = meter.CreateCounter<long>(
            "ioxide.tls.kernel_sessions", "{session}", "Sessions whose records the kernel makes, by direction.");
        meter.CreateObservableUpDownCounter(
            "ioxide.tls.session.count", ReadSessions, "{session}", "Open sessions, by who encrypts what they send.");
    }

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
}
