namespace Ioxide.Files;

/// <summary>Makes snapshots of a folder out of the one before and what changed since. What did not change is shared.</summary>
/// <remarks>
/// <para>Looking and opening run on the thread pool, reading on the rings. What vanishes, cannot be read or does not hold still is left
/// out and logged once; a root that cannot be listed fails the whole, and the snapshot before stays.</para>
/// <para>Everything is opened below one descriptor of the root, so that a folder that takes its place has no part in it. Folders that were
/// looked into and links are compared at the end with what they were; where one leads elsewhere, it is read again.</para>
/// </remarks>
internal sealed class SnapshotLoader(IoxideFilesOptions options, Func<Reactor?> reactors, SkipLog log)
{
    // Enough to keep the ring busy while others are opened and hashed.
    private static readonly int s_parallel = Math.Max(4, Environment.ProcessorCount * 2);

    private const int Attempts = 3;

    private readonly SnapshotBuilder _builder = new(options);

    internal ContentReader Reader { get; } = new(reactors);

    /// <param name="root">The folder; the snapshot refers to it.</param>
    /// <param name="before">The snapshot that it replaces; empty at first.</param>
    /// <param name="changes">What is looked at.</param>
    /// <param name="enterFolder">Called with the path of each folder that is listed, and with the folder, open, before it is listed.</param>
    /// <param name="cancellationToken">Ends the loading.</param>
    /// <returns>The snapshot before where nothing is served differently.</returns>
    /// <exception cref="IOException">The root cannot be listed, folders do not hold still, or memory or descriptors are used up.</exception>
    /// <exception cref="UnauthorizedAccessException">The root must not be listed.</exception>
    internal async Task<FileSnapshot> LoadAsync(
        FileRoot root, FileSnapshot before, FolderChanges changes, Action<string, SafeFileHandle, FileIdentity> enterFolder,
        CancellationToken cancellationToken)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        FileSnapshot loaded = before;
        try
        {
            if (!changes.IsWhole)
            {
                if (changes.IncludesPlaces)
                {
                    changes.AddMoved(root, before.Folder.Walk("", static _ => true), comparesNames: true);
                }

                changes.AddMovedLinks(root, before.Folder);
            }

            for (int attempt = 1; changes.IsWhole || changes.Names.Count > 0; attempt++)
            {
                var walk = new FolderWalk(root, loaded.Folder, options, _builder, log, enterFolder);
                walk.Run(changes, cancellationToken);
                loaded = await ApplyAsync(root, walk, loaded, cancellationToken).ConfigureAwait(false);
                changes = new FolderChanges();
                changes.AddMoved(root, walk.Drafts.Select(static draft => (draft.Path, draft.Result!)), comparesNames: false);
                changes.AddMovedLinks(root, loaded.Folder);
                if (attempt == Attempts && changes.Names.Count > 0)
                {
                    return before.Root is null
                        ? loaded
                        : throw new IOException(
                            $"Folders or links below {root.Path} change faster than they can be read. Replace the folder as a whole instead.");
                }
            }
        }
        finally
        {
            log.End();
        }

        return loaded;
    }

    private async Task<FileSnapshot> ApplyAsync(FileRoot root, FolderWalk walk, FileSnapshot before, CancellationToken cancellationToken)
    {
        long spareBytes = Place(walk, before.Folder);
        foreach (FileDraft file in FilesOf(walk))
        {
            // On disk, it is opened below the root that it was found in.
            file.Content = file.Known is { IsSettled: true } known && known.Version == file.Version
                && (known.IsOnDisk ? !file.IsInMemory && known.Disk!.Root == root : file.IsInMemory)
                    ? known
                    : null;
        }

        var memory = new SnapshotMemory(spareBytes);
        Gather(walk, before, memory);
        await Parallel.ForEachAsync(
            FilesOf(walk).Where(static file => file.Content is null).ToList(),
            new ParallelOptions { MaxDegreeOfParallelism = s_parallel, CancellationToken = cancellationToken },
            async (file, cancellation) =>
            {
                if (file.IsInMemory)
                {
                    await Reader.ReadAsync(root, file, memory, cancellation).ConfigureAwait(false);
                }
                else
                {
                    file.Content = ContentReader.OnDisk(root, FolderPath.Join(file.Folder.Path, file.Name), file.Version);
                }
            }).ConfigureAwait(false);
        memory.Seal();
        foreach (FileDraft file in FilesOf(walk))
        {
            if (file.Failure is { } failure)
            {
                file.Folder.Skip(file.Name, failure);
            }
        }

        foreach (FolderDraft draft in walk.Drafts.Reverse())
        {
            draft.Finish(_builder.MakeEntry);
        }

        Folder folder = walk.Drafts[0].Result!;
        return folder == before.Folder && root == before.Root
            ? before
            : new FileSnapshot(root, folder, CountBytes(walk, before), options);
    }

    private static IEnumerable<FileDraft> FilesOf(FolderWalk walk) => walk.Drafts.SelectMany(static draft => draft.Files.Values).OfType<FileDraft>();

    /// <summary>The smallest files lie in memory, as many as fit; of those of one length the ones that do so already.</summary>
    /// <returns>What is left of the budget; none where files stay on disk.</returns>
    private long Place(FolderWalk walk, Folder before)
    {
        long total = before.Totals.Bytes;
        foreach (FolderDraft draft in walk.Drafts)
        {
            total -= Replaced(draft).Sum(static item => item.Totals.Bytes);
            total += draft.Files.Values.Sum(static file => file?.Version.Length ?? 0);
        }

        if (total <= options.MemoryBudget && before.Totals.DiskFiles == 0)
        {
            foreach (FileDraft file in FilesOf(walk))
            {
                file.IsInMemory = file.Version.Length <= BodyChunk.MaxBytes;
            }

            return options.MemoryBudget - total;
        }

        (string Folder, FileEntry? Entry, FileDraft? Draft)[] files =
        [
            .. Untouched(walk, before).Select(static file => (file.Folder, (FileEntry?)file.Entry, (FileDraft?)null)),
            .. FilesOf(walk).Select(static file => (file.Folder.Path, (FileEntry?)null, (FileDraft?)file)),
        ];
        long[] order = Array.ConvertAll(files, static file => file.Entry is { } entry
            ? (entry.Content.Length * 2) + (entry.Content.IsOnDisk ? 1 : 0)
            : (file.Draft!.Version.Length * 2) + (file.Draft.Known is { IsOnDisk: false } ? 0 : 1));
        Array.Sort(order, files);
        long left = options.MemoryBudget;
        foreach ((string folder, FileEntry? entry, FileDraft? draft) in files)
        {
            FileVersion version = entry?.Content.Version ?? draft!.Version;
            left -= version.Length;
            bool isInMemory = left >= 0 && version.Length <= BodyChunk.MaxBytes;
            FileDraft? placed = entry is not null && entry.Content.IsOnDisk == isInMemory ? Touch(walk, folder, entry) : draft;
            placed?.IsInMemory = isInMemory;
        }

        return 0;
    }

    /// <summary>Copies what is left in chunks of which little is still named.</summary>
    private static void Gather(FolderWalk walk, FileSnapshot before, SnapshotMemory memory)
    {
        HashSet<BodyChunk> sparse = SnapshotMemory.FindSparse(CountBytes(walk, before));
        if (sparse.Count == 0)
        {
            return;
        }

        foreach ((string folder, FileEntry entry) in Untouched(walk, before.Folder).ToList())
        {
            if (IsSparse(entry.Content))
            {
                Touch(walk, folder, entry).Content = entry.Content;
            }
        }

        foreach (FileDraft file in FilesOf(walk))
        {
            if (file.Content is { } content && IsSparse(content))
            {
                file.Content = content.CopyTo(memory);
            }
        }

        bool IsSparse(FileContent content) => content.Body.Chunk is { } chunk && sparse.Contains(chunk);
    }

    /// <summary>The bytes of each chunk that are named, as far as is known by now.</summary>
    private static Dictionary<BodyChunk, long> CountBytes(FolderWalk walk, FileSnapshot before)
    {
        var chunks = new Dictionary<BodyChunk, long>(before.Chunks);
        foreach (FileEntry entry in walk.Drafts.SelectMany(Replaced).SelectMany(FilesIn))
        {
            Add(entry.Content, -entry.Content.Length);
        }

        foreach (FileDraft file in FilesOf(walk))
        {
            Add(file.Content, file.Content?.Length ?? 0);
        }

        return chunks;

        void Add(FileContent? content, long bytes)
        {
            if (content?.Body.Chunk is { } chunk)
            {
                chunks[chunk] = chunks.GetValueOrDefault(chunk) + bytes;
                if (chunks[chunk] == 0)
                {
                    chunks.Remove(chunk);
                }
            }
        }
    }

    /// <summary>What was known by the names that were looked at. A folder that is looked into stays.</summary>
    private static IEnumerable<FolderItem> Replaced(FolderDraft draft)
        => draft.Files.Keys.Concat(draft.Folders.Values.Where(folder => folder.Before is null).Select(static folder => folder.Name))
            .Select(name => draft.Before?.Items.Find(name)).OfType<FolderItem>();

    private static IEnumerable<FileEntry> FilesIn(FolderItem item) => item is Folder folder
        ? folder.Walk("", static _ => true).SelectMany(static inner => inner.Folder.Items.Items).OfType<FileEntry>()
        : [(FileEntry)item];

    /// <summary>The files that stay as they are, so far.</summary>
    private static IEnumerable<(string Folder, FileEntry Entry)> Untouched(FolderWalk walk, Folder before)
    {
        Dictionary<string, FolderDraft> drafts = walk.Drafts.ToDictionary(static draft => draft.Path, StringComparer.Ordinal);
        var open = new Stack<(string Path, Folder Folder)>([("", before)]);
        while (open.TryPop(out (string Path, Folder Folder) next))
        {
            FolderDraft? draft = drafts.GetValueOrDefault(next.Path);
            foreach (FolderItem item in next.Folder.Items.Items)
            {
                if (item is Folder inner && draft?.Files.ContainsKey(item.Name) != true)
                {
                    open.Push((FolderPath.Join(next.Path, inner.Name), inner));
                }
                else if (item is FileEntry entry && draft?.HasLookedAt(item.Name) != true)
                {
                    yield return (next.Path, entry);
                }
            }
        }
    }

    private static FileDraft Touch(FolderWalk walk, string folder, FileEntry entry)
    {
        FolderDraft draft = walk.Find(folder)!;
        var file = new FileDraft(draft, entry.Name, entry.Content.Version);
        draft.Files[entry.Name] = file;
        return file;
    }
}
