namespace Ioxide.Pg;

/// <summary>Commands that are sent together with one Sync: one wake-up of the server, one answer, and one transaction.</summary>
/// <remarks>
/// <para>Commands are added by the methods of <see cref="PgQuery{TParameters}"/> that take a batch. If one fails, later commands do not
/// run, and outside a transaction earlier ones are undone; the exception has its index (<see cref="PgException.BatchIndex"/>). Outside a
/// transaction the end of the batch commits: a deferred constraint or a serialization failure can undo it after all commands have run.</para>
/// <para>A batch can be reused after <see cref="Clear"/>, without allocations. Threads: any, one at a time.</para>
/// </remarks>
public sealed class PgBatch
{
    private readonly CommandTarget _target;
    private BatchRoundTrip _roundTrip = new();

    internal PgBatch(CommandTarget target) => _target = target;

    /// <summary>The number of commands.</summary>
    public int Count => _roundTrip.Commands.Count;

    /// <summary>Sends the commands, and completes when all are answered.</summary>
    /// <exception cref="PgException">A command failed.</exception>
    /// <exception cref="InvalidOperationException">The batch is running, or was cancelled and not cleared since.</exception>
    public ValueTask RunAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfRunning();
        if (_roundTrip.State == BatchState.Abandoned)
        {
            throw new InvalidOperationException($"The batch was cancelled, and the server may still run it. {nameof(Clear)} it first.");
        }

        return Count == 0 ? default : _roundTrip.RunAsync(_target, cancellationToken);
    }

    /// <summary>Removes all commands. Their results can no longer be read.</summary>
    public void Clear()
    {
        ThrowIfRunning();
        if (_roundTrip.State == BatchState.Abandoned)
        {
            // The connection keeps using it until the server has finished; its commands are never reused.
            _roundTrip = new BatchRoundTrip();
        }
        else
        {
            _roundTrip.Clear();
        }
    }

    internal PgPending<TResult> Add<TResult>(Command<TResult> command)
    {
        ThrowIfRunning();
        _roundTrip.Commands.Add(command);
        return new PgPending<TResult>(command);
    }

    private void ThrowIfRunning()
    {
        if (_roundTrip.State == BatchState.Running)
        {
            throw new InvalidOperationException("The batch is running. Await it first.");
        }
    }
}
