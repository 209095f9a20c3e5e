using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Ioxide.Files;

/// <summary>Makes a snapshot of a folder. What did not change since the one before is shared with it.</summary>
/// <remarks>
/// Listing and opening run on the thread pool, reading on the rings. A file that vanishes, cannot be read or does not hold still
/// is left out with a line in the log; a folder that cannot be listed fails the whole, and the snapshot before stays.
/// </remarks>
internal sealed class SnapshotLoader(FileRoot root, IoxideFilesOptions options, Func<Reactor?> reactors, ILogger logger)
{
    // Enough to keep the ring busy while others are opened and hashed.
    private static readonly int s_parallel = Math.Max(4, Environment.ProcessorCount * 2);

    private readonly ContentReader _reader = new(root, reactors, logger);
    private readonly SnapshotBuilder _builder = new(options);

    internal ContentReader Reader => _reader;

    /// <param name="before">The snapshot that it replaces; empty at first.</param>
    /// <param name="enterFolder">Called with each folder, from the root, before it is listed.</param>
    /// <param name="cancellationToken">Ends the loading.</param>
    /// <exception cref="IOException">A folder cannot be listed, or a file not be read though it is there.</exception>
    internal async Task<FileSnapshot> LoadAsync(
        FileSnapshot before, Action<string> enterFolder, CancellationToken cancellationToken)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        List<string> files = FolderScan.Run(root, options.ServeDotFiles, enterFolder).Files;
        List<(string Path, FileVersion Version)> found = Describe(files);
        HashSet<string> inMemory = WithinBudget(found);
        Dictionary<string, FileContent> kept = Keep(before, found, inMemory);
        HashSet<BodyChunk> sparse = SnapshotMemory.FindSparse(kept.Values.SelectMany(static content => content.Bodies));
        var memory = new SnapshotMemory();
        var contents = new ConcurrentDictionary<string, FileContent>(s_parallel, found.Count, StringComparer.Ordinal);
        await Parallel.ForEachAsync(
            found,
            new ParallelOptions { MaxDegreeOfParallelism = s_parallel, CancellationToken = cancellationToken },
            async (file, cancellation) =>
            {
                FileContent? content = kept.GetValueOrDefault(file.Path);
                if (content is not null && content.Bodies.Any(body => sparse.Contains(body.Chunk)))
                {
                    content = content.CopyTo(memory);
                }

                content ??= inMemory.Contains(file.Path)
                    ? await _reader.ReadAsync(file.Path, memory, cancellation).ConfigureAwait(false)
                    : ContentReader.OnDisk(file.Path, file.Version, DateTimeOffset.UtcNow);
                if (content is not null)
                {
                    Compress(content, memory);
                    contents[file.Path] = content;
                }
            }).ConfigureAwait(false);
        memory.Seal();
        return _builder.Build(contents.ToDictionary(StringComparer.Ordinal));
    }

    private List<(string Path, FileVersion Version)> Describe(List<string> files)
    {
        var found = new List<(string Path, FileVersion Version)>(files.Count);
        foreach (string path in files)
        {
            if (_builder.IsServed(path) && _reader.Describe(path) is { } version)
            {
                found.Add((path, version));
            }
        }

        return found;
    }

    /// <summary>The smallest files, as many as fit.</summary>
    private HashSet<string> WithinBudget(List<(string Path, FileVersion Version)> found)
    {
        var inMemory = new HashSet<string>(found.Count, StringComparer.Ordinal);
        long left = options.MemoryBudget;
        foreach ((string path, FileVersion version) in found.OrderBy(static file => file.Version.Length))
        {
            left -= version.Length;
            if (left < 0)
            {
                break;
            }

            inMemory.Add(path);
        }

        return inMemory;
    }

    /// <summary>What did not change since the snapshot before.</summary>
    private static Dictionary<string, FileContent> Keep(
        FileSnapshot before, List<(string Path, FileVersion Version)> found, HashSet<string> inMemory)
    {
        var kept = new Dictionary<string, FileContent>(before.FileCount, StringComparer.Ordinal);
        foreach ((string path, FileVersion version) in found)
        {
            if (before.Contents.TryGetValue(path, out FileContent? content)
                && content.IsSettled
                && content.Version == version
                && (content.IsOnDisk != inMemory.Contains(path) || version.Length == 0))
            {
                kept.Add(path, content);
            }
        }

        return kept;
    }

    private void Compress(FileContent content, SnapshotMemory memory)
    {
        if (options.CompressAtStart && content is { Body: { } body, Copies: null }
            && _builder.TypeOf(content.Path) is { } type && Compressor.IsWorthwhile(type))
        {
            content.Copies = Compressor.Run(body, memory);
        }
    }
}
