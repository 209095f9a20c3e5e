namespace Ioxide.Files;

/// <summary>Notices that something below a folder changed, or that its path leads to another folder, and has it read again.</summary>
/// <remarks>
/// <para>The kernel reports most changes (inotify, read through the ring) with their names, and only these are looked at. The others are
/// polled every few seconds: a mount over the folder, links that lead out of it, folders on the way that the process must not read. In the same
/// rhythm every file is compared where there are no reactors, where inotify is refused, and where a folder lies on a file system that another
/// machine may change: it may write to a file that the folder had before.</para>
/// <para>Folders are added to the queue before they are listed, so nothing is missed in between. A queue that overflowed has every file
/// compared. Between two reloads lies a rest in proportion to what the first has cost.</para>
/// Source: inotify(7).
/// </remarks>
internal sealed class FolderWatcher : IAsyncDisposable
{
    private const int EventBytes = 16 * 1024;

    // Reloads take at most a quarter of a processor, and polling a small part of it. Long polls take a tenth of the time.
    private const int RestPerReload = 3;
    private const int RestPerPoll = 100;
    private const int RestPerLongPoll = 9;

    private static readonly TimeSpan s_minPollRest = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_maxRest = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_stopPatience = TimeSpan.FromSeconds(1);

    private readonly FileSite _site;
    private readonly ILogger _logger;
    private readonly InotifyQueue? _queue;
    private readonly Reactor? _reactor;
    private readonly RingFile? _events;
    private readonly byte[] _buffer = GC.AllocateUninitializedArray<byte>(EventBytes, pinned: true);
    private readonly CancellationTokenSource _stop = new();
    private readonly SemaphoreSlim _woken = new(0, 1);
    private readonly Lock _lock = new();
    private FolderChanges _pending = new();
    private Task _running = Task.CompletedTask;
    private volatile bool _isIncomplete;
    private volatile bool _isShared;

    private FolderWatcher(FileSite site, InotifyQueue? queue, Reactor? reactor, ILogger logger)
    {
        _site = site;
        _logger = logger;
        _queue = queue;
        _reactor = queue is null ? null : reactor;
        _events = queue is null ? null : RingFile.Adopt(reactor!, queue.Handle, 0);
        _isIncomplete = queue is null;
    }

    /// <summary>Makes it. A line in the log says where the host has no reactors or no queues, and files are compared instead.</summary>
    internal static FolderWatcher Start(FileSite site, Func<Reactor?> reactors, ILogger logger)
    {
        InotifyQueue? queue = null;
        Reactor? reactor = reactors();
        if (reactor is null)
        {
            FilesLog.NotWatched(logger, site.Folder, "no reactors", "The log of the transport says why.");
        }
        else if ((queue = InotifyQueue.TryOpen(out int errno)) is null)
        {
            LogRefusal(logger, site.Folder, "inotify_init1", errno);
        }

        return new FolderWatcher(site, queue, reactor, logger);
    }

    /// <summary>Folders that the kernel watches.</summary>
    internal int WatchCount => _queue?.Count ?? 0;

    /// <summary>Watches the way to the root, before it is opened.</summary>
    internal void WatchWay()
    {
        if (_queue is { } queue)
        {
            // A folder on the way that cannot be watched is looked at in between.
            PathSteps.Walk(_site.Folder, (folder, name) => _ = queue.AddStep(folder, name));
        }
    }

    /// <summary>Watches one folder below the root, or continues to watch it.</summary>
    internal void Enter(string path, SafeFileHandle folder, FileIdentity identity)
    {
        _isShared = _isShared || SharedFileSystem.Has(folder);
        int errno = _queue?.AddFolder(path, folder, identity) ?? 0;
        if (errno != 0 && !_isIncomplete && !_stop.IsCancellationRequested)
        {
            _isIncomplete = true;
            LogRefusal(_logger, _site.Folder, "inotify_add_watch", errno);
        }
    }

    /// <summary>A loading has come to its end: what is not served is watched no longer.</summary>
    /// <param name="served">The root.</param>
    /// <param name="hasWay">Whether the way to it was watched anew.</param>
    internal void End(Folder served, bool hasWay) => _queue?.EndOthers(served, hasWay);

    /// <summary>Has changes looked at with the next poll, where a reload of them failed.</summary>
    internal void Add(FolderChanges changes)
    {
        lock (_lock)
        {
            _pending.Add(changes);
        }
    }

    /// <summary>Begins to act on what is noticed.</summary>
    internal void Run() => _running = Task.WhenAll(ReadEventsAsync(), ReloadAsync());

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        bool hasEnded = _reactor is null
            ? await Task.WhenAny(_running, Task.Delay(s_stopPatience)).ConfigureAwait(false) == _running
            : await _reactor.WaitWhileTurningAsync(_running, s_stopPatience).ConfigureAwait(false);

        // A read in flight holds the descriptor until its reactor turns.
        _events?.Dispose();
        _queue?.Dispose();
        if (hasEnded)
        {
            _stop.Dispose();
        }
    }

    private static void LogRefusal(ILogger logger, string folder, string call, int errno)
        => FilesLog.NotWatched(logger, folder, $"{call} failed with {Errno.Name(errno)}", errno switch
        {
            Errno.EMFILE or Errno.ENFILE => "Raise the sysctl fs.inotify.max_user_instances, or the limit of open files (ulimit -n, LimitNOFILE=).",
            Errno.ENOSPC => "Raise the sysctl fs.inotify.max_user_watches.",
            Errno.ENOENT => "Mount /proc in the container.",
            _ => $"Allow {call} in the seccomp profile of the container (deploy/seccomp.json) or in the SystemCallFilter= of the systemd unit.",
        });

    private async Task ReadEventsAsync()
    {
        try
        {
            while (_events is not null)
            {
                int length = await _events.ReadAsync(_buffer, 0, _stop.Token).ConfigureAwait(false);

                // Off the reactor that read the events.
                await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
                lock (_lock)
                {
                    _queue!.Collect(_buffer.AsSpan(0, length), _pending);
                    if (!_pending.IsEmpty && _woken.CurrentCount == 0)
                    {
                        _woken.Release();
                    }
                }
            }
        }
        catch (Exception exception) when (_stop.IsCancellationRequested)
        {
            // The watcher was stopped, so the exception does not matter.
            _ = exception;
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            _isIncomplete = true;
            FilesLog.NotWatched(_logger, _site.Folder, exception.Message, "Restart the process to watch the folder again.");
        }
    }

    private async Task ReloadAsync()
    {
        TimeSpan rest = TimeSpan.Zero;
        TimeSpan untilPoll = s_minPollRest;
        long ended = Stopwatch.GetTimestamp();
        long polled = ended;
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                TimeSpan left = untilPoll - Stopwatch.GetElapsedTime(polled);
                if (await _woken.WaitAsync(left > TimeSpan.Zero ? left : TimeSpan.Zero, _stop.Token).ConfigureAwait(false))
                {
                    // After what belongs together has come.
                    left = rest - Stopwatch.GetElapsedTime(ended);
                    await Task.Delay(left > _site.Options.ReloadDelay ? left : _site.Options.ReloadDelay, _stop.Token).ConfigureAwait(false);
                }
            }
            catch (OperationCanceledException)
            {
                return;
            }

            bool isPoll = Stopwatch.GetElapsedTime(polled) >= untilPoll;
            FolderChanges changes = Take(isPoll);
            long started = Stopwatch.GetTimestamp();
            await _site.ReloadOrLogAsync(changes, _stop.Token).ConfigureAwait(false);
            ended = Stopwatch.GetTimestamp();
            TimeSpan cost = Stopwatch.GetElapsedTime(started, ended);
            rest = Clamp(cost * RestPerReload, TimeSpan.Zero);
            if (isPoll)
            {
                polled = ended;
                untilPoll = Clamp(cost * RestPerPoll, s_minPollRest);
                untilPoll = cost * RestPerLongPoll > untilPoll ? cost * RestPerLongPoll : untilPoll;
            }
        }
    }

    private FolderChanges Take(bool isPoll)
    {
        FolderChanges changes;
        lock (_lock)
        {
            changes = _pending;
            _pending = new FolderChanges();
        }

        if (isPoll && (_isIncomplete || _isShared))
        {
            changes.AddWhole();
        }
        else if (isPoll)
        {
            changes.AddPlaces();
        }

        return changes;
    }

    private static TimeSpan Clamp(TimeSpan rest, TimeSpan least) => TimeSpan.FromTicks(Math.Clamp(rest.Ticks, least.Ticks, s_maxRest.Ticks));
}
