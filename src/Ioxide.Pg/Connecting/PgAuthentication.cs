namespace Ioxide.Pg;

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
