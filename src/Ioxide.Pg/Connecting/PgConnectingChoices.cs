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

/// <summary>How encryption is begun.</summary>
public enum PgSslNegotiation
{
    /// <summary>By a request in clear text, which every server understands. One round trip more.</summary>
    Postgres,

    /// <summary>At once, as PostgreSQL 17 and later can. Needs <see cref="PgSslMode.Require"/> or stronger.</summary>
    Direct,
}

/// <summary>Whether the proof of the password is tied to the server's certificate (SCRAM-SHA-256-PLUS).</summary>
public enum PgChannelBinding
{
    /// <summary>Never.</summary>
    Disable,

    /// <summary>Where the connection is encrypted and the server offers it.</summary>
    Prefer,

    /// <summary>Always; another way to sign in is refused.</summary>
    Require,
}

/// <summary>Ways to sign in that are accepted when the server asks for them.</summary>
[Flags]
public enum PgAuthentication
{
    /// <summary>No choice was made: each way, but a password in clear text only where nobody can listen.</summary>
    Default = 0,

    /// <summary>The server asks for nothing: <c>trust</c>, <c>peer</c>, or a client certificate.</summary>
    None = 1,

    /// <summary>The password in clear text.</summary>
    Password = 2,

    /// <summary>An MD5 digest. Whoever has the stored digest can sign in.</summary>
    Md5 = 4,

    /// <summary>SCRAM-SHA-256, with or without channel binding.</summary>
    ScramSha256 = 8,
}

/// <summary>Which servers of several are taken.</summary>
public enum PgTargetSession
{
    /// <summary>Whichever answers first.</summary>
    Any,

    /// <summary>One that accepts writes by default.</summary>
    ReadWrite,

    /// <summary>One that does not accept writes by default.</summary>
    ReadOnly,

    /// <summary>One that is not in hot standby.</summary>
    Primary,

    /// <summary>One that is in hot standby.</summary>
    Standby,

    /// <summary>One in hot standby if there is any, else whichever answers.</summary>
    PreferStandby,
}

/// <summary>What stands between this process and the server.</summary>
public enum PgPooler
{
    /// <summary>Nothing: a connection is one session of the server.</summary>
    None,

    /// <summary>A pooler that keeps a session for each connection.</summary>
    Session,

    /// <summary>A pooler that may serve each transaction by another session, as PgBouncer in transaction mode.</summary>
    Transaction,
}
