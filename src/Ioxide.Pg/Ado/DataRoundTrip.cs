namespace Ioxide.Pg.Data;

/// <summary>The statements of one ADO.NET command, sent in one flight with one Sync, and their rows.</summary>
/// <remarks>
/// <para>Rows are copied once, from the receive buffer into chunks that the reader owns. The reader may be on any thread, so a small result
/// costs one hop to the reactor and one back. A slow reader stops the connection (<see cref="RowExchange"/>).</para>
/// <para>Threads: the reactor's, unless a member says otherwise.</para>
/// </remarks>
internal sealed class DataRoundTrip : ReusedRoundTrip
{
    private readonly SpareRoundTrips _home;
    private readonly List<DataItem> _items = [];
    private readonly RowCutter _cutter = new();
    private int _count;
    private int _written;
    private int _current;
    private volatile object? _owner;

    // The BEGIN that it has taken along, until what became of that is known.
    private TransactionBegin? _begin;

    private DataRoundTrip(SpareRoundTrips home)
    {
        _home = home;
        Rows = new RowExchange(this);
    }

    /// <summary>Its rows, on their way to the reader.</summary>
    internal RowExchange Rows { get; }

    /// <summary>Where the values of the reader's row begin.</summary>
    internal RowLayout RowLayout { get; } = new();

    internal Reactor Reactor => Target!.Reactor;

    /// <summary>The command or batch that may cancel it.</summary>
    internal object? Owner { get => _owner; set => _owner = value; }

    /// <summary>The ambient transaction of its connection when it was rented: it runs in that one or not at all.</summary>
    internal AmbientTransaction? Ambient { get; set; }

    /// <summary>The BEGIN of the transaction that it is a command of; it takes that along if it is owed.</summary>
    internal TransactionBegin? Begin { get; set; }

    /// <summary>Only the columns are requested.</summary>
    internal bool IsSchemaOnly { get; set; }

    /// <summary>The rows are not read.</summary>
    internal bool IsNonQuery { get; set; }

    /// <summary>The reader reads the values of a row in their order: a long row is passed on in pieces.</summary>
    internal bool IsSequential { get; set; }

    /// <summary>It commits: the answer ROLLBACK is an error.</summary>
    internal bool IsCommit { get; set; }

    /// <summary>The transaction that it ends; null for other commands.</summary>
    internal PgDbTransaction? Ends { get; set; }

    internal int Count => _count;

    internal DataItem this[int index] => _items[index];

    internal override SessionEffect Effect
    {
        get
        {
            SessionEffect effect = SessionEffect.None;
            for (int i = 0; i < _count; i++)
            {
                effect |= _items[i].Statement.Effect;
            }

            return effect;
        }
    }

    /// <summary>As in Npgsql.</summary>
    internal override bool LimitsEachWait => true;

    internal override bool BeginsTransaction => _count > 0 && _items[0].IsHidden;

    internal override bool EndsTransaction => Ends is not null;

    /// <summary>The BEGIN of a transaction does not count: without a command behind it, it need not fail.</summary>
    internal override bool HasWrittenCommands => _written > (BeginsTransaction ? 1 : 0);

    internal override bool CanRepeat => !HasGivenRows && OnlyTransactionalUntilNow();

    internal override bool IsUndoneByItsError
    {
        get
        {
            for (int i = 0; i < _count; i++)
            {
                if (!_items[i].Statement.IsUndoneByItsError)
                {
                    return false;
                }
            }

            return true;
        }
    }

    private protected override string Name
    {
        get
        {
            int first = _count > 1 && _items[0].IsHidden ? 1 : 0;
            return _count - first == 1 ? _items[first].Statement.FirstWord : "BATCH";
        }
    }

    internal static DataRoundTrip Rent(SpareRoundTrips spare) => (DataRoundTrip?)spare.TryRent() ?? new DataRoundTrip(spare);

    internal DataItem Add(PgStatement statement, bool isHidden = false, PgDbBatchCommand? source = null)
    {
        if (_count == _items.Count)
        {
            _items.Add(new DataItem());
        }

        DataItem item = _items[_count++];
        item.Set(statement, isHidden, source);
        return item;
    }

    /// <summary>Submits it to the session, if the transaction that it was made in still takes commands.</summary>
    /// <exception cref="System.Transactions.TransactionAbortedException">The transaction rolls back, or is over.</exception>
    internal void Start(CommandTarget session, TimeSpan timeout, CancellationToken cancellationToken)
    {
        if (Ambient is { } ambient)
        {
            ambient.Submit(this, timeout, cancellationToken);
        }
        else
        {
            Send(session, timeout, cancellationToken);
        }
    }

    /// <summary>Submits it to the session, with the BEGIN that it takes along.</summary>
    internal void Send(CommandTarget session, TimeSpan timeout, CancellationToken cancellationToken)
    {
        if (BeginsTransaction)
        {
            _begin = Begin;
            _begin?.Take();
        }

        Submit(session, timeout, cancellationToken);
    }

    /// <summary>Its statements are prepared at this use already.</summary>
    internal void ExpectRepetition()
    {
        for (int i = 0; i < _count; i++)
        {
            _items[i].Statement.IsRecurring = true;
        }
    }

    internal override bool MayHoldOpen(StatementTable statements)
    {
        for (int i = 0; i < _count; i++)
        {
            if (!statements.Knows(_items[i].Statement))
            {
                return true;
            }
        }

        return false;
    }

    internal override FlightEnd Write(ServerConnection connection)
    {
        if (Begin is { IsOwed: true } && !BeginsTransaction)
        {
            throw new InvalidOperationException(
                "The transaction was not begun: the command that was sent with its BEGIN was cancelled. Nothing was sent. Run the command again.");
        }

        for (; _written < _count; _written++)
        {
            DataItem item = _items[_written];
            BoundValues values = item.Values;
            if (item.Prepared is not { } prepared)
            {
                item.Prepared = prepared = connection.Statements.Use(item.Statement, out bool isNew);
                if (isNew)
                {
                    item.HasParse = true;
                    MessageWriter.WriteParseAndDescribe(connection.Output, prepared, in values);
                }
            }

            if (prepared.Columns is null)
            {
                return FlightEnd.Columns;
            }

            if (!IsSchemaOnly || item.IsHidden)
            {
                MessageWriter.WriteBindAndExecute(connection.Output, prepared, in values);
            }
        }

        return FlightEnd.Sync;
    }

    internal override ResultColumns? Columns => _current < _count ? ColumnsOf(_items[_current]) : null;

    internal override void ParseCompleted() => Parsing().Prepared!.Parsed();

    internal override void Described(ReadOnlySpan<byte> body)
    {
        DataItem item = Parsing();
        item.IsDescribed = true;
        if (Connection!.Statements.Described(item.Prepared!, body) is { } unreadable)
        {
            Fail(unreadable);
        }
    }

    internal override void DescribedEmpty()
    {
        DataItem item = Parsing();
        Connection!.Statements.DescribedEmpty(item.Prepared!);
        item.IsDescribed = true;
    }

    internal override void RowReceived(ReadOnlySpan<byte> body, RowLayout layout)
    {
        ResultColumns columns = Columns ?? throw PgProtocolException.RowWithoutDescription();
        layout.Read(body, columns.Count);
        Filling()?.AppendRow(body);
    }

    internal override bool TakesRowPieces => IsSequential;

    internal override void RowBegun(int lengthBytes)
    {
        ResultColumns columns = Columns ?? throw PgProtocolException.RowWithoutDescription();
        _cutter.Begin(lengthBytes, columns.Count, Filling());
    }

    internal override void RowPieceReceived(ReadOnlySpan<byte> piece) => _cutter.Take(piece, Filling());

    internal override void CommandCompleted(PgTag tag)
    {
        DataItem item = Current() ?? throw new PgProtocolException("The server answered more commands than it was asked.");
        ColumnsOf(item);
        item.Tag = tag;
        _current++;
        if (item.IsHidden && tag.IsBegin)
        {
            _begin?.Begun();
        }

        // Behind an error the reader finds no end of the rows, but the error.
        Filling()?.AppendEnd();
    }

    internal override void ErrorReceived(PgException error)
    {
        EndDescribed();
        base.ErrorReceived(error);
        Rows.PauseReader();
        DataItem? failed = Current();
        int hidden = _count > 0 && _items[0].IsHidden ? 1 : 0;
        if (failed is not null && _count - hidden > 1)
        {
            error.BatchIndex = _current - hidden;
        }

        error.FailedCommand = failed?.Source;
        for (int i = _current; i < _count; i++)
        {
            // The server skips the rest, including its Parse messages.
            DataItem item = _items[i];
            if (item.Prepared is { } prepared && (i == _current || (item.HasParse && !prepared.IsParsed)))
            {
                Connection!.Statements.Failed(prepared, error);
            }
        }
    }

    internal override bool TryEnd(ServerConnection connection)
    {
        if (Error is null && !IsAbandoned)
        {
            EndDescribed();
            if (_current < _count)
            {
                // A missing answer is not a success.
                Fail(new PgProtocolException("The server did not say what became of every statement of the command."));
            }
        }

        if (Error is PgException error && Current() is { Prepared.IsStale: true } && connection.Repeats.TryRepeat(this, error))
        {
            return false;
        }

        // Before a command behind it is written.
        SettleBegin();
        return true;
    }

    /// <summary>What is only described has no end of its own: it is over where the next begins, or fails.</summary>
    private void EndDescribed()
    {
        while (IsSchemaOnly && _current < _count && (_items[_current].IsDescribed || !_items[_current].HasParse))
        {
            CommandCompleted(PgTag.Empty);
        }
    }

    /// <summary>Its owner has cancelled it: to the caller that is no error of the server, as in Npgsql.</summary>
    private protected override void Ending()
    {
        if (!IsAbandoned)
        {
            // Before its caller continues, who may send the next one.
            SettleBegin();
        }

        if (IsCancelRequested && Error is PgException { SqlState: PgSqlState.QueryCanceled, Fields.IsStatementTimeout: false } error)
        {
            ClearError();
            Fail(new OperationCanceledException($"The command was cancelled. {error.Message}", error));
        }
    }

    internal override void Restart()
    {
        base.Restart();
        _begin?.Again();
        _written = 0;
        _current = 0;
        Rows.TakeBack();
        for (int i = 0; i < _count; i++)
        {
            _items[i].Restart();
        }
    }

    internal override void Release()
    {
        SettleBegin();
        base.Release();
    }

    /// <summary>It has ended on the server, or will not come there. On a lost connection nothing is begun any more.</summary>
    private void SettleBegin()
    {
        TransactionBegin? begin = _begin;
        _begin = null;
        if (begin is not null && Connection is not { IsBroken: true })
        {
            begin.Settle();
        }
    }

    /// <summary>The first statement that waits for the answer to its Parse: the server answers in order.</summary>
    private DataItem Parsing()
    {
        for (int i = _current; i < _count; i++)
        {
            if (_items[i] is { HasParse: true, IsDescribed: false } item)
            {
                return item;
            }
        }

        throw new PgProtocolException("The server described a statement that it was not asked about.");
    }

    /// <summary>The chunk for the next row; null: the row is dropped.</summary>
    private RowChunk? Filling() => Error is null && !IsAbandoned && !IsNonQuery ? Rows.Filling : null;

    private DataItem? Current() => _current < _count ? _items[_current] : null;

    private static ResultColumns? ColumnsOf(DataItem item) => item.Columns ??= item.Prepared?.Columns;

    /// <summary>Whether the error undoes all completed statements: none of them ended a transaction or ran outside one.</summary>
    private bool OnlyTransactionalUntilNow()
    {
        for (int i = 0; i < Math.Min(_current, _count); i++)
        {
            if (!_items[i].IsHidden && _items[i].Tag.Command is not ("SELECT" or "INSERT" or "UPDATE" or "DELETE"))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Asks the server to cancel it, if it still belongs to the owner. Threads: any.</summary>
    internal void RequestCancel(object owner)
    {
        // In this order: of what still has the owner then, the version was its use by that owner (Recycle).
        long version = Version;
        if (ReferenceEquals(_owner, owner) && Target is { } target)
        {
            target.Reactor.Enqueue(WorkItem.Of(this, version, static (roundTrip, version) => roundTrip.CancelForOwner(version)));
        }
    }

    /// <summary>It is not sent.</summary>
    internal void Drop()
    {
        ReaderDone();
        Release();
    }

    /// <summary>The reader has finished with it.</summary>
    internal void ReaderDone() => CallerDone();

    internal override ValueTask ReceivedAsync() => Rows.ReceivedAsync();

    internal override bool HasUndeliveredRows => Rows.HasUndeliveredRows;

    internal override void DeliverRows() => Rows.Tell();

    private protected override void SetResult() => Rows.End();

    /// <summary>Abandons it for a token, if it still is in the caller's use. Threads: any.</summary>
    internal void Abandon(long version, CancellationToken token)
        => Target?.Reactor.Enqueue(WorkItem.Of(this, version, (roundTrip, version) => roundTrip.CancelByToken(version, token)));

    private void CancelForOwner(long version)
    {
        if (Version != version || HasCompleted)
        {
            return;
        }

        IsCancelWanted = true;
        if (Stage == RoundTripStage.Sent && ReferenceEquals(Connection?.Pipeline.Oldest, this))
        {
            Connection.Cancels.Request(this);
        }
    }

    private protected override void Recycle()
    {
        // Before the version changes, which it does inside a lock: see RequestCancel.
        _owner = null;
        base.Recycle();
        for (int i = 0; i < _count; i++)
        {
            _items[i].Clear();
        }

        _count = 0;
        _current = 0;
        _written = 0;
        Ambient = null;
        Begin = null;
        IsSchemaOnly = false;
        IsNonQuery = false;
        IsSequential = false;
        IsCommit = false;
        Ends = null;
        Rows.Clear();
        _home.Return(this);
    }
}
