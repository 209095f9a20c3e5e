namespace Ioxide.Soak;

/// <summary>One second of the run, or one look at the server while nobody is connected.</summary>
/// <param name="Seconds">Since the start.</param>
/// <param name="IsQuiet">Nobody is connected and the server has just collected its garbage.</param>
/// <param name="IsResting">Loads are kept out, so throughput and latency say nothing.</param>
/// <param name="Requests">Answers within this second.</param>
/// <param name="Wrong">So far.</param>
/// <param name="Errors">So far.</param>
/// <param name="ResidentBytes">Resident memory of the server.</param>
/// <param name="FileBytes">Pages of files in it.</param>
/// <param name="Descriptors">Open descriptors of the server.</param>
/// <param name="Sockets">Sockets among them.</param>
/// <param name="Stats">What the server tells of itself.</param>
/// <param name="P99Ms">Of the small requests of this second; null where there were none.</param>
/// <param name="PackagesP99Ms">Of the requests to the site of all packages.</param>
/// <param name="Fault">What was going on, or nothing.</param>
internal sealed record Sample(
    double Seconds,
    bool IsQuiet,
    bool IsResting,
    double Requests,
    long Wrong,
    long Errors,
    long ResidentBytes,
    long FileBytes,
    int Descriptors,
    int Sockets,
    HostStats Stats,
    double? P99Ms,
    double? PackagesP99Ms,
    string Fault)
{
    internal const string CsvHead =
        "seconds,phase,requests_per_second,wrong_answers,errors,rss_bytes,file_bytes,committed_bytes,heap_bytes,pooled_bytes,descriptors,sockets," +
        "operations,buffers_taken,connections,queued,gen0,gen1,gen2,p99_ms,packages_p99_ms,fault";

    internal double Minutes => Seconds / 60;

    internal string ToCsv() =>
        $"{Seconds:F1},{Phase},{Requests:F0},{Wrong},{Errors},{ResidentBytes},{FileBytes},{Stats.CommittedBytes},{Stats.ManagedBytes},{Stats.PooledBytes},{Descriptors},{Sockets}," +
        $"{Stats.Operations},{Stats.BuffersTaken},{Stats.Connections},{Stats.QueuedWork},{Stats.Collections[0]},{Stats.Collections[1]},{Stats.Collections[2]}," +
        $"{P99Ms:F2},{PackagesP99Ms:F2},{Fault}";

    private string Phase => IsQuiet ? "quiet" : IsResting ? "rest" : "load";
}
