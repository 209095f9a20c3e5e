using System.Text;
using Microsoft.Extensions.Logging;
using Microsoft.Win32.SafeHandles;

namespace Ioxide.Files;

/// <summary>Hears from the kernel that something below a folder changed, through the ring, and has the folder read anew.</summary>
/// <remarks>
/// What changed is not looked at: the folder is compared with its snapshot anyway, and a queue of events that overflowed says no
/// less than one that did not. Folders are added to the queue before they are listed, so nothing is missed in between.
/// Source: inotify(7).
/// </remarks>
internal sealed class FolderWatcher : IAsyncDisposable
{
    private const int EventBytes = 16 * 1024;
    private const uint Events = FileConstants.NotifyCloseWrite | FileConstants.NotifyMovedFrom | FileConstants.NotifyMovedTo
        | FileConstants.NotifyCreate | FileConstants.NotifyDelete | FileConstants.NotifyDeleteSelf | FileConstants.NotifyMoveSelf
        | FileConstants.NotifyAttributes | FileConstants.NotifyOnlyDirectory;

    private static readonly TimeSpan s_stopPatience = TimeSpan.FromSeconds(1);

    private readonly FileSite _site;
    private readonly ILogger _logger;
    private readonly SafeFileHandle _queue;
    private readonly RingFile _events;
    private readonly byte[] _buffer = GC.AllocateUninitializedArray<byte>(EventBytes, pinned: true);
    private readonly CancellationTokenSource _stop = new();
    private Task _running = Task.CompletedTask;
    private bool _isIncomplete;

    private FolderWatcher(FileSite site, SafeFileHandle queue, Reactor reactor, ILogger logger)
    {
        _site = site;
        _logger = logger;
        _queue = queue;
        _events = RingFile.Adopt(reactor, queue, 0);
    }

    /// <summary>Makes the queue. Null, and a line in the log, where the host has no rings or no more queues.</summary>
    internal static FolderWatcher? TryStart(FileSite site, Func<Reactor?> reactors, ILogger logger)
    {
        if (reactors() is not { } reactor)
        {
            FilesLog.NotWatched(logger, site.Folder, "no io_uring", "The line of the transport says why there is none.");
            return null;
        }

        int descriptor = Sys.NotifyQueue();
        if (descriptor < 0)
        {
            LogRefusal(logger, site.Folder, "inotify_init1", -descriptor);
            return null;
        }

        return new FolderWatcher(site, new SafeFileHandle(descriptor, ownsHandle: true), reactor, logger);
    }

    /// <summary>Watches one folder more, or goes on watching it.</summary>
    /// <param name="relativePath">From the root; the root itself is empty.</param>
    internal unsafe void Add(string relativePath)
    {
        byte[] path = Encoding.UTF8.GetBytes(Path.Join(_site.Folder, relativePath) + '\0');
        int result;
        fixed (byte* pointer = path)
        {
            result = Sys.NotifyAdd((int)_queue.DangerousGetHandle(), pointer, Events);
        }

        // A folder that is gone by now was seen going by its parent's watch.
        if (result < 0 && -result != Errno.ENOENT && !_isIncomplete)
        {
            _isIncomplete = true;
            LogRefusal(_logger, Path.Join(_site.Folder, relativePath), "inotify_add_watch", -result);
        }
    }

    /// <summary>Begins to act on what is heard.</summary>
    internal void Run() => _running = RunAsync();

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        bool hasEnded = await _events.Reactor.WaitWhileTurningAsync(_running, s_stopPatience).ConfigureAwait(false);

        // A read in flight holds the descriptor until its reactor turns.
        _events.Dispose();
        _queue.Dispose();
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
            _ => $"Allow {call} in the seccomp profile of the container (deploy/seccomp.json) or in the SystemCallFilter= of the systemd unit.",
        });

    private async Task RunAsync()
    {
        try
        {
            while (true)
            {
                await _events.ReadAsync(_buffer, 0, _stop.Token).ConfigureAwait(false);

                // Off the reactor that read the event, and after what belongs together has come.
                await Task.Delay(_site.Options.ReloadDelay, _stop.Token).ConfigureAwait(false);
                await _site.ReloadOrLogAsync(_stop.Token).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException)
        {
            // The watcher was stopped.
        }
        catch (Exception exception) when (exception is IOException or ObjectDisposedException)
        {
            FilesLog.NotWatched(_logger, _site.Folder, exception.Message, "Restart the process to watch it again.");
        }
    }
}
