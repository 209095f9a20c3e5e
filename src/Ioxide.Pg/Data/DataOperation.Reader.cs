namespace Ioxide.Pg.Data;

/// <summary>Passes rows from the reactor to the reader, and the reader's requests back.</summary>
/// <remarks>
/// The reactor fills one chunk, the reader has one, and one may be ready in between. If one is ready and the filling one is full, the
/// connection waits.
/// </remarks>
internal sealed partial class DataOperation
{
    // The size at which rows are passed to the reader, and the limit while it is busy.
    private const int HandOverBytes = 16 * 1024;
    private const int HoldBytes = 64 * 1024;
    private const int ReaderPart = 1;
    private const int ProtocolPart = 2;

    private RuntimeLock _lock;
    private readonly SpareOperations _home;
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
    private int _done;
    private volatile object? _owner;

    private DataOperation(SpareOperations home) => _home = home;

    internal static DataOperation Rent(SpareOperations spare) => (DataOperation?)spare.TryRent() ?? new DataOperation(spare);

    /// <summary>The chunk that the reader reads.</summary>
    internal RowChunk Chunk => _taken;

    /// <summary>Where the values of the reader's row begin.</summary>
    internal RowLayout RowLayout { get; } = new();

    internal bool IsOver
    {
        get
        {
            using HeldLock held = _lock.Hold();
            return _isOver;
        }
    }

    /// <summary>Sends it. Threads: any.</summary>
    internal void Start(CommandTarget target, object owner, TimeSpan timeout, CancellationToken cancellationToken)
    {
        _owner = owner;
        Submit(target, timeout, cancellationToken);
    }

    /// <summary>Waits for the next chunk. False: the operation is over. Does not throw its error.</summary>
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
                _asked.StartedOffReactor = !Target!.Reactor.IsCurrent;
                _isAsking = true;
                return _asked.Task;
            }
        }

        LetGo(letsGo);
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
            LetGo(letsGo);
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
        bool letsGo = TakeHold();
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
        LetGo(letsGo);
        wake?.Set();
        if (asked is not null)
        {
            Target!.Reactor.Enqueue(
                WorkItem.Of(asked, Target!.Reactor, static (asked, reactor) => asked.SetException(reactor, TakenError())));
        }
    }

    /// <summary>Asks the server to cancel it, if it still belongs to the owner. Threads: any.</summary>
    internal void RequestCancel(object owner)
    {
        long version = Version;
        if (ReferenceEquals(_owner, owner) && Target is { } target)
        {
            target.Reactor.Enqueue(WorkItem.Of(this, version, static (operation, version) => operation.CancelIfRunning(version)));
        }
    }

    /// <summary>The reader has finished with it.</summary>
    internal void ReaderDone() => Finish(ReaderPart);

    internal override ValueTask ReceivedAsync()
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

    internal override bool HasNews => IsAskingForReady();

    internal override void TellReceived()
    {
        if (IsAskingForReady())
        {
            Answer();
        }
    }

    private protected override void SetResult()
    {
        _lock.Enter();
        _isOver = true;
        bool wasAsking = _isAsking;
        bool letsGo = TakeHold();
        _lock.Exit();
        LetGo(letsGo);
        if (wasAsking)
        {
            Answer();
        }
    }

    internal override void Release()
    {
        Stage = OperationStage.Ended;
        Connection = null;
        Finish(ProtocolPart);
    }

    /// <summary>The caller's use of the object is over, or another task waits or closes. Under the lock.</summary>
    private void ThrowIfTaken(long version, bool isClosing)
    {
        if (version != Version || _isAsking || (_isDropping && !isClosing))
        {
            throw TakenError();
        }
    }

    private static InvalidOperationException TakenError()
        => new("The reader is used by another task, or was closed by one. A connection takes one caller at a time.");

    private void Finish(int part)
    {
        if (Interlocked.Or(ref _done, part) == (ReaderPart | ProtocolPart) - part)
        {
            Recycle();
        }
    }

    /// <summary>Abandons it for a token, if it still is in the caller's use. Threads: any.</summary>
    internal void Abandon(long version, CancellationToken token)
        => Target?.Reactor.Enqueue(WorkItem.Of(this, version, (operation, version) => operation.CancelByToken(version, token)));

    private void CancelByToken(long version, CancellationToken token)
    {
        if (Version == version && !HasCompleted)
        {
            Target!.Cancel(this, new OperationCanceledException(token));
        }
    }

    private void CancelIfRunning(long version)
    {
        if (Version == version && !HasCompleted && Stage == OperationStage.Sent && ReferenceEquals(Connection?.Oldest, this))
        {
            Connection.RequestCancel(this);
        }
    }

    private bool IsAskingForReady()
    {
        using HeldLock held = _lock.Hold();
        return _isAsking && _ready is not null && !_isWithheld;
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

        HasGivenRows = true;
        _spare = _taken;
        _taken = ready;
        _ready = null;
        letsGo = TakeHold();
        return true;
    }

    /// <summary>It has failed, and may be sent again: the reader gets no more rows until that is decided.</summary>
    private void Withhold()
    {
        _lock.Enter();
        _isWithheld = true;
        _lock.Exit();
    }

    /// <summary>It is sent again: the reader has none of its rows, and gets those of the next run only.</summary>
    private void TakeBack()
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

    /// <summary>Whether the connection waits for room. Under the lock; <see cref="LetGo"/> follows.</summary>
    private bool TakeHold()
    {
        bool isHolding = _isHolding;
        _isHolding = false;
        return isHolding;
    }

    /// <summary>The connection continues to read.</summary>
    private void LetGo(bool isHolding)
    {
        if (isHolding)
        {
            Target!.Reactor.Enqueue(this, static operation => operation._room.SetResult(operation.Target!.Reactor, true));
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
        LetGo(letsGo);
        if (wake is not null)
        {
            wake.Set();
        }
        else
        {
            asked.SetResult(Target!.Reactor, answer);
        }
    }

    private void Recycle()
    {
        for (int i = 0; i < _count; i++)
        {
            _items[i].Clear();
        }

        _count = 0;
        _current = 0;
        _written = 0;
        _isOver = false;
        _isWithheld = false;
        _isDropping = false;
        _isAsking = false;
        _isHolding = false;
        DropReady();
        _done = 0;
        IsSchemaOnly = false;
        IsNonQuery = false;
        IsSequential = false;
        IsCommit = false;
        _lock.Enter();
        Reset();
        _lock.Exit();
        _filling.Trim();
        _taken.Trim();
        _spare.Trim();
        _owner = null;
        _home.Return(this);
    }
}
