using BenchmarkDotNet.Attributes;
using Ioxide.Files;

namespace Ioxide.Benchmarks;

/// <summary>A request's path among 1,000 files, as bytes of the request and as a decoded path.</summary>
public class FileLookupBenchmarks
{
    private const int FileCount = 1000;

    private readonly FileSnapshot _snapshot = new(
        Enumerable.Range(0, FileCount).ToDictionary(static index => $"/assets/file{index}.css", static _ => new FileEntry()), [], [], null);

    private readonly TargetTable _targets;

    public FileLookupBenchmarks() => _targets = new TargetTable(_snapshot.Entries);

    [Benchmark]
    public bool ByTarget() => _targets.Find("/assets/file500.css"u8) is not null;

    [Benchmark]
    public bool ByPath() => _snapshot.Find("/assets/file500.css") is not null;
}
