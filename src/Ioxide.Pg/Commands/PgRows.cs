namespace Ioxide.Pg;

/// <summary>The rows of a command, batch by batch, as they lie in the receive buffer.</summary>
/// <remarks>
/// <para><c>while (await rows.NextBatchAsync()) { foreach (PgRow row in rows.Batch) { ... } }</c></para>
/// <para>While the reader is at a batch nothing more is received: TCP slows the server down. Threads: one at a time, any.</para>
/// <para>An object that is not disposed keeps its connection until it is collected; a warning is logged then.</para>
/// </remarks>
public abstract class PgRows : IAsyncDisposable
{
    private protected PgRows()
    {
    }

    /// <summary>The rows of this batch. Valid until the next <see cref="NextBatchAsync"/>.</summary>
    public abstract PgRowBatch Batch { get; }

    /// <summary>What the command did. Known when there is no further batch.</summary>
    public abstract PgTag Tag { get; }

    /// <summary>Waits for rows. False: there are no more.</summary>
    /// <exception cref="PgException">The command failed, also after some rows.</exception>
    public abstract ValueTask<bool> NextBatchAsync(CancellationToken cancellationToken = default);

    /// <summary>Ends the reading. A command that has more rows is cancelled on the server.</summary>
    public abstract ValueTask DisposeAsync();

    /// <summary>Every row by itself, for readers that make an object of each.</summary>
    /// <param name="reader">Makes the object.</param>
    /// <param name="cancellationToken">Gives up; a command that runs is cancelled on the server.</param>
    public async IAsyncEnumerable<T> ReadAllAsync<T>(
        PgRowReader<T> reader,
        [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(reader);
        var objects = new List<T>();
        while (await NextBatchAsync(cancellationToken).ConfigureAwait(true))
        {
            // A row cannot live across a yield, so that a batch of objects is made.
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

/// <summary>What the reader has of its rows: where it goes without being disposed, its connection comes back.</summary>
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
