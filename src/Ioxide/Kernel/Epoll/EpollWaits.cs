namespace Ioxide;

/// <summary>What waits: on a descriptor, under its user data, until its time.</summary>
internal sealed unsafe class EpollWaits(EpollRing ring, int epoll)
{
    private const int EventsPerWait = 64;
    private const int SmallestTable = 64;

    // A full queue of a unix listener raises no event when it has room.
    private const long RetryMs = 10;

    private readonly OperationNames _names = new();
    private readonly List<EpollOperation> _retries = [];
    private readonly byte* _events = (byte*)NativeMemory.AllocZeroed((nuint)(EventsPerWait * EpollCalls.EventBytes));
    private Waiters[] _files = [];

    /// <summary>Waits for epoll, and makes works of what its events concern.</summary>
    /// <param name="timeoutNs">Negative means no limit.</param>
    internal int Poll(long timeoutNs)
    {
        if (_retries.Count > 0)
        {
            timeoutNs = LimitToRetries(timeoutNs);
        }

        int count = EpollCalls.Wait(epoll, _events, EventsPerWait, timeoutNs);
        for (int index = 0; index < count; index++)
        {
            uint events = EpollCalls.EventsOf(_events + (index * EpollCalls.EventBytes), out int fd);
            if (fd == EpollReads.WakeName)
            {
                ring.Reads.TakeEnded();
            }
            else
            {
                Wake(fd, events);
            }
        }

        QueueDueRetries();
        return Math.Min(count, 0);
    }

    private void Wake(int fd, uint events)
    {
        if ((uint)fd >= (uint)_files.Length)
        {
            return;
        }

        // Who came last is woken first, as by a wait queue of Linux.
        for (EpollOperation? operation = _files[fd].Last; operation is not null; operation = operation.PreviousOfFile)
        {
            if ((events & (operation.Interest | EpollCalls.Error | EpollCalls.HangUp)) != 0)
            {
                operation.Events |= events;
                ring.QueueWork(operation);
            }
        }
    }

    /// <summary>Lets an operation wait on its descriptor. Epoll looks at it again, unless the operation waited already.</summary>
    internal void Park(EpollOperation operation)
    {
        if (operation.IsParked)
        {
            if (!operation.IsMultishot)
            {
                _files[operation.Descriptor].Remove(operation);
                _files[operation.Descriptor].Append(operation);
            }

            return;
        }

        int fd = operation.Descriptor;
        uint interest = operation.Interest | EpollCalls.EdgeTriggered;
        bool isKnown = (uint)fd < (uint)_files.Length && _files[fd].IsRegistered;
        for (EpollOperation? other = isKnown ? _files[fd].First : null; other is not null; other = other.NextOfFile)
        {
            interest |= other.Interest;
        }

        int result = EpollCalls.Control(epoll, isKnown ? EpollCalls.Modify : EpollCalls.Add, fd, interest);
        if (result is -Errno.ENOENT or -Errno.EEXIST)
        {
            // The number was closed and given again, or another descriptor of the file is open still.
            result = EpollCalls.Control(epoll, result == -Errno.ENOENT ? EpollCalls.Add : EpollCalls.Modify, fd, interest);
        }

        if (result < 0)
        {
            operation.RestoreMode();
            ring.End(operation, operation.SentBytes > 0 ? (int)operation.SentBytes : result);
            return;
        }

        if (_files.Length <= fd)
        {
            Array.Resize(ref _files, Math.Max(Math.Max(SmallestTable, fd + 1), _files.Length * 2));
        }

        Name(operation);
        operation.IsParked = true;
        _files[fd].IsRegistered = true;
        _files[fd].Append(operation);
    }

    private void Unpark(EpollOperation operation)
    {
        operation.IsParked = false;
        _files[operation.Descriptor].Remove(operation);
    }

    /// <summary>The number is closed: who waits there ends, and does not touch what has the number next.</summary>
    internal void EndWhatIsParkedOn(int fd)
    {
        if ((uint)fd < (uint)_files.Length)
        {
            while (_files[fd].First is { } operation)
            {
                Unpark(operation);
                operation.IsCancelled = true;
                operation.WasMadeNonBlocking = false;
                ring.QueueWork(operation);
            }

            _files[fd].IsRegistered = false;
        }

        foreach (EpollOperation operation in _retries)
        {
            if (operation.Descriptor == fd)
            {
                operation.IsCancelled = true;
                operation.WasMadeNonBlocking = false;
            }
        }
    }

    /// <summary>Ends an operation behind the cancel; ENOENT where there is none, EALREADY where a thread reads for it.</summary>
    internal int Cancel(ulong userData)
    {
        if (_names.Find(userData) is not { } operation)
        {
            return -Errno.ENOENT;
        }

        if (operation.IsWithPool)
        {
            return -Errno.EALREADY;
        }

        operation.IsCancelled = true;
        if (operation.RetryAt == 0)
        {
            ring.QueueWork(operation);
        }

        return 0;
    }

    /// <summary>Makes an operation one that a cancel finds.</summary>
    internal void Name(EpollOperation operation) => _names.Add(operation);

    /// <summary>An operation has ended.</summary>
    internal void Forget(EpollOperation operation)
    {
        _names.Remove(operation);
        if (operation.IsParked)
        {
            Unpark(operation);
        }
    }

    /// <summary>Lets an operation be tried again, at a time of which epoll tells nothing.</summary>
    internal void RetryLater(EpollOperation operation)
    {
        Name(operation);
        operation.RetryAt = Environment.TickCount64 + RetryMs;
        _retries.Add(operation);
    }

    private long LimitToRetries(long timeoutNs)
    {
        const long NanosecondsPerMillisecond = 1_000_000;
        long now = Environment.TickCount64;
        foreach (EpollOperation operation in _retries)
        {
            long untilNs = operation.IsCancelled ? 0 : Math.Max(0, operation.RetryAt - now) * NanosecondsPerMillisecond;
            timeoutNs = timeoutNs < 0 ? untilNs : Math.Min(timeoutNs, untilNs);
        }

        return timeoutNs;
    }

    private void QueueDueRetries()
    {
        for (int index = _retries.Count - 1; index >= 0; index--)
        {
            EpollOperation operation = _retries[index];
            if (operation.IsCancelled || operation.RetryAt <= Environment.TickCount64)
            {
                _retries.RemoveAt(index);
                operation.RetryAt = 0;
                ring.QueueWork(operation);
            }
        }
    }

    internal void Free() => NativeMemory.Free(_events);

    /// <summary>The operations that wait on one number, in the order in which they came.</summary>
    private struct Waiters
    {
        /// <summary>Epoll knew the number when it was last told.</summary>
        internal bool IsRegistered;

        internal EpollOperation? First { get; private set; }

        internal EpollOperation? Last { get; private set; }

        internal void Append(EpollOperation operation)
        {
            operation.PreviousOfFile = Last;
            operation.NextOfFile = null;
            if (Last is null)
            {
                First = operation;
            }
            else
            {
                Last.NextOfFile = operation;
            }

            Last = operation;
        }

        internal void Remove(EpollOperation operation)
        {
            if (operation.PreviousOfFile is { } previous)
            {
                previous.NextOfFile = operation.NextOfFile;
            }
            else
            {
                First = operation.NextOfFile;
            }

            if (operation.NextOfFile is { } next)
            {
                next.PreviousOfFile = operation.PreviousOfFile;
            }
            else
            {
                Last = operation.PreviousOfFile;
            }

            operation.NextOfFile = null;
            operation.PreviousOfFile = null;
        }
    }
}
