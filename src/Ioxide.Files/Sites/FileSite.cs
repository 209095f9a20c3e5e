using System.Diagnostics;
using Microsoft.Extensions.Logging;

namespace Ioxide.Files;

/// <summary>One mapped folder: its current snapshot, and what makes the next.</summary>
/// <remarks>Threads: any. Readers take <see cref="Snapshot"/> once a request; it is replaced as a whole.</remarks>
internal sealed class FileSite : IAsyncDisposable
{
    private static readonly TimeSpan s_reloadPatience = TimeSpan.FromSeconds(1);

    private readonly ILogger _logger;
    private readonly Func<Reactor?> _reactors;
    private readonly SemaphoreSlim _loading = new(1);
    private FileRoot? _root;
    private SnapshotLoader? _loader;
    private FolderWatcher? _watcher;
    private FileSnapshot _snapshot = FileSnapshot.Empty;

    internal FileSite(string folder, IoxideFilesOptions options, Func<Reactor?> reactors, ILogger logger)
    {
        options.Validate();
        Folder = Path.GetFullPath(folder);
        Options = options;
        _reactors = reactors;
        _logger = logger;
    }

    /// <summary>The folder's full path.</summary>
    internal string Folder { get; }

    internal IoxideFilesOptions Options { get; }

    internal FileCounters Counters { get; } = new();

    /// <summary>What is served now.</summary>
    internal FileSnapshot Snapshot => Volatile.Read(ref _snapshot);

    /// <summary>Snapshots so far.</summary>
    internal int Generation { get; private set; }

    /// <summary>Told of each new snapshot, after it is served.</summary>
    internal event Action? Reloaded;

    /// <summary>Reads the folder and begins to watch it.</summary>
    /// <exception cref="DirectoryNotFoundException">It is not there.</exception>
    internal async Task StartAsync(CancellationToken cancellationToken)
    {
        _root = FileRoot.Open(Folder, Options.SymbolicLinks);
        if (_root.Refusal != 0)
        {
            FilesLog.PathsAreWalked(_logger, Folder, Errno.Name(_root.Refusal));
        }

        _loader = new SnapshotLoader(_root, Options, _reactors, _logger);
        if (Options.WatchForChanges)
        {
            _watcher = FolderWatcher.TryStart(this, _reactors, _logger);
        }

        await ReloadAsync(cancellationToken).ConfigureAwait(false);
        _watcher?.Run();
    }

    /// <summary>Reads the folder anew. Where it fails, the snapshot before stays.</summary>
    internal async Task ReloadAsync(CancellationToken cancellationToken)
    {
        await _loading.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            long started = Stopwatch.GetTimestamp();
            FileSnapshot loaded = await Loader.LoadAsync(
                Snapshot, path => _watcher?.Add(path), cancellationToken).ConfigureAwait(false);
            Volatile.Write(ref _snapshot, loaded);
            Generation++;
            FilesLog.Loaded(
                _logger, Folder, loaded.FileCount, loaded.MemoryBytes, loaded.DiskFileCount,
                Stopwatch.GetElapsedTime(started).TotalMilliseconds);
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

    /// <summary>As <see cref="ReloadAsync"/>, but a failure is a line in the log.</summary>
    internal async Task ReloadOrLogAsync(CancellationToken cancellationToken)
    {
        try
        {
            await ReloadAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            FilesLog.ReloadFailed(_logger, Folder, exception);
        }
    }

    /// <summary>Opens a file that is left on disk. Null where it is gone.</summary>
    /// <remarks>Opening may block: call it on the thread pool.</remarks>
    internal DiskFile? OpenOnDisk(FileVariant known)
    {
        FileContent? content = Loader.Reader.Reopen(known.Disk!.Path, out OpenFile? file);
        return content is null ? null : new DiskFile(SnapshotBuilder.MakeDiskVariant(known, content), file!);
    }

    internal void LogChangedWhileSent(FileVariant variant) => FilesLog.ChangedWhileSent(_logger, variant.Disk!.Path);

    private SnapshotLoader Loader => _loader ?? throw new InvalidOperationException($"{Folder} is not loaded yet: the host starts it.");

    /// <summary>Ends the watching; its descriptor lives on a reactor, which may end before this object.</summary>
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
        if (!await _loading.WaitAsync(s_reloadPatience).ConfigureAwait(false))
        {
            return;
        }

        _root?.Dispose();
        _root = null;
        _loading.Release();
    }
}

/// <summary>A file that is left on disk, open, and what is answered with it.</summary>
internal sealed record DiskFile(FileVariant Variant, OpenFile File) : IDisposable
{
    public void Dispose() => File.Dispose();
}
