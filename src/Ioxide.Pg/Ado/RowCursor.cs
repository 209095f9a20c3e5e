using System.Data;
using System.Data.Common;
using System.Runtime.CompilerServices;

namespace Ioxide.Pg.Data;

/// <summary>A reader's position in the results of a round trip: which result, which row, and where in the chunk (<see cref="RowChunk"/>).</summary>
/// <remarks>
/// It moves forward only. A step that needs more data reports that, and is repeated after the fetch, by a caller that blocks or by one that
/// awaits. What was lent of a row ends with the row. Threads: the reader's.
/// </remarks>
internal sealed class RowCursor
{
    private readonly DataRoundTrip _roundTrip;
    private readonly long _version;
    private byte[] _bytes = [];
    private int _length;
    private int _position;
    private int _item;
    private int _rowLength = -1;
    private bool _isResultRead;
    private bool _hasShownOne;
    private bool _hasShownRow;
    private bool _isErrorTold;
    private bool _isLeft;
    private bool _isWhole;
    private int _isClosing;
    private long _recordsAffected = -1;
    private LentValue? _lent;

    internal RowCursor(PgDbConnection connection, DataRoundTrip roundTrip, CommandBehavior behavior, DbDataReader owner)
    {
        Connection = connection;
        _roundTrip = roundTrip;
        _version = roundTrip.Version;
        Behavior = behavior;
        Sequential = (behavior & CommandBehavior.SequentialAccess) != 0 ? new SequentialRow(this, owner) : null;
    }

    internal PgDbConnection Connection { get; }

    internal CommandBehavior Behavior { get; private set; }

    /// <summary>The command or the batch that it belongs to.</summary>
    internal object? Owner => _roundTrip.Owner;

    /// <summary>The row under <see cref="CommandBehavior.SequentialAccess"/>; else null.</summary>
    internal SequentialRow? Sequential { get; }

    /// <summary>The columns of the result.</summary>
    internal ResultShape Shape { get; private set; } = ResultShape.Of(ResultColumns.None, TypeCatalog.Empty);

    internal bool IsInResult { get; private set; }

    internal bool HasRows { get; private set; }

    internal bool IsClosed { get; private set; }

    /// <summary>The row consists of entries, and its end is not reached.</summary>
    internal bool IsLong { get; private set; }

    /// <summary>Rows that the statements changed so far; -1 if none of them changes rows.</summary>
    internal int RecordsAffected => (int)Math.Min(_recordsAffected, int.MaxValue);

    /// <summary>The parameters of the batch command whose result was reached.</summary>
    internal PgDbParameterCollection? Parameters => _roundTrip[_item].Source?.Parameters;

    /// <summary>The bytes of a row that is whole: the position is behind them.</summary>
    internal ReadOnlySpan<byte> Row => _bytes.AsSpan(_position - _rowLength, _rowLength);

    /// <summary>Where in <see cref="Row"/> the lengths of the values are.</summary>
    internal ReadOnlySpan<int> Offsets => _roundTrip.RowLayout.Offsets;

    internal RowCursor Open() => IsClosed ? throw Closed() : this;

    /// <summary>Moves to the next row of the result.</summary>
    /// <exception cref="InvalidOperationException">The reader is closed, perhaps by another thread in the middle of this.</exception>
    internal Step ToRow()
    {
        _ = Open();
        try
        {
            return NextRow();
        }
        catch (Exception torn) when (IsTorn(torn))
        {
            throw Closed(torn);
        }
    }

    /// <summary>Moves to the next result: there may be one as long as more can be fetched.</summary>
    /// <inheritdoc cref="ToRow" path="/exception"/>
    internal Step ToResult()
    {
        _ = Open();
        try
        {
            return NextResult();
        }
        catch (Exception torn) when (IsTorn(torn))
        {
            throw Closed(torn);
        }
    }

    /// <summary>A thread that closes the reader takes the rows away from one that reads, which then finds parts of them.</summary>
    private bool IsTorn(Exception exception)
        => exception is (ArgumentException or IndexOutOfRangeException or PgProtocolException) && Volatile.Read(ref _isClosing) != 0;

    private static InvalidOperationException Closed(Exception? torn = null) => new("The reader is closed.", torn);

    private Step NextRow()
    {
        if (OutOfRow() == Step.More)
        {
            return Step.More;
        }

        if (_hasShownRow && (Behavior & CommandBehavior.SingleRow) != 0)
        {
            // As in Npgsql, the statements behind the row are read to their end, and an error of theirs is thrown here.
            Behavior |= CommandBehavior.SingleResult;
            return NextResult();
        }

        if (!IsInResult || _isResultRead)
        {
            return Step.No;
        }

        if (_position >= _length)
        {
            return Step.More;
        }

        if (_bytes[_position] == RowChunk.End)
        {
            EndResult();
            return Step.No;
        }

        _hasShownRow = true;
        _rowLength = PassRow();
        if (!IsLong)
        {
            _roundTrip.RowLayout.Read(Row, Shape.Names.Length);
        }

        return Step.Yes;
    }

    private Step NextResult()
    {
        while (true)
        {
            if (OutOfRow() == Step.More)
            {
                return Step.More;
            }

            if (IsInResult && _isResultRead)
            {
                LeaveResult();
            }

            if (_position >= _length)
            {
                return Step.More;
            }

            bool isRow = _bytes[_position] is RowChunk.Row or RowChunk.LongRow;
            if (IsInResult)
            {
                if (isRow)
                {
                    PassRow();
                }
                else
                {
                    EndResult();
                }

                continue;
            }

            DataItem item = _roundTrip[_item];
            if (!item.IsHidden && item.Columns is { } columns && (columns.Count > 0 || isRow))
            {
                // Rows without columns are a result too: "select from t".
                IsInResult = true;
                if (_hasShownOne && (Behavior & CommandBehavior.SingleResult) != 0)
                {
                    continue;
                }

                Shape = ResultShape.Of(columns, Connection.Source.Types);
                HasRows = isRow;
                _hasShownOne = true;
                _hasShownRow = false;
                return Step.Yes;
            }

            EndItem();
        }
    }

    /// <summary>Moves to the first row of a result. It stays to be read: <see cref="StepBack"/> follows.</summary>
    /// <returns>What <see cref="StepBack"/> takes.</returns>
    internal int PeekRow()
    {
        int position = _position;
        ToRow();
        return position;
    }

    internal void StepBack(int position)
    {
        _position = position;
        _rowLength = -1;
        _hasShownRow = false;
    }

    internal bool Fetch() => Fetched(NextChunk());

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    internal async ValueTask<bool> FetchAsync(CancellationToken cancellationToken)
    {
        ValueTask<bool> next = NextChunkAsync();
        if (next.IsCompleted || !cancellationToken.CanBeCanceled)
        {
            return Fetched(await next.ConfigureAwait(false));
        }

        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            static (state, token) =>
            {
                var cursor = (RowCursor)state!;
                cursor._roundTrip.Abandon(cursor._version, token);
            },
            this);
        return Fetched(await next.ConfigureAwait(false));
    }

    /// <summary>Waits for more rows; <see cref="Fetched"/> takes the answer, except behind <see cref="Drop"/>.</summary>
    internal bool NextChunk(bool isClosing = false) => _roundTrip.Rows.NextChunk(_version, isClosing);

    /// <inheritdoc cref="NextChunk"/>
    internal ValueTask<bool> NextChunkAsync(bool isClosing = false) => _roundTrip.Rows.NextChunkAsync(_version, isClosing);

    /// <summary>Begins with the chunk that has arrived, or ends the row and the result where there is none.</summary>
    /// <returns>Whether there is a chunk. The error of the round trip is thrown once.</returns>
    internal bool Fetched(bool hasChunk)
    {
        if (hasChunk)
        {
            _bytes = _roundTrip.Rows.Chunk.Bytes;
            _length = _roundTrip.Rows.Chunk.Length;
            _position = 0;
            return true;
        }

        LeaveRow();
        IsLong = false;
        LeaveResult();
        if (_roundTrip.Error is { } error && !_isErrorTold)
        {
            _isErrorTold = true;
            Connection.NoticeLoss();
            throw CommandRun.ErrorOf(error);
        }

        return false;
    }

    /// <summary>Whether the caller is the first one that closes it.</summary>
    internal bool TryBeginClose() => Interlocked.Exchange(ref _isClosing, 1) == 0;

    /// <summary>The connection stays open behind the reader, and who closes the reader has no use for its error.</summary>
    internal void LeaveConnection()
    {
        Behavior &= ~CommandBehavior.CloseConnection;
        _isLeft = true;
    }

    /// <summary>Asks for no more rows. Those that come are taken as chunks until there is none; <see cref="Close"/> follows.</summary>
    internal void Drop() => _roundTrip.Rows.Drop();

    /// <summary>What was read is returned as the result of the command: the caller learns of whatever ends the command before its end.</summary>
    internal void RequireWhole() => _isWhole = true;

    /// <summary>
    /// Has finished with the round trip. Throws if a statement whose rows were no longer read has failed: outside a transaction nothing of the
    /// command is kept then. Only what the caller did itself is passed over, as in Npgsql: it cancelled, or set the limit. A row that was too
    /// long has undone nothing.
    /// </summary>
    internal void Close()
    {
        IsClosed = true;
        LeaveRow();
        IsLong = false;
        bool isOver = _roundTrip.Rows.IsOver;
        Exception? error = isOver && !_isErrorTold && !_isLeft ? _roundTrip.Error : null;
        while (isOver && _item < _roundTrip.Count)
        {
            _roundTrip[_item++].AddAffected(ref _recordsAffected);
        }

        _bytes = [];
        _roundTrip.ReaderDone();
        if (error is not (null or PgResultTooLargeException) && (_isWhole || error is not (OperationCanceledException or PgTimeoutException)))
        {
            Connection.NoticeLoss();
            throw CommandRun.ErrorOf(error);
        }
    }

    /// <summary>The value of a column of a row that is whole.</summary>
    internal FieldValue FieldAt(int ordinal, DbDataReader owner)
    {
        RequireColumn(ordinal);
        return new FieldValue(new PgRow(Row, Offsets, Shape.Columns)[ordinal], Shape.Readers[ordinal], owner, ordinal);
    }

    internal bool IsNull(int ordinal)
    {
        RequireColumn(ordinal);
        return new PgRow(Row, Offsets, Shape.Columns).IsNull(ordinal);
    }

    internal void RequireColumn(int ordinal)
    {
        RequireRow();
        if ((uint)ordinal >= (uint)Shape.Names.Length)
        {
            throw NoColumn(ordinal);
        }
    }

    internal void RequireRow()
    {
        if (_rowLength < 0)
        {
            _ = Open();
            throw new InvalidOperationException($"There is no row. {nameof(DbDataReader.Read)} goes to the first one; it says whether there is.");
        }
    }

    internal IndexOutOfRangeException NoColumn(int ordinal)
        => FieldValue.OutOfRange($"Column {ordinal} is none of the {Shape.Names.Length} columns, which count from 0.");

    /// <summary>Takes the head of a long row's next entry. False: it has not arrived.</summary>
    /// <param name="kind">Its kind.</param>
    /// <param name="number">Its number: for a <see cref="RowChunk.Piece"/> how many bytes follow.</param>
    internal bool TryTakeEntry(out byte kind, out int number)
    {
        if (_position >= _length)
        {
            kind = 0;
            number = 0;
            return false;
        }

        kind = _bytes[_position];
        number = RowChunk.NumberAt(_bytes, _position);
        _position += RowChunk.HeaderBytes;
        return true;
    }

    /// <summary>The next bytes of the entry.</summary>
    internal ReadOnlySpan<byte> Next(int count) => _bytes.AsSpan(_position, count);

    internal void Skip(int count) => _position += count;

    /// <summary>Lends a value that ends with the row.</summary>
    /// <exception cref="InvalidOperationException">The column's value is lent, and its user has not disposed it.</exception>
    internal T Lend<T>(int ordinal, T value)
        where T : IDisposable
    {
        if (_lent is { IsOpen: true } lent && lent.Ordinal == ordinal)
        {
            throw new InvalidOperationException(
                $"Column {ordinal} has a stream or reader already. Dispose it, or go on with it: it would be read twice.");
        }

        TakeBack();
        _lent = new LentValue(ordinal, value);
        return value;
    }

    /// <summary>Disposes what was lent before.</summary>
    internal void TakeBack()
    {
        _lent?.Value.Dispose();
        _lent = null;
    }

    /// <summary>Leaves the row, and skips what is left of it.</summary>
    private Step OutOfRow()
    {
        LeaveRow();
        while (IsLong)
        {
            if (!TryTakeEntry(out byte kind, out int number))
            {
                return Step.More;
            }

            IsLong = kind != RowChunk.LongRowEnd;
            _position += kind == RowChunk.Piece ? number : 0;
        }

        return Step.No;
    }

    private void LeaveRow()
    {
        _rowLength = -1;
        TakeBack();
        Sequential?.Leave();
    }

    private void LeaveResult()
    {
        IsInResult = false;
        _isResultRead = false;
        HasRows = false;
        Shape = ResultShape.Of(ResultColumns.None, TypeCatalog.Empty);
    }

    /// <summary>Moves behind a row, or to the entries of a long one.</summary>
    /// <returns>Its length; 0 for a long one.</returns>
    private int PassRow()
    {
        IsLong = _bytes[_position] == RowChunk.LongRow;
        int lengthBytes = RowChunk.NumberAt(_bytes, _position);
        _position += RowChunk.HeaderBytes + lengthBytes;
        return lengthBytes;
    }

    private void EndResult()
    {
        EndItem();
        _isResultRead = true;
    }

    private void EndItem()
    {
        _position += RowChunk.HeaderBytes;
        _roundTrip[_item++].AddAffected(ref _recordsAffected);
    }
}
