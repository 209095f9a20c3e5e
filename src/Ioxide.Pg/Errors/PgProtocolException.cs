namespace Ioxide.Pg;

/// <summary>The peer violated the protocol. The connection is closed.</summary>
public sealed class PgProtocolException : PgConnectionException
{
    internal PgProtocolException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <inheritdoc/>
    public override bool IsTransient => false;

    internal static PgProtocolException RowWithoutDescription() => new("The server sent a row that it had not described.");
}
