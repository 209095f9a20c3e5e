namespace Ioxide.Pg;

/// <summary>Whether a connection is encrypted, and how the server's certificate is checked.</summary>
public enum PgSslMode
{
    /// <summary>Never encrypted.</summary>
    Disable,

    /// <summary>Encrypted if the server offers it; the certificate is not checked. No protection against a man in the middle.</summary>
    Prefer,

    /// <summary>Always encrypted. The certificate is checked only if a root is known, as libpq does.</summary>
    Require,

    /// <summary>Encrypted, and the certificate leads to a trusted root.</summary>
    VerifyCa,

    /// <summary>Encrypted, the certificate leads to a trusted root and names the host.</summary>
    VerifyFull,
}
