namespace Ioxide;

/// <summary>Reads of files: at once where the bytes lie in memory, by a thread of the pool where the disk is waited for.</summary>
/// <remarks>What has no place to read at, such as a pipe or a queue of inotify, is waited for as a socket is.</remarks>
internal sealed unsafe class EpollReads(EpollRing ring, int epoll)
{
    /// <summary>What the events of its counter name instead of a descriptor.</summary>
    internal const int WakeName = -1;

    private readonly Lock _lock = new();
    private List<EpollOperation> _ended = [];
    private List<EpollOperation> _taken = [];
    private int _wakeDescriptor = -1;
    private bool _isReleased;

    /// <summary>Told by the thread of the pool that read.</summary>
    internal void ReadEnded(EpollOperation operation)
    {
        lock (_lock)
        {
            if (!_isReleased)
            {
                _ended.Add(operation);
                ulong one = 1;
                _ = ring.Kernel.Write(_wakeDescriptor, &one, sizeof(ulong));
            }
        }
    }

    internal void Begin(EpollOperation operation)
    {
        ref Sqe entry = ref operation.Entry;
        int count = EpollCalls.ReadAtOnce(entry.Descriptor, entry.Address, entry.Length, entry.Offset);
        if (count > 0 && count < entry.Length)
        {
            // What is behind is the end, or lies on the disk.
            operation.SentBytes = count;
            uint done = (uint)count;
            int more = EpollCalls.ReadAtOnce(entry.Descriptor, entry.Address + done, entry.Length - done, entry.Offset + done);
            if (more >= 0)
            {
                ring.End(operation, count + more);
                return;
            }
        }
        else if (count == -Errno.ESPIPE)
        {
            GoOnWithStream(operation);
            return;
        }
        else if (count is >= 0 or -Errno.EBADF or -Errno.EFAULT or -Errno.EINVAL)
        {
            ring.End(operation, count);
            return;
        }

        int error = OpenWake();
        if (error < 0)
        {
            ring.End(operation, operation.SentBytes > 0 ? (int)operation.SentBytes : error);
            return;
        }

        ring.Waits.Name(operation);
        operation.IsWithPool = true;
        ThreadPool.UnsafeQueueUserWorkItem(operation, preferLocal: false);
    }

    internal void GoOnWithStream(EpollOperation operation)
    {
        // Its mode is the open file's, which another process may share.
        if (EpollCalls.IsReadable(operation.Descriptor))
        {
            ring.End(operation, EpollCalls.ReadStream(operation.Descriptor, operation.Entry.Address, operation.Entry.Length));
        }
        else
        {
            ring.Waits.Park(operation);
        }
    }

    internal void TakeEnded()
    {
        lock (_lock)
        {
            (_ended, _taken) = (_taken, _ended);
        }

        foreach (EpollOperation operation in _taken)
        {
            operation.IsWithPool = false;
            ring.QueueWork(operation);
        }

        _taken.Clear();
    }

    /// <summary>The counter by which threads of the pool end the ring's sleep. It is never read: each write is an edge.</summary>
    private int OpenWake()
    {
        if (_wakeDescriptor >= 0)
        {
            return 0;
        }

        int descriptor = ring.Kernel.EventDescriptor();
        if (descriptor < 0)
        {
            return descriptor;
        }

        // Its events name no descriptor that an operation could wait on.
        int result = EpollCalls.Control(epoll, EpollCalls.Add, descriptor, EpollCalls.In | EpollCalls.EdgeTriggered, WakeName);
        if (result < 0)
        {
            _ = ring.Kernel.CloseNumber(descriptor);
            return result;
        }

        _wakeDescriptor = descriptor;
        return 0;
    }

    internal void Release()
    {
        lock (_lock)
        {
            _isReleased = true;
            if (_wakeDescriptor >= 0)
            {
                _ = ring.Kernel.CloseNumber(_wakeDescriptor);
            }
        }
    }
}
