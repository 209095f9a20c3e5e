namespace Ioxide.Pg;

/// <summary>
/// How often a transaction is repeated that the server aborted because of another one (40001, 40P01), or because the columns of a prepared
/// statement have changed (0A000).
/// </summary>
/// <param name="MaxAttempts">The maximum number of runs, including the first, at least 1.</param>
/// <param name="FirstDelay">The delay before the second run; doubled each time, with jitter.</param>
public sealed record PgRetry(int MaxAttempts, TimeSpan FirstDelay)
{
    /// <summary>A single run, without retries.</summary>
    public static PgRetry None { get; } = new(1, TimeSpan.Zero);

    /// <summary>Up to <paramref name="maxAttempts"/> runs, the second 5 ms after the first failed.</summary>
    public static PgRetry Serialization(int maxAttempts) => new(maxAttempts, TimeSpan.FromMilliseconds(5));

    internal bool Allows(int attempt, PgException error)
        => attempt < MaxAttempts && (error.IsResultChanged || error.SqlState is PgSqlState.SerializationFailure or PgSqlState.DeadlockDetected);

    internal TimeSpan DelayBefore(int attempt)
    {
#pragma warning disable CA5394 // The jitter guards nothing.
        return FirstDelay * (Math.Pow(2, attempt - 1) * (0.5 + Random.Shared.NextDouble()));
#pragma warning restore CA5394
    }
}
