using System.Collections.Concurrent;

namespace Ioxide.Files;

/// <summary>Makes snapshots of a folder. What did not change since the one before is shared with it.</summary>
/// <remarks>
/// <para>Listing and opening run on the thread pool, reading on the rings. What vanishes, cannot be read or does not hold still is left
/// out and logged once; a root that cannot be listed fails the whole, and the snapshot before stays.</para>
/// <para>Everything is opened below one descriptor of the root, so that a folder that takes its place has no part in it. Folders and links
/// below it are compared at the end with what they were when they were listed; where one leads elsewhere, all is read again.</para>
/// </remarks>
internal sealed class SnapshotLoader(IoxideFilesOptions options, Func<Reactor?> reactors, SkipLog skips)
{
    // Enough to keep the ring busy while others are opened and hashed.
    private static readonly int s_parallel = Math.Max(4, Environment.ProcessorCount * 2);

    // A folder that is written to without a pause is left to the reload that its changes will bring.
    private const int Attempts = 3;

    private readonly SnapshotBuilder _builder = new(options, skips);

    internal ContentReader Reader { get; } = new(reactors, skips);

    /// <param name="root">The folder; the snapshot refers to it.</param>
    /// <param name="before">The snapshot that it replaces; empty at first.</param>
    /// <param name="enterFolder">Called with each folder, open, from the root on, before it is listed.</param>
    /// <param name="cancellationToken">Ends the loading.</param>
    /// <exception cref="IOException">The root cannot be listed, folders do not hold still, or memory or descriptors are used up.</exception>
    /// <exception cref="UnauthorizedAccessException">The root must not be listed.</exception>
    internal async Task<FileSnapshot> LoadAsync(
        FileRoot root, FileSnapshot before, Action<SafeFileHandle> enterFolder, CancellationToken cancellationToken)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        bool isFirst = before.Listing is null;
        for (int attempt = 1; ; attempt++)
        {
            skips.Begin();
            FolderListing listing = List(root, enterFolder, cancellationToken);
            FileSnapshot loaded = await ReadAsync(listing, before, cancellationToken).ConfigureAwait(false);
            skips.End();
            FolderChange change = listing.Scan.Compare();
            if (change == FolderChange.None || (attempt == Attempts && (isFirst || change == FolderChange.Names)))
            {
                return loaded;
            }

            if (attempt == Attempts)
            {
                throw new IOException(
                    $"Folders or links below {root.Path} change faster than they can be read. Replace the folder as a whole instead.");
            }

            before = loaded;
        }
    }

    /// <summary>Finds what there is to serve, and reads none of it.</summary>
    internal FolderListing List(FileRoot root, Action<SafeFileHandle> enterFolder, CancellationToken cancellationToken)
    {
        FolderScan scan = FolderScan.Run(root, options.ServeDotFiles, enterFolder, Skip, cancellationToken);
        var versions = new Dictionary<string, FileVersion>(scan.Files.Count, StringComparer.Ordinal);
        foreach (string path in scan.Files)
        {
            if (_builder.IsServed(path) && Reader.Describe(root, path) is { } version)
            {
                versions.Add(path, version);
            }
        }

        return new FolderListing(root, scan, versions);
    }

    private void Skip(string path, ItemKind kind, string reason)
    {
        // What would not be served anyway is not missed.
        if (kind is ItemKind.Folder or ItemKind.NotUtf8 || _builder.IsServed(path))
        {
            skips.Skip(path, reason);
        }
    }

    private async Task<FileSnapshot> ReadAsync(FolderListing listing, FileSnapshot before, CancellationToken cancellationToken)
    {
        Dictionary<string, FileVersion> found = listing.Versions;
        HashSet<string> inMemory = WithinBudget(found);
        Dictionary<string, FileContent> kept = Keep(before, listing, inMemory);
        HashSet<BodyChunk> sparse = SnapshotMemory.FindSparse(kept.Values.SelectMany(static content => content.Bodies));
        var memory = new SnapshotMemory();
        var contents = new ConcurrentDictionary<string, FileContent>(s_parallel, found.Count, StringComparer.Ordinal);
        await Parallel.ForEachAsync(
            found,
            new ParallelOptions { MaxDegreeOfParallelism = s_parallel, CancellationToken = cancellationToken },
            async (file, cancellation) =>
            {
                (string path, FileVersion version) = file;
                FileContent? content = kept.GetValueOrDefault(path);
                if (content is not null && content.Bodies.Any(body => sparse.Contains(body.Chunk)))
                {
                    content = content.CopyTo(memory);
                }

                content ??= inMemory.Contains(path)
                    ? await Reader.ReadAsync(
                        listing.Root, path, LastWhole(before, path, version)?.Under(listing.Root), memory, cancellation).ConfigureAwait(false)
                    : ContentReader.OnDisk(listing.Root, path, version);
                if (content is not null)
                {
                    Compress(content, memory);
                    contents[path] = content;
                }
            }).ConfigureAwait(false);
        memory.Seal();
        return _builder.Build(contents.ToDictionary(StringComparer.Ordinal), listing);
    }

    /// <summary>A file that is being written answers as it was read last.</summary>
    private static FileContent? LastWhole(FileSnapshot before, string path, FileVersion version)
        => before.Contents.TryGetValue(path, out FileContent? content) && !content.IsOnDisk
            && content.Version.Identity == version.Identity
            ? content
            : null;

    /// <summary>The smallest files, as many as fit.</summary>
    private HashSet<string> WithinBudget(Dictionary<string, FileVersion> found)
    {
        var inMemory = new HashSet<string>(found.Count, StringComparer.Ordinal);
        long left = options.MemoryBudget;
        foreach ((string path, FileVersion version) in found.OrderBy(static file => file.Value.Length))
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
    private static Dictionary<string, FileContent> Keep(FileSnapshot before, FolderListing listing, HashSet<string> inMemory)
    {
        var kept = new Dictionary<string, FileContent>(before.FileCount, StringComparer.Ordinal);
        foreach ((string path, FileVersion version) in listing.Versions)
        {
            if (before.Contents.TryGetValue(path, out FileContent? content)
                && content.IsSettled
                && content.Version == version
                && (content.Root == listing.Root || !content.IsOnDisk)
                && (content.IsOnDisk != inMemory.Contains(path) || version.Length == 0))
            {
                kept.Add(path, content.Under(listing.Root));
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
