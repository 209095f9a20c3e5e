using System.Diagnostics.Metrics;

namespace Ioxide.Files;

/// <summary>Instruments of static files, and the framework's duration of requests, which the front door adds to.</summary>
internal sealed class FilesMetrics : IDisposable
{
    // The framework's names (OpenTelemetry's HTTP conventions): one meter factory gives one instrument for one name.
    private const string HostingMeter = "Microsoft.AspNetCore.Hosting";
    private const string RequestDuration = "http.server.request.duration";

    private static readonly object s_schemeHttp = "http";
    private static readonly object s_protocol = "1.1";

    private readonly Meter? _ownMeter;
    private readonly Histogram<double> _duration;

    internal FilesMetrics(IMeterFactory? factory, FileSites sites)
    {
        Meter meter;
        if (factory is null)
        {
            _ownMeter = meter = new Meter("Ioxide.Files");
        }
        else
        {
            meter = factory.Create("Ioxide.Files");
        }

        meter.CreateObservableUpDownCounter("ioxide.files.memory", () => Each(sites, static site => site.Snapshot.MemoryBytes),
            "By", "Bytes of files in the current snapshots.");
        meter.CreateObservableUpDownCounter("ioxide.files.file.count", () => Each(sites, static site => (long)site.Snapshot.FileCount),
            "{file}", "Files in the current snapshots.");
        meter.CreateObservableCounter("ioxide.files.hits", () => Each(sites, static site => site.Counters.Hits),
            "{request}", "Requests for existing files.");
        meter.CreateObservableCounter("ioxide.files.misses", () => Each(sites, static site => site.Counters.Misses),
            "{request}", "Requests below a folder's prefix for files that do not exist.");
        meter.CreateObservableCounter("ioxide.files.not_modified", () => Each(sites, static site => site.Counters.NotModified),
            "{request}", "Hits that were answered with 304.");
        meter.CreateObservableCounter("ioxide.files.front_door", () => Each(sites, static site => site.Counters.AtFrontDoor),
            "{request}", "Hits that were answered before the server.");
        _duration = (factory?.Create(HostingMeter) ?? meter).CreateHistogram<double>(
            RequestDuration,
            "s",
            "Duration of HTTP server requests.",
            tags: null,
            new InstrumentAdvice<double>
            {
                HistogramBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
            });
    }

    /// <summary>When a request begins, or 0 where no listener is enabled.</summary>
    internal long Start() => _duration.Enabled ? Stopwatch.GetTimestamp() : 0;

    internal void Stop(long started, bool isHead, int status, string route)
    {
        if (started == 0)
        {
            return;
        }

        var tags = new TagList
        {
            { "url.scheme", s_schemeHttp },
            { "http.request.method", isHead ? "HEAD" : "GET" },
            { "http.response.status_code", status },
            { "network.protocol.version", s_protocol },
            { "http.route", route },
        };
        _duration.Record(Stopwatch.GetElapsedTime(started).TotalSeconds, tags);
    }

    public void Dispose() => _ownMeter?.Dispose();

    private static IEnumerable<Measurement<long>> Each(FileSites sites, Func<FileSite, long> value)
        => sites.All.Select(site => new Measurement<long>(value(site), new KeyValuePair<string, object?>("ioxide.files.folder", site.Folder)));
}
