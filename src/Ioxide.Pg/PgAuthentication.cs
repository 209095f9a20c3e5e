namespace Ioxide.Pg;

/// <summary>The authentication methods that are accepted from the server.</summary>
[Flags]
public enum PgAuthentication
{
    /// <summary>
    /// Every method; a clear-text password only over TLS or unix sockets, unless <see cref="PgDataSourceOptions.AllowCleartextPassword"/> is set.
    /// </summary>
    Default = 0,

    /// <summary>The server requests no proof: <c>trust</c>, <c>peer</c>, or a client certificate.</summary>
    None = 1,

    /// <summary>The password in clear text.</summary>
    Password = 2,

    /// <summary>An MD5 digest. The stored digest is enough to sign in.</summary>
    Md5 = 4,

    /// <summary>SCRAM-SHA-256, with or without channel binding.</summary>
    ScramSha256 = 8,

    /// <summary>A bearer token of an OAuth 2.0 provider, over verified TLS only. Source: RFC 7628; first server: PostgreSQL 18.</summary>
    OAuth = 16,
}
