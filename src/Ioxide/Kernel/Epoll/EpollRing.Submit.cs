namespace Ioxide;

/// <summary>Enters: entries are taken and begun, epoll is asked once, works are gone on with.</summary>
internal sealed unsafe partial class EpollRing
{
    // IORING_NOP_INJECT_RESULT, Linux 6.10: the length is what it ends with.
    private const uint NopHasResult = 1;

    private EpollOperation? _firstWork;
    private EpollOperation? _lastWork;
    private int _workCount;

    internal int Enter(uint toSubmit, uint minComplete, EnterFlags flags, GetEventsArgument* wait)
    {
        if (Interlocked.CompareExchange(ref _state, InEnter, Idle) != Idle)
        {
            return -Errno.EBADF;
        }

        int submitted = Submit(toSubmit);
        int result = 0;
        if ((flags & EnterFlags.GetEvents) != 0 && submitted == toSubmit)
        {
            result = Wait(Math.Min(minComplete, _params.CqEntries), TimeLimitOf(wait), submitted > 0);
        }

        if (Interlocked.CompareExchange(ref _state, Idle, InEnter) != InEnter)
        {
            Release();
        }

        return submitted > 0 ? submitted : result;
    }

    /// <summary>The longest wait in nanoseconds; negative where there is no limit.</summary>
    private static long TimeLimitOf(GetEventsArgument* wait)
    {
        const long NanosecondsPerSecond = 1_000_000_000;
        var limit = (KernelTimespec*)wait->Timeout;
        return limit is null ? -1 : (limit->Seconds * NanosecondsPerSecond) + limit->Nanoseconds;
    }

    private int Submit(uint toSubmit)
    {
        uint* head = (uint*)(_queues + _params.SqOffsets.Head);
        uint tail = Volatile.Read(ref *(uint*)(_queues + _params.SqOffsets.Tail));
        uint count = Math.Min(toSubmit, tail - *head);
        uint mask = _params.SqEntries - 1;
        bool isIndexed = (_params.Flags & SetupFlags.NoSubmissionArray) == 0;
        uint* array = (uint*)(_queues + _params.SqOffsets.Array);
        EpollOperation? chain = null;
        EpollOperation? last = null;
        Debug.Assert(tail - *head <= _params.SqEntries);
        for (uint index = 0; index < count; index++)
        {
            uint place = *head & mask;
            EpollOperation operation = Rent(_entries[isIndexed ? array[place] & mask : place]);
            Volatile.Write(ref *head, *head + 1);
            bool isLinked = (operation.Entry.Flags & SqeFlags.HardLink) != 0;
            if (chain is not null)
            {
                last!.Next = operation;
            }
            else if (isLinked)
            {
                chain = operation;
            }

            last = operation;
            if (!isLinked)
            {
                Issue(chain ?? operation);
                chain = null;
            }
        }

        if (chain is not null)
        {
            Issue(chain);
        }

        return (int)count;
    }

    private int Wait(uint minComplete, long limitNs, bool hasSubmitted)
    {
        long started = limitNs > 0 ? Stopwatch.GetTimestamp() : 0;
        bool isFirst = true;
        while (true)
        {
            bool waits = Ready < minComplete && _workCount == 0 && _overflow.Count == 0;
            long leftNs = limitNs > 0 ? Math.Max(0, limitNs - (long)Stopwatch.GetElapsedTime(started).TotalNanoseconds) : limitNs;
            int result = Waits.Poll(waits ? leftNs : 0);
            if (result < 0)
            {
                return result;
            }

            // What was begun has its turn, then what came of it.
            RunWorks(minComplete);
            if (isFirst && hasSubmitted)
            {
                RunWorks(minComplete);
            }

            isFirst = false;
            FlushOverflow();
            if (Ready >= minComplete)
            {
                return 0;
            }

            if (limitNs >= 0 && (limitNs == 0 || Stopwatch.GetElapsedTime(started).TotalNanoseconds >= limitNs))
            {
                return Ready > 0 ? 0 : -Errno.ETIME;
            }
        }
    }

    internal void QueueWork(EpollOperation operation)
    {
        if (operation.IsQueued)
        {
            return;
        }

        operation.IsQueued = true;
        operation.NextWork = null;
        if (_lastWork is null)
        {
            _firstWork = operation;
        }
        else
        {
            _lastWork.NextWork = operation;
        }

        _lastWork = operation;
        _workCount++;
    }

    /// <summary>Runs the works that are there. What comes of them waits, unless completions are still wanted.</summary>
    private void RunWorks(uint wanted)
    {
        uint done = 0;
        do
        {
            for (int count = _workCount; count > 0; count--)
            {
                RunWork();
                done++;
            }
        }
        while (done < wanted && _workCount > 0);
    }

    private void RunWork()
    {
        EpollOperation operation = _firstWork!;
        _firstWork = operation.NextWork;
        _lastWork = _firstWork is null ? null : _lastWork;
        _workCount--;
        operation.IsQueued = false;
        operation.NextWork = null;
        if (operation.IsDone)
        {
            Recycle(operation);
        }
        else if (operation.IsLinkedNext)
        {
            operation.IsLinkedNext = false;
            Issue(operation);
        }
        else
        {
            GoOn(operation);
        }
    }

    private void Issue(EpollOperation operation)
    {
        switch (operation.Entry.Opcode)
        {
            case Opcode.Nop:
                End(operation, (operation.Entry.OperationFlags & NopHasResult) != 0 ? (int)operation.Entry.Length : 0);
                break;
            case Opcode.AsyncCancel:
                End(operation, Waits.Cancel(operation.Entry.Address));
                break;
            case Opcode.Close:
                Waits.EndWhatIsParkedOn(operation.Descriptor);
                End(operation, Kernel.Close(operation.Descriptor));
                break;
            case Opcode.PollAdd:
                Waits.Park(operation);
                break;
            case Opcode.Receive:
                _sockets.BeginReceive(operation);
                break;
            case Opcode.Send:
            case Opcode.SendMessage:
                _sockets.GoOnSending(operation);
                break;
            case Opcode.Accept:
                operation.IsBlockingListener = !EpollCalls.IsNonBlocking(operation.Descriptor);
                _sockets.GoOnAccepting(operation);
                break;
            case Opcode.Connect:
                _sockets.BeginConnect(operation);
                break;
            case Opcode.Read:
                Reads.Begin(operation);
                break;
            default:
                End(operation, -Errno.EINVAL);
                break;
        }
    }

    private void GoOn(EpollOperation operation)
    {
        uint events = operation.Events;
        operation.Events = 0;
        if (operation.Answer != EpollOperation.NoAnswer)
        {
            End(operation, operation.Answer);
            return;
        }

        if (operation.IsCancelled)
        {
            operation.RestoreMode();
            End(operation, operation.SentBytes > 0 ? (int)operation.SentBytes : -Errno.ECANCELED);
            return;
        }

        switch (operation.Entry.Opcode)
        {
            case Opcode.PollAdd:
                GoOnPolling(operation, events);
                break;
            case Opcode.Receive:
                _sockets.GoOnReceiving(operation, events);
                break;
            case Opcode.Send:
            case Opcode.SendMessage:
                _sockets.GoOnSending(operation);
                break;
            case Opcode.Accept:
                _sockets.GoOnAccepting(operation);
                break;
            case Opcode.Connect:
                _sockets.GoOnConnecting(operation);
                break;
            case Opcode.Read:
                Reads.GoOnWithStream(operation);
                break;
            default:
                throw new UnreachableException();
        }
    }

    private void GoOnPolling(EpollOperation operation, uint events)
    {
        int found = (int)(events & (operation.Interest | EpollCalls.Error | EpollCalls.HangUp));
        if (!operation.IsMultishot || IsFull)
        {
            End(operation, found);
            return;
        }

        Post(operation.Entry.UserData, found, CqeFlags.More);
    }
}
