using System.Diagnostics.Metrics;
using Microsoft.Extensions.Hosting;

namespace Ioxide.Files;

/// <summary>The mapped folders of a host. They are loaded before it serves.</summary>
internal sealed class FileSites : IHostedLifecycleService, IAsyncDisposable
{
    private readonly IReactorGroupSource? _reactors;
    private readonly Lock _lock = new();
    private readonly FilesMetrics _metrics;
    private FileSite[] _all = [];
    private int _loadedCount;
    private bool _hasReactors = true;

    public FileSites(ILoggerFactory loggers, IReactorGroupSource? reactors = null, IMeterFactory? meters = null)
    {
        Logger = loggers.CreateLogger("Ioxide.Files");
        _reactors = reactors;
        _metrics = new FilesMetrics(meters, this);
    }

    /// <summary>In the order in which they were mapped.</summary>
    internal IReadOnlyList<FileSite> All => Volatile.Read(ref _all);

    internal ILogger Logger { get; }

    internal FileSite Add(string folder, IoxideFilesOptions options)
    {
        var site = new FileSite(folder, options, NextReactor, Logger);
        lock (_lock)
        {
            Volatile.Write(ref _all, [.. _all, site]);
        }

        return site;
    }

    /// <summary>Reads the folders that are mapped and were not read yet. Only the start of the host calls it.</summary>
    /// <exception cref="FolderException">A folder is not there, or cannot be read.</exception>
    internal async Task LoadAsync(CancellationToken cancellationToken)
    {
        for (; _loadedCount < All.Count; _loadedCount++)
        {
            try
            {
                await All[_loadedCount].StartAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                throw FolderException.Of(exception);
            }
        }
    }

    public Task StartingAsync(CancellationToken cancellationToken) => LoadAsync(cancellationToken);

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        foreach (FileSite site in All)
        {
            await site.StopWatchingAsync().ConfigureAwait(false);
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (FileSite site in All)
        {
            await site.DisposeAsync().ConfigureAwait(false);
        }

        _metrics.Dispose();
    }

    /// <summary>The reactor that a file is read on: the caller's, else each in turn. Null where the host has no reactors.</summary>
    private Reactor? NextReactor()
    {
        if (Reactor.Current is { } current)
        {
            return current;
        }

        if (_reactors is null || !_hasReactors)
        {
            return null;
        }

        try
        {
            return _reactors.GetReactors().NextReactor();
        }
        catch (RingUnavailableException)
        {
            // The transport has said why, and serves through sockets.
            _hasReactors = false;
            return null;
        }
    }
}
