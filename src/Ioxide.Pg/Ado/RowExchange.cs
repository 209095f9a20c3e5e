namespace Ioxide.Pg.Data;

/// <summary>Passes rows from the reactor to the reader, and the reader's requests back.</summary>
/// <remarks>
/// The reactor fills one chunk, the reader has one, and one may be ready in between. If one is ready and the filling one is full, the
/// connection waits. Threads: the reader's side <see cref="NextChunkAsync"/>, <see cref="NextChunk"/>, <see cref="Drop"/>; the rest the reactor's.
/// </remarks>
/// <param name="roundTrip">The round trip whose rows they are.</param>
internal sealed class RowExchange(DataRoundTrip roundTrip)
{
    // The size at which rows are passed to the reader, and the limit while it is busy.
    private const int HandOverBytes = 16 * 1024;
    private const int HoldBytes = 64 * 1024;

    private RuntimeLock _lock;
    private RowChunk _filling = new();
    private RowChunk _taken = new();
    private RowChunk _spare = new();
    private RowChunk? _ready;
    private ReactorAwaitable<bool> _asked = new() { ResumesWithoutContext = true };
    private readonly ReactorAwaitable<bool> _room = new();
    private ManualResetEventSlim? _event;
    private bool _isAsking;
    private bool _isBlocking;
    private bool _answer;
    private bool _isHolding;
    private bool _isOver;
    private bool _isWithheld;
    private volatile bool _isDropping;

    /// <summary>The chunk that the reader reads.</summary>
    internal RowChunk Chunk => _taken;

    /// <summary>The chunk for the next row; null: the reader wants no more.</summary>
    internal RowChunk? Filling => _isDropping ? null : _filling;

    internal bool IsOver
    {
        get
        {
            using HeldLock held = _lock.Hold();
            return _isOver;
        }
    }

    /// <summary>The reader waits, and a chunk is ready for it.</summary>
    internal bool HasUndeliveredRows
    {
        get
        {
            using HeldLock held = _lock.Hold();
            return _isAsking && _ready is not null && !_isWithheld;
        }
    }

    private Reactor Reactor => roundTrip.Reactor;

    /// <summary>Waits for the next chunk. False: the round trip is over. Does not throw its error.</summary>
    /// <param name="version">The caller's use of the object.</param>
    /// <param name="isClosing">The caller has called <see cref="Drop"/>, and waits for the end.</param>
    /// <exception cref="InvalidOperationException">Another task has closed the reader, or waits for its rows.</exception>
    internal ValueTask<bool> NextChunkAsync(long version, bool isClosing = false)
    {
        bool letsGo;
        using (_lock.Hold())
        {
            ThrowIfTaken(version, isClosing);
            if (!TryTake(out letsGo))
            {
                if (_isOver)
                {
                    return new ValueTask<bool>(false);
                }

                _asked.Reset();
                _asked.StartedOffReactor = !Reactor.IsCurrent;
                _isAsking = true;
                return _asked.Task;
            }
        }

        ResumeConnection(letsGo);
        return new ValueTask<bool>(true);
    }

    /// <summary>
    /// Like <see cref="NextChunkAsync"/>, but blocks the thread. The reactor itself wakes it, so an exhausted thread pool does not matter. On a
    /// reactor the ring turns meanwhile, even if a library has left the reactor's context.
    /// </summary>
    internal bool NextChunk(long version, bool isClosing = false)
    {
        ManualResetEventSlim? wake = null;
        bool letsGo;
        using (_lock.Hold())
        {
            ThrowIfTaken(version, isClosing);
            if (!TryTake(out letsGo))
            {
                if (_isOver)
                {
                    return false;
                }

                wake = _event ??= new ManualResetEventSlim(false, 20);
                wake.Reset();
                _isAsking = true;
                _isBlocking = true;
            }
        }

        if (wake is null)
        {
            ResumeConnection(letsGo);
            return true;
        }

        using ContextScope scope = Reactor.EnterApplicationHere();
        wake.Wait();
        using (_lock.Hold())
        {
            return ReferenceEquals(wake, _event) ? _answer : throw TakenError();
        }
    }

    /// <summary>
    /// The reader wants no more rows. They are received and dropped, so that later statements run and a transaction survives. A task that
    /// waits for a row fails, and the caller waits in its place.
    /// </summary>
    internal void Drop()
    {
        ReactorAwaitable<bool>? asked = null;
        ManualResetEventSlim? wake = null;
        _lock.Enter();
        _isDropping = true;
        DropReady();
        bool letsGo = ClearBackPressure();
        if (!_isOver)
        {
            // Another task may still take an earlier answer from the objects that it waited on.
            asked = _isAsking && !_isBlocking ? _asked : null;
            wake = _isAsking && _isBlocking ? _event : null;
            _asked = new ReactorAwaitable<bool> { ResumesWithoutContext = true };
            _event = null;
            _isAsking = false;
            _isBlocking = false;
        }

        _lock.Exit();
        ResumeConnection(letsGo);
        wake?.Set();
        if (asked is not null)
        {
            Reactor.Enqueue(
                WorkItem.Of(asked, Reactor, static (asked, reactor) => asked.SetException(reactor, TakenError())));
        }
    }

    /// <summary>All rows of one receive were taken. The connection waits while the reader is behind.</summary>
    internal ValueTask ReceivedAsync()
    {
        if (_filling.Length < HandOverBytes)
        {
            return default;
        }

        using HeldLock held = _lock.Hold();
        if (_ready is not null)
        {
            if (_filling.Length < HoldBytes || _isDropping || _isOver || _isWithheld)
            {
                return default;
            }

            _isHolding = true;
            _room.Reset();
            return _room.TaskWithoutResult;
        }

        _ready = _filling;
        _filling = _spare;
        _filling.Clear();
        return default;
    }

    /// <summary>Gives the reader the ready chunk.</summary>
    internal void Tell()
    {
        if (HasUndeliveredRows)
        {
            Answer();
        }
    }

    /// <summary>There are no more rows.</summary>
    internal void End()
    {
        _lock.Enter();
        _isOver = true;
        bool wasAsking = _isAsking;
        bool letsGo = ClearBackPressure();
        _lock.Exit();
        ResumeConnection(letsGo);
        if (wasAsking)
        {
            Answer();
        }
    }

    /// <summary>Prepares it and the round trip for the next use.</summary>
    /// <remarks>All of it under the lock, where a reader compares the version: one of the last use finds the exchange over, or not its own.</remarks>
    internal void Clear()
    {
        _lock.Enter();
        roundTrip.Reset();
        _isOver = false;
        _isWithheld = false;
        _isDropping = false;
        _isAsking = false;
        _isHolding = false;
        DropReady();
        _lock.Exit();
        _filling.Trim();
        _taken.Trim();
        _spare.Trim();
    }

    /// <summary>It has failed, and may be sent again: the reader gets no more rows until that is decided.</summary>
    internal void PauseReader()
    {
        _lock.Enter();
        _isWithheld = true;
        _lock.Exit();
    }

    /// <summary>It is sent again: the reader has none of its rows, and gets those of the next run only.</summary>
    internal void TakeBack()
    {
        _filling.Clear();
        _lock.Enter();
        _isWithheld = false;
        DropReady();
        _lock.Exit();
    }

    private void DropReady()
    {
        if (_ready is { } ready)
        {
            _spare = ready;
            _ready = null;
        }
    }

    /// <summary>Whether the connection waits for room. Under the lock; <see cref="ResumeConnection"/> follows.</summary>
    private bool ClearBackPressure()
    {
        bool isHolding = _isHolding;
        _isHolding = false;
        return isHolding;
    }

    /// <summary>The connection continues to read.</summary>
    private void ResumeConnection(bool isHolding)
    {
        if (isHolding)
        {
            Reactor.Enqueue(this, static exchange => exchange._room.SetResult(exchange.Reactor, true));
        }
    }

    private void Answer()
    {
        _lock.Enter();
        _isAsking = false;
        bool answer = TryTake(out bool letsGo);
        ManualResetEventSlim? wake = _isBlocking ? _event : null;
        ReactorAwaitable<bool> asked = _asked;
        _isBlocking = false;
        _answer = answer;
        _lock.Exit();
        ResumeConnection(letsGo);
        if (wake is not null)
        {
            wake.Set();
        }
        else
        {
            asked.SetResult(Reactor, answer);
        }
    }

    /// <summary>Takes the ready chunk, if any. Under the lock.</summary>
    private bool TryTake(out bool letsGo)
    {
        letsGo = false;
        if (_isWithheld && !_isOver)
        {
            return false;
        }

        if (_ready is null && _isOver && !_isDropping && _filling.Length > 0)
        {
            // The reactor has finished with it.
            _ready = _filling;
            _filling = _spare;
            _filling.Clear();
        }

        if (_ready is not { } ready)
        {
            return false;
        }

        roundTrip.HasGivenRows = true;
        _spare = _taken;
        _taken = ready;
        _ready = null;
        letsGo = ClearBackPressure();
        return true;
    }

    /// <summary>The caller's use of the object is over, or another task waits or closes. Under the lock.</summary>
    private void ThrowIfTaken(long version, bool isClosing)
    {
        if (version != roundTrip.Version || _isAsking || (_isDropping && !isClosing))
        {
            throw TakenError();
        }
    }

    private static InvalidOperationException TakenError()
        => new("The reader is used by another task, or was closed by one. A connection takes one caller at a time.");
}
