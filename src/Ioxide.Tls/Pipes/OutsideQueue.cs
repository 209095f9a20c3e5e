namespace Ioxide.Tls;

/// <summary>Outside memory that is too long to be encrypted at once: its flush encrypts a step of it whenever the connection has room.</summary>
/// <remarks>
/// <para>So a session holds at most one step of records beside the connection's limit, however much was appended. What is written behind such
/// memory waits here too.</para>
/// <code>
/// Append, or a write behind it --> waiting --FlushAsync--> due --step--> records in the output --room--> next step, until nothing is due
///                                                              --the kernel has taken over--> the rest by reference, in one step
/// </code>
/// <para>Made by the first such piece. Threads: inside the writer's lock, except for <see cref="FlushAsync"/>, which is the writer's: one at a
/// time.</para>
/// </remarks>
internal sealed class OutsideQueue
{
    /// <summary>Encrypted at once. As much as a reader decrypts before the application has its turn.</summary>
    internal const int StepBytes = 256 * 1024;

    private readonly TlsWriter _writer;
    private readonly RingConnection _connection;
    private readonly Action _onFlushed;
    private readonly ReactorAwaitable<FlushResult> _source = new();
    private ValueTaskAwaiter<FlushResult> _pending;
    private CancellationToken _cancellationToken;
    private bool _isFlushing;

    private OutsidePiece? _first;
    private OutsidePiece? _last;
    private OutsidePiece? _done;
    private long _dueBytes;
    private long _laterBytes;

    internal OutsideQueue(TlsWriter writer, RingConnection connection)
    {
        _writer = writer;
        _connection = connection;
        _onFlushed = OnFlushed;
    }

    /// <summary>Whether nothing waits.</summary>
    internal bool IsEmpty => _first is null;

    /// <summary>A flush was cancelled, or still waits. Threads: inside the writer's lock.</summary>
    internal bool HasUnfinishedFlush => _dueBytes > 0;

    internal void Add(OutsidePiece piece)
    {
        _laterBytes += piece.Memory.Length;
        if (_last is null)
        {
            _first = piece;
        }
        else
        {
            _last.Next = piece;
        }

        _last = piece;
    }

    /// <summary>Everything that waits is flushed.</summary>
    internal void MakeDue()
    {
        _dueBytes += _laterBytes;
        _laterBytes = 0;
    }

    /// <summary>Encrypts a step of what is due; all of it goes to the kernel by reference where that encrypts.</summary>
    internal void Send(SendPipe output, UserSending user, KernelSending? kernel, int stepBytes)
    {
        kernel?.CountFlush(_dueBytes);
        while (_first is { } piece && _dueBytes > 0 && stepBytes > 0)
        {
            int count = piece.Memory.Length;
            if (kernel is null)
            {
                count = Math.Min(count, stepBytes);
                user.Write(piece.Memory.Span[..count]);
                stepBytes -= count;
            }
            else if (piece.IsStaged)
            {
                output.Write(piece.Memory.Span);
            }
            else
            {
                output.Append(piece.Memory, piece.Owner);
                piece.Owner = null;
            }

            _dueBytes -= count;
            piece.Memory = piece.Memory[count..];
            if (piece.Memory.IsEmpty)
            {
                EndFirst();
            }
        }

        Debug.Assert(_dueBytes >= 0, "a flush ends between two pieces");
    }

    /// <summary>The writer is completed: sends everything, or drops it.</summary>
    internal void End(SendPipe output, UserSending user, KernelSending? kernel, bool isDropped)
    {
        if (isDropped)
        {
            Drop();
            return;
        }

        MakeDue();
        while (!IsEmpty)
        {
            Send(output, user, kernel, int.MaxValue);
        }
    }

    /// <summary>Drops everything.</summary>
    internal void Drop()
    {
        while (_first is not null)
        {
            EndFirst();
        }

        _dueBytes = 0;
        _laterBytes = 0;
    }

    /// <summary>What is no longer read, to be released outside of the lock.</summary>
    internal OutsidePiece? TakeDone()
    {
        OutsidePiece? done = _done;
        _done = null;
        return done;
    }

    /// <summary>Sends everything that was written. It completes as a flush of the connection, after the last step.</summary>
    /// <exception cref="InvalidOperationException">A flush is pending already.</exception>
    internal ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken)
    {
        if (_isFlushing)
        {
            throw new InvalidOperationException("A flush is pending already. Await it before the next one.");
        }

        _source.Reset();
        _source.ResumesOnThreadPool = _connection.ResumesOnPool(isElsewhere: !_connection.Reactor.IsCurrent);
        _cancellationToken = cancellationToken;
        _isFlushing = true;
        FlushResult result;
        try
        {
            if (!TryStep(isFirst: true, out result) || !IsOver(ref result))
            {
                // It may have ended on another thread meanwhile.
                return _source.Task;
            }
        }
        catch
        {
            _isFlushing = false;
            throw;
        }

        _isFlushing = false;
        return new ValueTask<FlushResult>(result);
    }

    private void OnFlushed()
    {
        FlushResult result;
        try
        {
            result = _pending.GetResult();
            if (!IsOver(ref result))
            {
                return;
            }
        }
        catch (Exception exception)
        {
            _isFlushing = false;
            _source.SetException(_connection.Reactor, exception);
            return;
        }

        _isFlushing = false;
        _source.SetResult(_connection.Reactor, result);
    }

    /// <summary>Makes further steps while there is room. False where it waits for some.</summary>
    private bool IsOver(ref FlushResult result)
    {
        while (!result.IsCompleted && !result.IsCanceled && Volatile.Read(ref _dueBytes) > 0)
        {
            if (!TryStep(isFirst: false, out result))
            {
                return false;
            }
        }

        if (result.IsCompleted)
        {
            _writer.DropOutside(this);
        }

        return true;
    }

    private bool TryStep(bool isFirst, out FlushResult result)
    {
        ValueTask<FlushResult> flush = _writer.FlushStep(this, isFirst, _cancellationToken);
        if (!flush.IsCompletedSuccessfully)
        {
            result = default;
            Wait(flush);
            return false;
        }

        result = flush.Result;
        return true;
    }

    private void Wait(ValueTask<FlushResult> flush)
    {
        _pending = flush.GetAwaiter();
        _pending.UnsafeOnCompleted(_onFlushed);
    }

    private void EndFirst()
    {
        OutsidePiece piece = _first!;
        _first = piece.Next;
        if (_first is null)
        {
            _last = null;
        }

        piece.Next = _done;
        _done = piece;
    }
}
