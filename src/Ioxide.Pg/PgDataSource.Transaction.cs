namespace Ioxide.Pg;

/// <summary>Work in a transaction, with optional retries.</summary>
public sealed partial class PgDataSource
{
    /// <summary>Runs work in a transaction on a session of its own, and commits. An exception of the work rolls back.</summary>
    /// <param name="work">May run more than once, each time in a new transaction: it must have no effect outside of it.</param>
    /// <param name="state">Passed to <paramref name="work"/>, so that it can be static.</param>
    /// <param name="options">The isolation level and other properties of the transaction.</param>
    /// <param name="retry">When the work runs again after a failure. Defaults to <see cref="PgRetry.None"/>.</param>
    /// <param name="cancellationToken">Stops waiting; a running command is cancelled on the server.</param>
    /// <returns>The result of the run that was committed.</returns>
    [ApplicationSide]
    public async ValueTask<TResult> TransactionAsync<TState, TResult>(
        Func<PgTransaction, TState, CancellationToken, ValueTask<TResult>> work,
        TState state,
        PgTransactionOptions? options = null,
        PgRetry? retry = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        retry ??= PgRetry.None;
        PgSession session = await OpenSessionAsync(cancellationToken).ConfigureAwait(true);
        await using (session.ConfigureAwait(true))
        {
            for (int attempt = 1; ; attempt++)
            {
                try
                {
                    PgTransaction transaction = await session.BeginAsync(options, cancellationToken).ConfigureAwait(true);
                    await using (transaction.ConfigureAwait(true))
                    {
                        TResult result = await work(transaction, state, cancellationToken).ConfigureAwait(true);
                        await transaction.CommitAsync(cancellationToken).ConfigureAwait(true);
                        return result;
                    }
                }
                catch (PgException error) when (retry.Allows(attempt, error))
                {
                    await Task.Delay(retry.DelayBefore(attempt), cancellationToken).ConfigureAwait(true);
                }
            }
        }
    }
}
