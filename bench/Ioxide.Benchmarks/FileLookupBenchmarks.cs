using BenchmarkDotNet.Attributes;
using Ioxide.Files;

namespace Ioxide.Benchmarks;

/// <summary>A request's path among 1,000 files, decoded.</summary>
public class FileLookupBenchmarks
{
    private const int FileCount = 1000;

    private readonly FileSnapshot _snapshot = MakeSnapshot();

    [Benchmark]
    public bool ByPath() => _snapshot.Find("/assets/file500.css") is not null;

    private static FileSnapshot MakeSnapshot()
    {
        var shared = new SharedFields("text/css", FileCoding.Identity, isNegotiated: false, cacheControl: null, []);
        var content = new FileContent(default, DateTimeOffset.UnixEpoch, default, default, disk: null);
        var variant = new FileVariant(content, DateTimeOffset.UnixEpoch, shared);
        NameTable files = NameTable.Empty.With(Enumerable.Range(0, FileCount).Select(static index => $"file{index}.css")
            .ToDictionary(static name => name, FolderItem? (name) => new FileEntry(name, content, variant, [])));
        var assets = new Folder("assets", default, isLinked: false, files, [], [], default);
        NameTable top = NameTable.Empty.With(new Dictionary<string, FolderItem?> { ["assets"] = assets });
        var folder = new Folder("", default, isLinked: false, top, [], [], default);
        return new FileSnapshot(null, folder, new Dictionary<BodyChunk, long>(), new IoxideFilesOptions());
    }
}
