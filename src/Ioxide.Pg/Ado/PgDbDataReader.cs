using System.Collections;
using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

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
/// </remarks>
[SuppressMessage("Naming", "CA1710", Justification = "The framework's own readers end in Reader.")]
[SuppressMessage("Design", "CA1010", Justification = "Nor are the framework's own readers generic enumerables.")]
public sealed partial class PgDbDataReader : DbDataReader
{
    private readonly RowCursor _rows;

    internal PgDbDataReader(PgDbConnection connection, DataRoundTrip roundTrip, CommandBehavior behavior)
        => _rows = new RowCursor(connection, roundTrip, behavior, this);

    /// <inheritdoc cref="RowCursor.Owner"/>
    internal object? Owner => _rows.Owner;

    /// <inheritdoc/>
    public override int Depth => 0;

    /// <inheritdoc/>
    public override int FieldCount => _rows.Open().Shape.Names.Length;

    /// <inheritdoc/>
    public override bool HasRows => _rows.Open().HasRows;

    /// <inheritdoc/>
    public override bool IsClosed => _rows.IsClosed;

    /// <summary>Rows that the statements inserted, updated or deleted so far; -1 if none of them changes rows.</summary>
    public override int RecordsAffected => _rows.RecordsAffected;

    /// <inheritdoc/>
    public override object this[int ordinal] => GetValue(ordinal);

    /// <inheritdoc/>
    public override object this[string name] => GetValue(GetOrdinal(name));

    /// <inheritdoc/>
    public override bool Read()
    {
        Step step;
        while ((step = _rows.ToRow()) == Step.More)
        {
            if (!_rows.Fetch())
            {
                return false;
            }
        }

        return step == Step.Yes;
    }

    /// <inheritdoc/>
    public override Task<bool> ReadAsync(CancellationToken cancellationToken)
        => _rows.ToRow() is var step and not Step.More ? Task.FromResult(step == Step.Yes) : ReadMoreAsync(cancellationToken);

    /// <inheritdoc/>
    public override bool NextResult()
    {
        while (_rows.ToResult() == Step.More)
        {
            if (!_rows.Fetch())
            {
                return false;
            }
        }

        return CameToResult();
    }

    /// <inheritdoc/>
    public override Task<bool> NextResultAsync(CancellationToken cancellationToken)
        => _rows.ToResult() == Step.Yes ? Task.FromResult(CameToResult()) : NextResultMoreAsync(cancellationToken);

    /// <inheritdoc/>
    public override IEnumerator GetEnumerator() => new DbEnumerator(this, closeReader: (_rows.Behavior & CommandBehavior.CloseConnection) != 0);

    /// <inheritdoc/>
    public override void Close()
    {
        if (!_rows.TryBeginClose())
        {
            return;
        }

        try
        {
            _rows.Drop();
            while (_rows.NextChunk(isClosing: true))
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
                if ((_rows.Behavior & CommandBehavior.CloseConnection) != 0)
                {
                    _rows.Connection.Close();
                }
            }
        }
    }

    /// <summary>Closes it for a caller who returns what it has read: a command that was cut short is an error.</summary>
    internal void CloseWhole()
    {
        _rows.RequireWhole();
        Close();
    }

    /// <inheritdoc cref="CloseWhole"/>
    internal Task CloseWholeAsync()
    {
        _rows.RequireWhole();
        return CloseAsync();
    }

    /// <summary>Its connection or transaction closes it, and has no use for its error; the connection is left to them.</summary>
    internal void CloseForConnection()
    {
        _rows.LeaveConnection();
        Close();
    }

    /// <inheritdoc cref="CloseForConnection"/>
    internal Task CloseForConnectionAsync()
    {
        _rows.LeaveConnection();
        return CloseAsync();
    }

    /// <inheritdoc/>
    public override async Task CloseAsync()
    {
        if (!_rows.TryBeginClose())
        {
            return;
        }

        try
        {
            _rows.Drop();
            while (await _rows.NextChunkAsync(isClosing: true).ConfigureAwait(false))
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
                if ((_rows.Behavior & CommandBehavior.CloseConnection) != 0)
                {
                    await _rows.Connection.CloseAsync().ConfigureAwait(false);
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
    internal async Task<DbDataReader> BeginAsync()
    {
        try
        {
            while (_rows.ToResult() == Step.More)
            {
                // The round trip itself observes the token.
                if (!_rows.Fetched(await _rows.NextChunkAsync().ConfigureAwait(false)))
                {
                    return this;
                }
            }

            CameToResult();
            Begun();
            return this;
        }
        catch
        {
            await CloseAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <inheritdoc cref="BeginAsync"/>
    internal PgDbDataReader Begin()
    {
        try
        {
            if (NextResult())
            {
                Begun();
            }

            return this;
        }
        catch
        {
            Close();
            throw;
        }
    }

    private async Task<bool> ReadMoreAsync(CancellationToken cancellationToken)
    {
        Step step = Step.More;
        while (step == Step.More)
        {
            if (!await _rows.FetchAsync(cancellationToken).ConfigureAwait(false))
            {
                return false;
            }

            step = _rows.ToRow();
        }

        return step == Step.Yes;
    }

    private async Task<bool> NextResultMoreAsync(CancellationToken cancellationToken)
    {
        while (_rows.ToResult() == Step.More)
        {
            if (!await _rows.FetchAsync(cancellationToken).ConfigureAwait(false))
            {
                return false;
            }
        }

        return CameToResult();
    }

    /// <summary>Fills the output parameters of the batch command whose result was reached.</summary>
    private bool CameToResult()
    {
        OutputParameters.Fill(_rows.Parameters, _rows, this);
        return true;
    }

    /// <summary>Those of a command are values of its first result.</summary>
    private void Begun() => OutputParameters.Fill((Owner as PgDbCommand)?.Parameters, _rows, this);

    private void Closed()
    {
        if (ReferenceEquals(_rows.Connection.Reader, this))
        {
            _rows.Connection.Reader = null;
        }

        _rows.Close();
    }
}
