namespace Ioxide.Files;

/// <summary>A queue of changes to watched folders, and what they are about.</summary>
/// <remarks>
/// <para>The folders below a site's root matter with all names in them. The folders on the way to the root matter only with the name that
/// the way takes, because much else may happen there.</para>
/// <para>A folder may be both, and may have several paths, where links lead to it. Threads: any.</para>
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
    private readonly Dictionary<int, Watch> _watches = [];
    private bool _mayHaveOthers;

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
    internal int AddStep(string folder, string name) => Add(folder, OfWay, watch => watch.NextSteps.Add(name));

    /// <summary>Watches a folder below the root. Returns 0 or the error's number.</summary>
    /// <param name="path">Its path from the root.</param>
    /// <param name="folder">The folder itself: its path may lead elsewhere by now.</param>
    /// <param name="identity">Which folder it is.</param>
    internal int AddFolder(string path, SafeFileHandle folder, FileIdentity identity)
        => Add($"/proc/self/fd/{folder.DangerousGetHandle()}", OfFolder, watch =>
        {
            watch.Identity = identity;
            watch.Paths.Add(path);
            _mayHaveOthers = true;
        });

    /// <summary>Ends the watches of what is not served, so that a release that was replaced is not watched for ever.</summary>
    /// <param name="served">The root.</param>
    /// <param name="hasWay">Whether the way to it was watched anew.</param>
    internal void EndOthers(Folder served, bool hasWay)
    {
        lock (_lock)
        {
            if (!_mayHaveOthers && !hasWay)
            {
                return;
            }

            // A link that is gone says nothing of the folder that it led to.
            _mayHaveOthers = served.Totals.Links > 0;
            foreach ((int number, Watch watch) in _watches)
            {
                watch.Paths.RemoveWhere(path => (served.Find(path) as Folder)?.Identity != watch.Identity);
                if (hasWay)
                {
                    (watch.Steps, watch.NextSteps) = (watch.NextSteps, []);
                }

                if (watch.Paths.Count + watch.Steps.Count + watch.NextSteps.Count == 0)
                {
                    // The kernel has ended it already where the folder is gone.
                    Use(queue => Sys.NotifyRemove(queue, number));
                    _watches.Remove(number);
                }
            }
        }
    }

    /// <summary>Adds what events are about.</summary>
    /// <param name="events">Whole ones, as the kernel wrote them.</param>
    /// <param name="changes">Takes the names.</param>
    internal void Collect(ReadOnlySpan<byte> events, FolderChanges changes)
    {
        lock (_lock)
        {
            while (events.Length >= HeaderBytes)
            {
                int number = BitConverter.ToInt32(events);
                uint mask = BitConverter.ToUInt32(events[MaskOffset..]);
                int length = BitConverter.ToInt32(events[LengthOffset..]);
                Collect(number, mask, events.Slice(HeaderBytes, length).TrimEnd((byte)0), changes);
                events = events[(HeaderBytes + length)..];
            }
        }
    }

    public void Dispose() => _queue.Dispose();

    /// <remarks>A watch that is not known was ended: nothing of its folder is served.</remarks>
    private void Collect(int number, uint mask, ReadOnlySpan<byte> name, FolderChanges changes)
    {
        if ((mask & FileConstants.NotifyOverflow) != 0)
        {
            changes.AddWhole();
            return;
        }

        if (!_watches.TryGetValue(number, out Watch? watch))
        {
            return;
        }

        if ((mask & FileConstants.NotifyIgnored) != 0)
        {
            _watches.Remove(number);
            return;
        }

        // The folder itself is looked at where it was moved, or where the name cannot be told.
        _mayHaveOthers |= name.IsEmpty;
        string? text = name.IsEmpty || !System.Text.Unicode.Utf8.IsValid(name) ? null : Encoding.UTF8.GetString(name);
        foreach (string path in watch.Paths)
        {
            if (text is null)
            {
                changes.Add(path);
            }
            else
            {
                changes.Add(path, text);
            }
        }

        if (text is null ? watch.Paths.Contains("") : watch.Steps.Contains(text) || watch.NextSteps.Contains(text))
        {
            changes.AddPlaces();
        }
    }

    private unsafe int Add(string path, uint events, Action<Watch> keep)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(path + '\0');
        lock (_lock)
        {
            int number = Use(queue =>
            {
                fixed (byte* pointer = bytes)
                {
                    return Sys.NotifyAdd(queue, pointer, events | FileConstants.NotifyOnlyDirectory | FileConstants.NotifyAddToMask);
                }
            });
            if (number < 0)
            {
                return -number;
            }

            if (!_watches.TryGetValue(number, out Watch? watch))
            {
                _watches.Add(number, watch = new Watch());
            }

            keep(watch);
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

    /// <summary>One watched folder: its paths below the root, and the names in it that the way to the root takes.</summary>
    private sealed class Watch
    {
        internal FileIdentity Identity { get; set; }

        internal HashSet<string> Paths { get; } = new(StringComparer.Ordinal);

        internal HashSet<string> Steps { get; set; } = [];

        /// <summary>Of a way that is being walked.</summary>
        internal HashSet<string> NextSteps { get; set; } = [];
    }
}
