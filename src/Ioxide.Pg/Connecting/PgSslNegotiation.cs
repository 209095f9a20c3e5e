namespace Ioxide.Pg;

/// <summary>How encryption is begun.</summary>
public enum PgSslNegotiation
{
    /// <summary>By a request in clear text, which every server understands. One round trip more.</summary>
    Postgres,

    /// <summary>At once, as PostgreSQL 17 and later can. Needs <see cref="PgSslMode.Require"/> or stronger.</summary>
    Direct,
}
