using System.Data.Common;

namespace Ioxide.Pg;

/// <summary>A connection or a command exceeded its time limit.</summary>
public sealed class PgTimeoutException : DbException
{
    internal PgTimeoutException(PgTimeoutKind kind, TimeSpan limit, string message, Exception? inner = null)
        : base(message, inner ?? new TimeoutException(message))
    {
        Kind = kind;
        Limit = limit;
    }

    /// <summary>The limit that was exceeded.</summary>
    public PgTimeoutKind Kind { get; }

    /// <summary>The time limit.</summary>
    public TimeSpan Limit { get; }

    /// <inheritdoc/>
    public override bool IsTransient => true;
}
