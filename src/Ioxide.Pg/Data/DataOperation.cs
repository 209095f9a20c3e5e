namespace Ioxide.Pg.Data;

/// <summary>The statements of one ADO.NET command, sent in one flight with one Sync, and their rows.</summary>
/// <remarks>
/// <para>Rows are copied once, from the receive buffer into chunks that the reader owns: it may be on any thread, and a small result
/// then costs one way to the reactor and one back. A reader that falls behind stops the connection (<see cref="ReceivedAsync"/>).</para>
/// <para>A single statement whose columns are not known is described first, in a flight of its own. In a batch that could fail: a
/// statement may make the table that the next one reads. There it is sent at once, and its columns come as text this one time.</para>
/// <para>Threads: the reactor's; the reader's side is in the other part.</para>
/// </remarks>
internal sealed partial class DataOperation : Operation
{
    private static readonly PgFormat[] s_text = [.. Enumerable.Repeat(PgFormat.Text, ResultColumns.MaxColumns)];

    // One column in text form: a single format code, which stands for all columns.
    private static readonly ResultColumns s_allText = ResultColumns.Read(
        [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], default, isTextOnly: true);

    private readonly List<DataItem> _items = [];
    private int _count;
    private int _current;
    private bool _isLearning;
    private bool _hasGivenRows;

    internal CommandTarget Target { get; private set; } = null!; // Set by Start.

    /// <summary>Only the columns are asked for.</summary>
    internal bool IsSchemaOnly { get; set; }

    /// <summary>Nobody reads rows.</summary>
    internal bool IsNonQuery { get; set; }

    /// <summary>It commits: the answer ROLLBACK is an error.</summary>
    internal bool IsCommit { get; set; }

    internal int Count => _count;

    internal DataItem this[int index] => _items[index];

    internal override bool CanRepeat => !_hasGivenRows && OnlyTransactionalUntilNow();

    internal DataItem Add(PgStatement statement, int maxRows = 0, bool isHidden = false, PgDbBatchCommand? source = null)
    {
        if (_count == _items.Count)
        {
            _items.Add(new DataItem());
        }

        DataItem item = _items[_count++];
        item.Set(statement, maxRows, isHidden, source);
        return item;
    }

    internal override bool TryWrite(ServerConnection connection)
    {
        _current = 0;
        for (int i = 0; i < _count; i++)
        {
            if (!TryWrite(connection, _items[i]))
            {
                return i == 0 ? false : throw new InvalidOperationException("Another command of this session is still learning a statement of the batch.");
            }

            if (_isLearning)
            {
                break;
            }
        }

        connection.WriteSync();
        return true;
    }

    internal override ResultColumns? Columns => _current < _count ? ColumnsOf(_items[_current]) : null;

    internal override void ParseCompleted() => Parsing().Prepared!.Parsed();

    internal override void Described(ReadOnlySpan<byte> body)
    {
        DataItem item = Parsing();
        Connection!.Statements.Described(item.Prepared!, body);
        item.IsDescribed = true;
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
        if (Error is null && !IsAbandoned && !IsNonQuery && !_isDropping)
        {
            _filling.AppendRow(body);
        }
    }

    internal override void CommandCompleted(PgTag tag)
    {
        DataItem item = Current() ?? throw new PgProtocolException("The server answered more commands than it was asked.");
        ColumnsOf(item);
        item.Tag = tag;
        _current++;
        if (!IsNonQuery && !IsAbandoned && !_isDropping)
        {
            _filling.AppendEnd();
        }
    }

    /// <summary>As many rows as were asked for; the portal ends with the Sync that is on its way.</summary>
    internal override void PortalSuspended() => CommandCompleted(PgTag.Read("SELECT 1\0"u8));

    internal override void ErrorReceived(PgException error)
    {
        base.ErrorReceived(error);
        DataItem? failed = Current();
        int hidden = _count > 0 && _items[0].IsHidden ? 1 : 0;
        if (failed is not null && _count - hidden > 1)
        {
            error.BatchIndex = _current - hidden;
        }

        error.FailedCommand = failed?.Source;
        for (int i = _current; i < _count; i++)
        {
            // The server skips what follows, with its Parse.
            DataItem item = _items[i];
            if (item.Prepared is { } prepared && (i == _current || (item.HasParse && !prepared.IsParsed)))
            {
                Connection!.Statements.Failed(prepared, error);
            }
        }
    }

    internal override bool TryEnd(ServerConnection connection)
    {
        if (_isLearning)
        {
            _isLearning = false;
            DataItem item = _items[0];
            connection.Statements.Learned(item.Prepared!);
            if (Error is null && !IsAbandoned && !IsSchemaOnly)
            {
                connection.Resubmit(this);
                return false;
            }
        }

        if (IsSchemaOnly && Error is null && !IsAbandoned)
        {
            while (_current < _count)
            {
                CommandCompleted(PgTag.Empty);
            }
        }

        if (Error is PgException && Current() is { Prepared.IsStale: true } && connection.MayRepeat(this))
        {
            Restart();
            connection.Resubmit(this);
            return false;
        }

        return true;
    }

    internal override void Restart()
    {
        base.Restart();
        _current = 0;
        _filling.Clear();
        for (int i = 0; i < _count; i++)
        {
            _items[i].Restart();
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

    private DataItem? Current() => _current < _count ? _items[_current] : null;

    private static ResultColumns? ColumnsOf(DataItem item)
    {
        if (item.Columns is null && item.Prepared?.Columns is { } columns)
        {
            item.Columns = item.IsText && columns.Count > 0 ? columns.WithFormats(s_text) : columns;
        }

        return item.Columns;
    }

    private bool TryWrite(ServerConnection connection, DataItem item)
    {
        StatementUse use = connection.Statements.Use(item.Statement, this, out PreparedStatement prepared);
        if (use == StatementUse.Wait)
        {
            return false;
        }

        item.Prepared = prepared;
        BoundValues values = item.Values;
        if (use is StatementUse.Parse or StatementUse.Learn)
        {
            item.HasParse = true;
            item.IsDescribed = false;
            MessageWriter.WriteParseAndDescribe(connection.Output, prepared, in values);
        }

        if (use == StatementUse.Learn)
        {
            if (_count == 1)
            {
                _isLearning = true;
                return true;
            }

            // Nobody has to wait for its columns: who needs them takes text too.
            prepared.Columns = s_allText;
            connection.Statements.Learned(prepared);
            prepared.Columns = null;
        }

        if (IsSchemaOnly)
        {
            return true;
        }

        item.IsText = prepared.Columns is null;
        if (item.IsText)
        {
            prepared.Columns = s_allText;
        }

        try
        {
            MessageWriter.WriteBindAndExecute(connection.Output, prepared, in values, item.MaxRows);
        }
        finally
        {
            if (item.IsText)
            {
                prepared.Columns = null;
            }
        }

        return true;
    }

    /// <summary>What was done is undone by the error: nothing of it ended a transaction, or lies outside one.</summary>
    private bool OnlyTransactionalUntilNow()
    {
        for (int i = 0; i < Math.Min(_current, _count); i++)
        {
            if (_items[i].Tag.Command is not ("SELECT" or "INSERT" or "UPDATE" or "DELETE"))
            {
                return false;
            }
        }

        return true;
    }
}
