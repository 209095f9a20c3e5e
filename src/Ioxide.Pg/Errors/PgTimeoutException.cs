using System.Data.Common;

namespace Ioxide.Pg;

/// <summary>A connection or a command took longer than it was allowed to.</summary>
public sealed class PgTimeoutException : DbException
{
    internal PgTimeoutException(PgTimeoutKind kind, TimeSpan limit, string message, Exception? inner = null)
        : base(message, inner)
    {
        Kind = kind;
        Limit = limit;
    }

    /// <summary>Which clock ran out.</summary>
    public PgTimeoutKind Kind { get; }

    /// <summary>What was allowed.</summary>
    public TimeSpan Limit { get; }

    /// <inheritdoc/>
    public override bool IsTransient => true;
}
