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
    private volatile bool _isBehind;
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

    /// <summary>Raised for each new snapshot, once it is served.</summary>
    internal event Action? Reloaded;

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
        if (Snapshot.Listing is { Root.Refusal: var refusal and not 0 })
        {
            FilesLog.PathsAreWalked(_logger, Folder, Errno.Name(refusal));
        }

        _watcher?.Run();
    }

    /// <summary>Reads what the path leads to now. Where it fails, the snapshot before stays.</summary>
    internal async Task ReloadAsync(CancellationToken cancellationToken)
    {
        await _loading.WaitAsync(cancellationToken).ConfigureAwait(false);
        FileRoot? root = null;
        try
        {
            // The caller may be a reactor.
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            long started = Stopwatch.GetTimestamp();
            FolderWatcher? watcher = _watcher;
            watcher?.Begin();
            root = OpenRoot();
            FileSnapshot loaded = await _loader.LoadAsync(
                root, Snapshot, folder => watcher?.Enter(folder), cancellationToken).ConfigureAwait(false);
            watcher?.End();
            Volatile.Write(ref _snapshot, loaded);
            Generation++;
            _isBehind = false;
            _failure = null;
            FilesLog.Loaded(
                _logger, Folder, loaded.FileCount, loaded.MemoryBytes, loaded.DiskFileCount,
                Stopwatch.GetElapsedTime(started).TotalMilliseconds);
        }
        catch
        {
            _isBehind = true;
            Release(root);
            throw;
        }
        finally
        {
            _loading.Release();
        }

        if (Generation > 1)
        {
            // The memory of what was replaced is freed by the collector, which need not be in a hurry otherwise.
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Optimized, blocking: false);
        }

        Reloaded?.Invoke();
    }

    /// <summary>As <see cref="ReloadAsync"/>, but logs any failure. The same failure is logged once.</summary>
    internal async Task ReloadOrLogAsync(CancellationToken cancellationToken)
    {
        try
        {
            await ReloadAsync(cancellationToken).ConfigureAwait(false);
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

    /// <summary>Whether there is something else to serve than what is served, or a reload has failed.</summary>
    /// <param name="comparesFiles">Whether files are looked at too, and not only where folders and links lead.</param>
    /// <param name="cancellationToken">Ends the comparison; then there is nothing.</param>
    internal async Task<bool> IsChangedAsync(bool comparesFiles, CancellationToken cancellationToken)
    {
        if (_isBehind || Snapshot.Listing is not { } known)
        {
            return true;
        }

        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            FileRoot root = OpenRoot();
            Release(root);
            return root != known.Root || known.Scan.Compare() != FolderChange.None
                || (comparesFiles && !_loader.List(root, static _ => { }, cancellationToken).HasSameFiles(known));
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            // The reload that follows meets it again and logs it.
            return !cancellationToken.IsCancellationRequested;
        }
    }

    /// <summary>Opens a file that is left on disk. Null where it is gone.</summary>
    /// <remarks>Opening may block: call it on the thread pool.</remarks>
    internal DiskFile? OpenOnDisk(FileVariant known)
    {
        FileContent? content = _loader.Reader.Reopen(known.Disk!, out OpenFile? file);
        return content is null ? null : new DiskFile(SnapshotBuilder.MakeDiskVariant(known, content), file!);
    }

    internal void LogChangedWhileSent(FileVariant variant) => FilesLog.ChangedWhileSent(_logger, variant.Disk!.Path);

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
            Snapshot.Listing?.Root.Dispose();
            _loading.Release();
        }
    }

    /// <summary>The folder that the path leads to now: the known one where it is the same.</summary>
    private FileRoot OpenRoot()
    {
        // The known one is held open, so that no other folder can have its inode.
        FileRoot opened = FileRoot.Open(Folder, Options.SymbolicLinks);
        if (Snapshot.Listing is not { } known || known.Root.Identity != opened.Identity)
        {
            return opened;
        }

        opened.Dispose();
        return known.Root;
    }

    /// <summary>Closes a folder that did not come to be served.</summary>
    private void Release(FileRoot? root)
    {
        if (root != Snapshot.Listing?.Root)
        {
            root?.Dispose();
        }
    }
}

/// <summary>A file that is left on disk, open, and what is answered with it.</summary>
internal sealed record DiskFile(FileVariant Variant, OpenFile File) : IDisposable
{
    public void Dispose() => File.Dispose();
}
