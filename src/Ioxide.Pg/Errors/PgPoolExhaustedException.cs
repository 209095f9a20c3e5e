using System.Data.Common;

namespace Ioxide.Pg;

/// <summary>The wait queue of the pool is full, or the wait timed out: every connection is busy.</summary>
public sealed class PgPoolExhaustedException : DbException
{
    internal PgPoolExhaustedException(string message, Exception? cause = null, bool hasTimedOut = false)
        : base(
            cause is null ? message : $"{message} The last attempt to connect failed: {cause.Message}",
            cause ?? (hasTimedOut ? new TimeoutException(message) : null))
    {
    }

    /// <inheritdoc/>
    public override bool IsTransient => true;
}
