using System.Data.Common;

namespace Ioxide.Pg;

/// <summary>No connection to the server could be opened, or the one in use was lost.</summary>
public class PgConnectionException : DbException
{
    internal PgConnectionException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <summary>TLS was offered but could not be negotiated; with <see cref="PgSslMode.Prefer"/> clear text is tried.</summary>
    internal bool IsTlsFailure { get; init; }

    /// <summary>
    /// True: another connection may serve the same command. Whether a command in flight has run is not known.
    /// </summary>
    public override bool IsTransient => true;

    /// <summary>The code with which the server ended the connection, such as 57P01; null if it said nothing.</summary>
    public override string? SqlState => (InnerException as PgException)?.SqlState;
}
