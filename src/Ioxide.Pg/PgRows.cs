namespace Ioxide.Pg;

/// <summary>The rows of a command, batch by batch, read in the receive buffer.</summary>
/// <remarks>
/// <para><c>while (await rows.NextBatchAsync()) { foreach (PgRow row in rows.Batch) { ... } }</c></para>
/// <para>While the reader has a batch nothing more is received: TCP slows the server down. Threads: one at a time, any.</para>
/// <para>An object that is not disposed keeps its connection until it is collected; a warning is logged then.</para>
/// </remarks>
public abstract class PgRows : IAsyncDisposable
{
    private protected PgRows()
    {
    }

    /// <summary>The current batch of rows. Valid until the next <see cref="NextBatchAsync"/>.</summary>
    public abstract PgRowBatch Batch { get; }

    /// <summary>The outcome of the command. Known after the last batch.</summary>
    public abstract PgTag Tag { get; }

    /// <summary>Waits for rows. False: there are no more.</summary>
    /// <exception cref="PgException">The command failed, possibly after some rows.</exception>
    public abstract ValueTask<bool> NextBatchAsync(CancellationToken cancellationToken = default);

    /// <summary>Stops reading. A command with more rows is cancelled on the server.</summary>
    public abstract ValueTask DisposeAsync();

    /// <summary>Returns one object per row.</summary>
    /// <param name="reader">Converts each row.</param>
    /// <param name="cancellationToken">Stops waiting; a running command is cancelled on the server.</param>
    [ApplicationSide]
    public async IAsyncEnumerable<T> ReadAllAsync<T>(
        PgRowReader<T> reader,
        [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(reader);
        var objects = new List<T>();
        while (await NextBatchAsync(cancellationToken).ConfigureAwait(true))
        {
            // A row cannot live across a yield, so a whole batch is converted first.
            objects.Clear();
            foreach (PgRow row in Batch)
            {
                objects.Add(reader(row));
            }

            foreach (T item in objects)
            {
                yield return item;
            }
        }
    }
}

/// <summary>The reader's handle of its rows: if it is collected without being disposed, its connection is returned.</summary>
internal sealed class RowsHandle(LentRows rows) : PgRows
{
    ~RowsHandle() => rows.Forget();

    public override PgRowBatch Batch => new(rows.Received, rows, this);

    public override PgTag Tag => rows.Tag;

    public override ValueTask<bool> NextBatchAsync(CancellationToken cancellationToken = default) => rows.NextBatchAsync(cancellationToken);

    public override ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return rows.DisposeAsync();
    }
}
