namespace Ioxide.Pg;

/// <summary>Whether a connection is encrypted, and what is checked of the server's certificate.</summary>
public enum PgSslMode
{
    /// <summary>Never encrypted.</summary>
    Disable,

    /// <summary>Encrypted where the server offers it; nothing is checked. No protection against an attacker in between.</summary>
    Prefer,

    /// <summary>Always encrypted. The certificate is checked only if a root is known, as libpq does.</summary>
    Require,

    /// <summary>Encrypted, and the certificate leads to a trusted root.</summary>
    VerifyCa,

    /// <summary>Encrypted, the certificate leads to a trusted root and names the host.</summary>
    VerifyFull,
}
