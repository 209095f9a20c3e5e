using System.Collections;
using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Ioxide.Pg.Data;

/// <summary>Reads the results of a command, row by row, forward only.</summary>
/// <remarks>
/// A row is valid until the next read, on any thread. Reads within received data complete at once and allocate nothing. Disposing the
/// reader receives the rest and drops it, so that later statements of the command run and an open transaction survives. If much is
/// left, call <see cref="DbCommand.Cancel"/> first.
/// <para>Under <see cref="CommandBehavior.SequentialAccess"/> the columns of a row are read in order, each once, and a row above 1 MiB is not
/// received whole: <see cref="GetStream"/>, <see cref="GetTextReader"/>, <see cref="GetBytes"/> and <see cref="GetChars"/> pass a value on as it
/// arrives, while the server waits. Skipped bytes are dropped. A synchronous getter then waits for the network;
/// <see cref="GetFieldValueAsync{T}"/> and <see cref="IsDBNullAsync"/> do not block.</para>
/// <para>It has 22 fields: the place in a chunk, and what of the result is known, are one state.</para>
/// </remarks>
[SuppressMessage("Naming", "CA1710", Justification = "The framework's own readers end in Reader.")]
[SuppressMessage("Design", "CA1010", Justification = "Nor are the framework's own readers generic enumerables.")]
public sealed partial class PgDbDataReader : DbDataReader
{
    private readonly PgDbConnection _connection;
    private readonly DataRoundTrip _roundTrip;
    private CommandBehavior _behavior;
    private ResultShape _shape = ResultShape.Of(ResultColumns.None, TypeCatalog.Empty);
    private byte[] _bytes = [];
    private int _length;
    private int _position;
    private int _item;
    private int _rowStart;
    private int _rowLength = -1;
    private bool _isInResult;
    private bool _isResultRead;
    private bool _hasRows;
    private bool _hasShownOne;
    private bool _hasShownRow;
    private readonly long _version;
    private bool _isClosed;
    private int _isClosing;
    private bool _isErrorTold;
    private long _recordsAffected = -1;
    private LentValue? _lent;

    internal PgDbDataReader(PgDbConnection connection, DataRoundTrip roundTrip, CommandBehavior behavior, object owner)
    {
        Owner = owner;
        if ((behavior & CommandBehavior.SequentialAccess) != 0)
        {
            _isSequential = true;
            _at = new Place();
        }

        _connection = connection;
        _roundTrip = roundTrip;
        _version = roundTrip.Version;
        _behavior = behavior;
    }

    /// <summary>The command or the batch that it belongs to.</summary>
    internal object Owner { get; }

    private enum Step
    {
        No,
        Yes,
        More,
    }

    /// <inheritdoc/>
    public override int Depth => 0;

    /// <inheritdoc/>
    public override int FieldCount => Open()._shape.Names.Length;

    /// <inheritdoc/>
    public override bool HasRows => Open()._hasRows;

    /// <inheritdoc/>
    public override bool IsClosed => _isClosed;

    /// <summary>Rows that the statements inserted, updated or deleted so far; -1 if none of them changes rows.</summary>
    public override int RecordsAffected => (int)Math.Min(_recordsAffected, int.MaxValue);

    /// <inheritdoc/>
    public override object this[int ordinal] => GetValue(ordinal);

    /// <inheritdoc/>
    public override object this[string name] => GetValue(GetOrdinal(name));

    /// <inheritdoc/>
    public override bool Read()
    {
        Step step;
        while ((step = StepToRow()) == Step.More)
        {
            if (!Fetch())
            {
                return false;
            }
        }

        return step == Step.Yes;
    }

    /// <inheritdoc/>
    public override Task<bool> ReadAsync(CancellationToken cancellationToken)
        => StepToRow() is var step and not Step.More ? Task.FromResult(step == Step.Yes) : ReadMoreAsync(cancellationToken);

    /// <inheritdoc/>
    public override bool NextResult()
    {
        Step step;
        while ((step = StepToResult()) == Step.More)
        {
            if (!Fetch())
            {
                return false;
            }
        }

        return CameToResult(step);
    }

    /// <inheritdoc/>
    public override Task<bool> NextResultAsync(CancellationToken cancellationToken)
        => StepToResult() is var step and not Step.More ? Task.FromResult(CameToResult(step)) : NextResultMoreAsync(cancellationToken);

    /// <inheritdoc/>
    public override IEnumerator GetEnumerator() => new DbEnumerator(this, closeReader: (_behavior & CommandBehavior.CloseConnection) != 0);

    /// <inheritdoc/>
    public override void Close()
    {
        if (Interlocked.Exchange(ref _isClosing, 1) != 0)
        {
            return;
        }

        try
        {
            _roundTrip.Rows.Drop();
            while (_roundTrip.Rows.NextChunk(_version, isClosing: true))
            {
            }
        }
        finally
        {
            try
            {
                Closed();
            }
            finally
            {
                if ((_behavior & CommandBehavior.CloseConnection) != 0)
                {
                    _connection.Close();
                }
            }
        }
    }

    /// <summary>Its connection or transaction closes it: the connection is left to them.</summary>
    internal PgDbDataReader LeavingConnection()
    {
        _behavior &= ~CommandBehavior.CloseConnection;
        return this;
    }

    /// <inheritdoc/>
    public override async Task CloseAsync()
    {
        if (Interlocked.Exchange(ref _isClosing, 1) != 0)
        {
            return;
        }

        try
        {
            _roundTrip.Rows.Drop();
            while (await _roundTrip.Rows.NextChunkAsync(_version, isClosing: true).ConfigureAwait(false))
            {
            }
        }
        finally
        {
            try
            {
                Closed();
            }
            finally
            {
                if ((_behavior & CommandBehavior.CloseConnection) != 0)
                {
                    await _connection.CloseAsync().ConfigureAwait(false);
                }
            }
        }
    }

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        await CloseAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            Close();
        }

        base.Dispose(disposing);
    }

    /// <summary>Moves to the first result. Throws an error of that statement or of an earlier one.</summary>
    internal async Task<DbDataReader> BeginAsync(PgDbParameterCollection? parameters)
    {
        try
        {
            Step step;
            while ((step = StepToResult()) == Step.More)
            {
                // The round trip itself observes the token.
                if (!Fetched(await _roundTrip.Rows.NextChunkAsync(_version).ConfigureAwait(false)))
                {
                    break;
                }
            }

            CameToResult(step);
            FillOutput(parameters);
            return this;
        }
        catch
        {
            await CloseAsync().ConfigureAwait(false);
            throw;
        }
    }

    private async Task<bool> ReadMoreAsync(CancellationToken cancellationToken)
    {
        Step step = Step.More;
        while (step == Step.More)
        {
            if (!await FetchAsync(cancellationToken).ConfigureAwait(false))
            {
                return false;
            }

            step = StepToRow();
        }

        return step == Step.Yes;
    }

    private async Task<bool> NextResultMoreAsync(CancellationToken cancellationToken)
    {
        Step step;
        while ((step = StepToResult()) == Step.More)
        {
            if (!await FetchAsync(cancellationToken).ConfigureAwait(false))
            {
                return false;
            }
        }

        return CameToResult(step);
    }

    private Step StepToRow()
    {
        _ = Open();
        if (StepOutOfRow() == Step.More)
        {
            return Step.More;
        }

        if (_hasShownRow && (_behavior & CommandBehavior.SingleRow) != 0)
        {
            // As in Npgsql, the statements behind the row are read to their end, and an error of theirs is thrown here.
            _behavior |= CommandBehavior.SingleResult;
            return StepToResult();
        }

        if (!_isInResult || _isResultRead)
        {
            return Step.No;
        }

        if (_position >= _length)
        {
            return Step.More;
        }

        if (_bytes[_position] == RowChunk.End)
        {
            EndItem();
            _isResultRead = true;
            return Step.No;
        }

        _hasShownRow = true;
        _rowStart = _position + RowChunk.HeaderBytes;
        _rowLength = RowChunk.NumberAt(_bytes, _position);
        _position = _rowStart + _rowLength;
        if (_bytes[_rowStart - RowChunk.HeaderBytes] == RowChunk.LongRow)
        {
            _isLong = true;
            return Step.Yes;
        }

        _roundTrip.RowLayout.Read(_bytes.AsSpan(_rowStart, _rowLength), _shape.Names.Length);
        return Step.Yes;
    }

    private Step StepToResult()
    {
        _ = Open();
        while (true)
        {
            if (StepOutOfRow() == Step.More)
            {
                return Step.More;
            }

            if (_isInResult && _isResultRead)
            {
                _isInResult = false;
                _isResultRead = false;
                _hasRows = false;
                _shape = ResultShape.Of(ResultColumns.None, TypeCatalog.Empty);
            }

            if (_position >= _length)
            {
                return Step.More;
            }

            bool isRow = _bytes[_position] is RowChunk.Row or RowChunk.LongRow;
            if (_isInResult)
            {
                if (isRow)
                {
                    PassRow();
                }
                else
                {
                    EndItem();
                    _isResultRead = true;
                }

                continue;
            }

            DataItem item = _roundTrip[_item];
            if (!item.IsHidden && item.Columns is { } columns && (columns.Count > 0 || isRow))
            {
                // Rows without columns are a result too: "select from t".
                _isInResult = true;
                if (_hasShownOne && (_behavior & CommandBehavior.SingleResult) != 0)
                {
                    continue;
                }

                _shape = ResultShape.Of(columns, _connection.Source.Types);
                _hasRows = isRow;
                _hasShownOne = true;
                _hasShownRow = false;
                return Step.Yes;
            }

            EndItem();
        }
    }

    private void PassRow()
    {
        _isLong = _bytes[_position] == RowChunk.LongRow;
        _position += RowChunk.HeaderBytes + RowChunk.NumberAt(_bytes, _position);
    }

    private void EndItem()
    {
        _position += RowChunk.HeaderBytes;
        Count(_roundTrip[_item++]);
    }

    private void Count(DataItem item)
    {
        long affected = AffectedBy(item);
        if (affected >= 0)
        {
            _recordsAffected = Math.Max(_recordsAffected, 0) + affected;
            if (item.Source is { } source)
            {
                source.Affected((int)Math.Min(affected, int.MaxValue));
            }
        }
    }

    /// <summary>Rows that a statement changed; -1 if it does not change rows.</summary>
    internal static long AffectedBy(DataItem item)
        => item.Tag.Command is "INSERT" or "UPDATE" or "DELETE" or "MERGE" or "COPY" or "MOVE" ? Math.Max(item.Tag.RowsAffected, 0) : -1;

    private bool Fetch() => Fetched(_roundTrip.Rows.NextChunk(_version));

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> FetchAsync(CancellationToken cancellationToken)
    {
        ValueTask<bool> next = _roundTrip.Rows.NextChunkAsync(_version);
        if (next.IsCompleted || !cancellationToken.CanBeCanceled)
        {
            return Fetched(await next.ConfigureAwait(false));
        }

        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            static (state, token) =>
            {
                var reader = (PgDbDataReader)state!;
                reader._roundTrip.Abandon(reader._version, token);
            },
            this);
        return Fetched(await next.ConfigureAwait(false));
    }

    private bool Fetched(bool hasChunk)
    {
        if (hasChunk)
        {
            _bytes = _roundTrip.Rows.Chunk.Bytes;
            _length = _roundTrip.Rows.Chunk.Length;
            _position = 0;
            return true;
        }

        LeaveRow();
        _isLong = false;
        _isInResult = false;
        _isResultRead = false;
        _hasRows = false;
        _shape = ResultShape.Of(ResultColumns.None, TypeCatalog.Empty);
        if (_roundTrip.Error is { } error && !_isErrorTold)
        {
            _isErrorTold = true;
            _connection.NoticeLoss();
            throw CommandRun.ErrorOf(error);
        }

        return false;
    }

    private void Closed()
    {
        _isClosed = true;
        LeaveRow();
        _isLong = false;
        bool isOver = _roundTrip.Rows.IsOver;
        Exception? error = isOver && !_isErrorTold ? _roundTrip.Error : null;
        while (isOver && _item < _roundTrip.Count)
        {
            Count(_roundTrip[_item++]);
        }

        _bytes = [];
        _connection.ReaderClosed(this);
        _roundTrip.ReaderDone();
        if (error is PgException { SqlState: not PgSqlState.QueryCanceled })
        {
            // A statement whose rows were no longer read has failed. The error must not be lost.
            throw error;
        }
    }

    private PgDbDataReader Open() => _isClosed ? throw new InvalidOperationException("The reader is closed.") : this;
}
