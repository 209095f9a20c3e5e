namespace Ioxide.Pg;

/// <summary>How encryption is begun.</summary>
public enum PgSslNegotiation
{
    /// <summary>With a request in clear text, which every server understands. Costs one more round trip.</summary>
    Postgres,

    /// <summary>At once, with PostgreSQL 17 and later. Needs <see cref="PgSslMode.Require"/> or stronger.</summary>
    Direct,
}
