using System.Diagnostics.Metrics;

namespace Ioxide.Files;

/// <summary>Instruments of static files.</summary>
internal sealed class FilesMetrics : IDisposable
{
    private readonly Meter? _ownMeter;

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
            "By", "Bytes of files in memory.");
        meter.CreateObservableUpDownCounter("ioxide.files.file.count", () => Each(sites, static site => (long)site.Snapshot.FileCount),
            "{file}", "Files in memory.");
        meter.CreateObservableCounter("ioxide.files.hits", () => Each(sites, static site => site.Counters.Hits),
            "{request}", "Requests for existing files.");
        meter.CreateObservableCounter("ioxide.files.misses", () => Each(sites, static site => site.Counters.Misses),
            "{request}", "Requests for missing files.");
        meter.CreateObservableCounter("ioxide.files.not_modified", () => Each(sites, static site => site.Counters.NotModified),
            "{request}", "Requests answered with 304.");
    }

    public void Dispose() => _ownMeter?.Dispose();

    private static IEnumerable<Measurement<long>> Each(FileSites sites, Func<FileSite, long> value)
        => sites.All.Select(site => new Measurement<long>(value(site), new KeyValuePair<string, object?>("ioxide.files.folder", site.Folder)));
}
