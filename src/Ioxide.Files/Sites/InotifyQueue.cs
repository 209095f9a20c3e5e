namespace Ioxide.Files;

/// <summary>A queue of changes to watched folders, and which of them matter.</summary>
/// <remarks>
/// <para>The folders below a site's root matter with all names in them. The folders on the way to the root matter only with the name that
/// the way takes, because much else may happen there.</para>
/// <para>A loading says again which folders there are; watches that it did not name end with it, so that a release that was replaced is
/// not watched for ever. Threads: any.</para>
/// Source: inotify(7).
/// </remarks>
internal sealed class InotifyQueue : IDisposable
{
    private const uint OfWay = FileConstants.NotifyMovedFrom | FileConstants.NotifyMovedTo | FileConstants.NotifyCreate
        | FileConstants.NotifyDelete;

    private const uint OfFolder = OfWay | FileConstants.NotifyCloseWrite | FileConstants.NotifyDeleteSelf
        | FileConstants.NotifyMoveSelf | FileConstants.NotifyAttributes;

    private const int MaskOffset = 4;
    private const int LengthOffset = 12;
    private const int HeaderBytes = 16;

    private readonly SafeFileHandle _queue;
    private readonly Lock _lock = new();

    // By number; the names that matter, or null for all.
    private Dictionary<int, HashSet<string>?> _watches = [];
    private Dictionary<int, HashSet<string>?> _next = [];

    private InotifyQueue(SafeFileHandle queue) => _queue = queue;

    internal SafeFileHandle Handle => _queue;

    /// <summary>Watches that are set.</summary>
    internal int Count
    {
        get
        {
            lock (_lock)
            {
                return _watches.Count;
            }
        }
    }

    /// <returns>Null where the host refuses it.</returns>
    internal static InotifyQueue? TryOpen(out int errno)
    {
        int descriptor = Sys.NotifyQueue();
        errno = descriptor < 0 ? -descriptor : 0;
        return descriptor < 0 ? null : new InotifyQueue(new SafeFileHandle(descriptor, ownsHandle: true));
    }

    /// <summary>Watches a folder on the way to the root for one name. Returns 0 or the error's number.</summary>
    internal int AddStep(string folder, string name) => Add(folder, OfWay, name);

    /// <summary>Watches a folder below the root. Returns 0 or the error's number.</summary>
    /// <remarks>It is named by its descriptor: its path may lead elsewhere by now.</remarks>
    internal int AddFolder(SafeFileHandle folder) => Add($"/proc/self/fd/{folder.DangerousGetHandle()}", OfFolder, null);

    /// <summary>Ends the watches that were not set again since the last call.</summary>
    internal void EndOthers()
    {
        lock (_lock)
        {
            foreach (int watch in _watches.Keys.Where(watch => !_next.ContainsKey(watch)))
            {
                // The kernel has ended it already where the folder is gone.
                Use(queue => Sys.NotifyRemove(queue, watch));
            }

            _watches = _next;
            _next = [];
        }
    }

    /// <summary>Whether any of the events that were read is about something that is served.</summary>
    /// <param name="events">Whole ones, as the kernel wrote them.</param>
    internal bool Matters(ReadOnlySpan<byte> events)
    {
        lock (_lock)
        {
            while (events.Length >= HeaderBytes)
            {
                int watch = BitConverter.ToInt32(events);
                uint mask = BitConverter.ToUInt32(events[MaskOffset..]);
                int length = BitConverter.ToInt32(events[LengthOffset..]);
                if (mask != FileConstants.NotifyIgnored && Matters(watch, events.Slice(HeaderBytes, length).TrimEnd((byte)0)))
                {
                    return true;
                }

                events = events[(HeaderBytes + length)..];
            }

            return false;
        }
    }

    public void Dispose() => _queue.Dispose();

    /// <remarks>A watch that is not known is being set just now, or the queue has overflowed: both matter.</remarks>
    private bool Matters(int watch, ReadOnlySpan<byte> name)
    {
        bool isKnown = _watches.TryGetValue(watch, out HashSet<string>? names);
        bool isNext = _next.TryGetValue(watch, out HashSet<string>? nextNames);
        if (!isKnown && !isNext)
        {
            return true;
        }

        string text = Encoding.UTF8.GetString(name);
        return (isKnown && names?.Contains(text) != false) || (isNext && nextNames?.Contains(text) != false);
    }

    private unsafe int Add(string path, uint events, string? name)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(path + '\0');
        lock (_lock)
        {
            int watch = Use(queue =>
            {
                fixed (byte* pointer = bytes)
                {
                    return Sys.NotifyAdd(queue, pointer, events | FileConstants.NotifyOnlyDirectory | FileConstants.NotifyAddToMask);
                }
            });
            if (watch < 0)
            {
                return -watch;
            }

            // A folder may be both: on the way, and reached through a link below the root.
            if (name is null)
            {
                _next[watch] = null;
            }
            else if (!_next.TryGetValue(watch, out HashSet<string>? names))
            {
                _next[watch] = [name];
            }
            else
            {
                names?.Add(name);
            }

            return 0;
        }
    }

    /// <summary>Calls with the descriptor, unless the queue is closed: a reload may still run when the host has stopped.</summary>
    private int Use(Func<int, int> call)
    {
        bool isReferenced = false;
        try
        {
            _queue.DangerousAddRef(ref isReferenced);
            return call((int)_queue.DangerousGetHandle());
        }
        catch (ObjectDisposedException)
        {
            return -Errno.EBADF;
        }
        finally
        {
            if (isReferenced)
            {
                _queue.DangerousRelease();
            }
        }
    }
}
