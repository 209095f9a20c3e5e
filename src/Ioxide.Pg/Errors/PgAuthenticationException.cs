namespace Ioxide.Pg;

/// <summary>The peer could not prove its identity, or requests an authentication method that the options refuse.</summary>
public sealed class PgAuthenticationException : PgConnectionException
{
    internal PgAuthenticationException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <inheritdoc/>
    public override bool IsTransient => false;
}
