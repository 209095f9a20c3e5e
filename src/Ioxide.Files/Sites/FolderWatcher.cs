namespace Ioxide.Files;

/// <summary>Notices that something below a folder changed, or that its path leads to another folder, and has it read again.</summary>
/// <remarks>
/// <para>The kernel reports most changes (inotify, read through the ring). The others are polled every few seconds: a mount over
/// the folder, links that lead out of it, folders on the way that the process must not read. Where there are no rings, or inotify is
/// refused, every file is compared in the same rhythm.</para>
/// <para>What changed is not looked at further: the folder is compared with its snapshot anyway, and a queue of events that overflowed says
/// no less than one that did not. Folders are added to the queue before they are listed, so nothing is missed in between.</para>
/// Source: inotify(7).
/// </remarks>
internal sealed class FolderWatcher : IAsyncDisposable
{
    private const int EventBytes = 16 * 1024;

    // Polling takes a small part of the time, also for large folders.
    private const int RestPerPoll = 100;

    private static readonly TimeSpan s_minPollRest = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_maxPollRest = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_stopPatience = TimeSpan.FromSeconds(1);

    private readonly FileSite _site;
    private readonly ILogger _logger;
    private readonly InotifyQueue? _queue;
    private readonly Reactor? _reactor;
    private readonly RingFile? _events;
    private readonly byte[] _buffer = GC.AllocateUninitializedArray<byte>(EventBytes, pinned: true);
    private readonly CancellationTokenSource _stop = new();
    private Task _running = Task.CompletedTask;
    private volatile bool _isIncomplete;

    private FolderWatcher(FileSite site, InotifyQueue? queue, Reactor? reactor, ILogger logger)
    {
        _site = site;
        _logger = logger;
        _queue = queue;
        _reactor = queue is null ? null : reactor;
        _events = queue is null ? null : RingFile.Adopt(reactor!, queue.Handle, 0);
        _isIncomplete = queue is null;
    }

    /// <summary>Makes it. A line in the log says where the host has no rings or no queues, and files are compared instead.</summary>
    internal static FolderWatcher Start(FileSite site, Func<Reactor?> reactors, ILogger logger)
    {
        InotifyQueue? queue = null;
        Reactor? reactor = reactors();
        if (reactor is null)
        {
            FilesLog.NotWatched(logger, site.Folder, "no io_uring", "The log of the transport says why.");
        }
        else if ((queue = InotifyQueue.TryOpen(out int errno)) is null)
        {
            LogRefusal(logger, site.Folder, "inotify_init1", errno);
        }

        return new FolderWatcher(site, queue, reactor, logger);
    }

    /// <summary>Folders that the kernel watches.</summary>
    internal int WatchCount => _queue?.Count ?? 0;

    /// <summary>A loading begins: watches the way to the root, before it is opened.</summary>
    internal void Begin()
    {
        if (_queue is { } queue)
        {
            // A folder on the way that cannot be watched is looked at in between.
            PathSteps.Walk(_site.Folder, (folder, name) => _ = queue.AddStep(folder, name));
        }
    }

    /// <summary>Watches one folder below the root, or continues to watch it.</summary>
    internal void Enter(SafeFileHandle folder)
    {
        int errno = _queue?.AddFolder(folder) ?? 0;
        if (errno != 0 && !_isIncomplete && !_stop.IsCancellationRequested)
        {
            _isIncomplete = true;
            LogRefusal(_logger, _site.Folder, "inotify_add_watch", errno);
        }
    }

    /// <summary>A loading has come to its end: what it did not enter is watched no longer.</summary>
    internal void End() => _queue?.EndOthers();

    /// <summary>Begins to act on what is noticed.</summary>
    internal void Run() => _running = Task.WhenAll(ReadEventsAsync(), PollAsync());

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
                if (_queue!.Matters(_buffer.AsSpan(0, length)))
                {
                    // After what belongs together has come.
                    await Task.Delay(_site.Options.ReloadDelay, _stop.Token).ConfigureAwait(false);
                    await _site.ReloadOrLogAsync(_stop.Token).ConfigureAwait(false);
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

    private async Task PollAsync()
    {
        TimeSpan rest = s_minPollRest;
        while (true)
        {
            await Task.Delay(rest, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (_stop.IsCancellationRequested)
            {
                return;
            }

            long started = Stopwatch.GetTimestamp();
            bool isChanged = await _site.IsChangedAsync(_isIncomplete, _stop.Token).ConfigureAwait(false);
            TimeSpan cost = Stopwatch.GetElapsedTime(started);
            if (isChanged)
            {
                await Task.Delay(_site.Options.ReloadDelay, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                started = Stopwatch.GetTimestamp();
                await _site.ReloadOrLogAsync(_stop.Token).ConfigureAwait(false);
                cost += Stopwatch.GetElapsedTime(started);
            }

            rest = TimeSpan.FromTicks(Math.Clamp((cost * RestPerPoll).Ticks, s_minPollRest.Ticks, s_maxPollRest.Ticks));
        }
    }
}
