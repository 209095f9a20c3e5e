namespace Ioxide.Files;

/// <summary>One mapped folder: its current snapshot, and what makes the next one.</summary>
/// <remarks>Threads: any. Readers take <see cref="Snapshot"/> once per request; it is replaced as a whole.</remarks>
internal sealed class FileSite : IAsyncDisposable
{
    private static readonly TimeSpan s_reloadPatience = TimeSpan.FromSeconds(1);

    private readonly ILogger _logger;
    private readonly Func<Reactor?> _reactors;
    private readonly SemaphoreSlim _loading = new(1);
    private readonly SnapshotLoader _loader;
    private FolderWatcher? _watcher;
    private FileSnapshot _snapshot = FileSnapshot.Empty;
    private string? _failure;
    private volatile bool _isDisposed;

    internal FileSite(string folder, IoxideFilesOptions options, Func<Reactor?> reactors, ILogger logger)
    {
        options.Validate();
        Folder = Path.GetFullPath(folder);
        Options = options;
        _reactors = reactors;
        _logger = logger;
        _loader = new SnapshotLoader(options, reactors, new SkipLog(Folder, logger));
    }

    /// <summary>The folder's full path.</summary>
    internal string Folder { get; }

    internal IoxideFilesOptions Options { get; }

    internal FileCounters Counters { get; } = new();

    /// <summary>What is served now.</summary>
    internal FileSnapshot Snapshot => Volatile.Read(ref _snapshot);

    /// <summary>Snapshots so far.</summary>
    internal int Generation { get; private set; }

    /// <summary>What notices changes; null where nothing does.</summary>
    internal FolderWatcher? Watcher => _watcher;

    /// <summary>Reads the folder and begins to watch it.</summary>
    /// <exception cref="DirectoryNotFoundException">It is not there.</exception>
    /// <exception cref="IOException">It cannot be listed.</exception>
    /// <exception cref="UnauthorizedAccessException">It must not be listed.</exception>
    internal async Task StartAsync(CancellationToken cancellationToken)
    {
        if (Options.WatchForChanges)
        {
            _watcher = FolderWatcher.Start(this, _reactors, _logger);
        }

        await ReloadAsync(cancellationToken).ConfigureAwait(false);
        if (Snapshot.Root is { Refusal: var refusal and not 0 })
        {
            FilesLog.PathsAreWalked(_logger, Folder, Errno.Name(refusal));
        }

        _watcher?.Run();
    }

    /// <summary>Reads what the path leads to now. Where it fails, the snapshot before stays.</summary>
    internal Task ReloadAsync(CancellationToken cancellationToken) => ReloadAsync(FolderChanges.Whole(), cancellationToken);

    /// <summary>As <see cref="ReloadAsync(CancellationToken)"/>, of what changed, but logs any failure. The same failure is logged once.</summary>
    internal async Task ReloadOrLogAsync(FolderChanges changes, CancellationToken cancellationToken)
    {
        try
        {
            await ReloadAsync(changes, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            string failure = $"{exception.GetType()} {exception.Message}";
            if (!cancellationToken.IsCancellationRequested && Interlocked.Exchange(ref _failure, failure) != failure)
            {
                FilesLog.ReloadFailed(_logger, Folder, exception);
            }
        }
    }

    /// <summary>Opens a file that is left on disk. Null where it is gone.</summary>
    /// <remarks>Opening may block: call it on the thread pool.</remarks>
    internal DiskFile? OpenOnDisk(FileVariant known)
    {
        FileContent? content = _loader.Reader.Reopen(known.Content.Disk!, out OpenFile? file);
        return content is null ? null : new DiskFile(SnapshotBuilder.MakeDiskVariant(known, content), file!);
    }

    internal void LogChangedWhileSent(FileVariant variant) => FilesLog.ChangedWhileSent(_logger, variant.Content.Disk!.Path);

    /// <summary>Stops watching; the descriptor lives on a reactor, which may end before this object.</summary>
    internal async Task StopWatchingAsync()
    {
        if (Interlocked.Exchange(ref _watcher, null) is { } watcher)
        {
            await watcher.DisposeAsync().ConfigureAwait(false);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await StopWatchingAsync().ConfigureAwait(false);

        // A reload in flight opens below the root. One that waits for a blocked reactor keeps it, and the collector closes it.
        _isDisposed = true;
        if (await _loading.WaitAsync(s_reloadPatience).ConfigureAwait(false))
        {
            Snapshot.Root?.Dispose();
            _loading.Release();
        }
    }

    private async Task ReloadAsync(FolderChanges changes, CancellationToken cancellationToken)
    {
        await _loading.WaitAsync(cancellationToken).ConfigureAwait(false);
        FileRoot? root = null;
        FileSnapshot before = Snapshot;
        FolderWatcher? watcher = _watcher;
        try
        {
            // The caller may be a reactor.
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            long started = Stopwatch.GetTimestamp();
            bool hasWay = changes.IncludesPlaces;
            if (hasWay)
            {
                watcher?.WatchWay();
            }

            root = hasWay ? OpenRoot() : before.Root!;
            if (root != before.Root)
            {
                changes.AddWhole();
            }

            FileSnapshot loaded = await _loader.LoadAsync(
                root, before, changes, (path, folder, identity) => watcher?.Enter(path, folder, identity), cancellationToken).ConfigureAwait(false);
            watcher?.End(loaded.Folder, hasWay);
            _failure = null;
            if (loaded == before)
            {
                return;
            }

            Volatile.Write(ref _snapshot, loaded);
            Generation++;
            if (root != before.Root && before.DiskFileCount == 0)
            {
                // No request opens below it any more. A file system that was mounted there can go.
                before.Root?.Dispose();
            }

            FilesLog.Loaded(
                _logger, Folder, loaded.FileCount, loaded.MemoryBytes, loaded.DiskFileCount,
                Stopwatch.GetElapsedTime(started).TotalMilliseconds);
        }
        catch
        {
            watcher?.Add(changes);
            if (root != before.Root)
            {
                root?.Dispose();
            }

            throw;
        }
        finally
        {
            _loading.Release();
        }
    }

    /// <summary>The folder that the path leads to now: the known one where it is the same.</summary>
    private FileRoot OpenRoot()
    {
        // The known one is held open, so that no other folder can have its inode.
        FileRoot opened = FileRoot.Open(Folder, Options.SymbolicLinks);
        if (Snapshot.Root is not { } known || known.Identity != opened.Identity)
        {
            return opened;
        }

        opened.Dispose();
        return known;
    }
}

/// <summary>A file that is left on disk, open, and what is answered with it.</summary>
internal sealed record DiskFile(FileVariant Variant, OpenFile File) : IDisposable
{
    public void Dispose() => File.Dispose();
}
