namespace Ioxide.Pg;

/// <summary>Whether the proof of the password is tied to the server's certificate (SCRAM-SHA-256-PLUS).</summary>
public enum PgChannelBinding
{
    /// <summary>Never.</summary>
    Disable,

    /// <summary>If the connection is encrypted and the server offers it.</summary>
    Prefer,

    /// <summary>Always; other authentication methods are refused.</summary>
    Require,
}
