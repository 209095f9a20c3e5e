namespace Ioxide.Pg;

/// <summary>Transactions as a whole.</summary>
public sealed partial class PgDataSource
{
    /// <summary>Runs work in a transaction on a session of its own, and commits. What it throws rolls back.</summary>
    /// <param name="work">May run more than once, each time in a new transaction: it must have no effect outside of it.</param>
    /// <param name="state">Handed to it, so that it can be static.</param>
    /// <param name="options">Isolation and so on.</param>
    /// <param name="retry">When it is run again. Defaults to <see cref="PgRetry.None"/>.</param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <returns>What the work returned in the run that was committed.</returns>
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
