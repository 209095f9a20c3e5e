namespace Ioxide.Pg;

/// <summary>
/// How often a transaction is run again that the server gave up for another's sake (40001, 40P01), or because the columns of a prepared
/// statement have changed (0A000).
/// </summary>
/// <param name="MaxAttempts">Runs in all, at least 1.</param>
/// <param name="FirstDelay">Before the second run; doubled each time, with jitter.</param>
public sealed record PgRetry(int MaxAttempts, TimeSpan FirstDelay)
{
    /// <summary>One run.</summary>
    public static PgRetry None { get; } = new(1, TimeSpan.Zero);

    /// <summary>So many runs, the second one 5 ms after the first failed.</summary>
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
