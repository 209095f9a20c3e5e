using System.Globalization;

namespace Ioxide.Pg.Data;

/// <summary>The keywords as properties. Setting null removes a keyword.</summary>
public sealed partial class PgDbConnectionStringBuilder
{
    /// <summary>The server, or several separated by commas: names, addresses, directories of unix sockets. A host may include its port.</summary>
    public string? Host { get => TextOf("Host"); set => this["Host"] = value; }

    /// <summary>The port of every host that does not include one. Defaults to 5432.</summary>
    public int Port
    {
        get => int.Parse(TextOf("Port")?.Split(',')[0] is { Length: > 0 } port ? port : "5432", CultureInfo.InvariantCulture);
        set => this["Port"] = value;
    }

    /// <summary>The database. Defaults to PGDATABASE, then to the role.</summary>
    public string? Database { get => Read().Database; set => this["Database"] = value; }

    /// <summary>The role. Defaults to PGUSER, then to the name of the operating system's user.</summary>
    public string? Username { get => Read().Username; set => this["Username"] = value; }

    /// <summary>The password. Defaults to PGPASSWORD, then to the password file.</summary>
    public string? Password { get => Read().Password; set => this["Password"] = value; }

    /// <summary>The password file. Defaults to PGPASSFILE, then to <c>~/.pgpass</c>.</summary>
    public string? PassFile { get => Read().PassFile; set => this["Passfile"] = value; }

    /// <summary>Whether a connection shows its password after it was opened. Defaults to false.</summary>
    public bool PersistSecurityInfo { get => Read().PersistSecurityInfo; set => this["Persist Security Info"] = value; }

    /// <summary>Whether connections join the ambient transaction in which they are opened. Defaults to true.</summary>
    public bool Enlist { get => Read().Enlist; set => this["Enlist"] = value; }

    /// <summary>Encryption. See <see cref="PgDataSourceOptions.SslMode"/>.</summary>
    public PgSslMode? SslMode { get => Read().SslMode; set => this["SSL Mode"] = value; }

    /// <summary>How encryption is begun. Defaults to <see cref="PgSslNegotiation.Postgres"/>.</summary>
    public PgSslNegotiation SslNegotiation
    {
        get => Read().SslNegotiation;
        set => this["SSL Negotiation"] = value;
    }

    /// <summary>A file of trusted certificates, or <c>system</c>.</summary>
    public string? RootCertificate { get => Read().RootCertificate; set => this["Root Certificate"] = value; }

    /// <summary>The client's certificate: a file in PEM or PKCS #12.</summary>
    public string? SslCertificate { get => Read().ClientCertificate; set => this["SSL Certificate"] = value; }

    /// <summary>The key of a PEM certificate.</summary>
    public string? SslKey { get => Read().ClientKey; set => this["SSL Key"] = value; }

    /// <summary>The password of the client's key.</summary>
    public string? SslPassword { get => Read().ClientKeyPassword; set => this["SSL Password"] = value; }

    /// <summary>Asks the issuer whether the server's certificate was revoked. Defaults to false.</summary>
    public bool CheckCertificateRevocation { get => Read().CheckCertificateRevocation; set => this["Check Certificate Revocation"] = value; }

    /// <summary>Ties the proof of the password to the server's certificate. Defaults to <see cref="PgChannelBinding.Prefer"/>.</summary>
    public PgChannelBinding ChannelBinding
    {
        get => Read().ChannelBinding;
        set => this["Channel Binding"] = value;
    }

    /// <summary>The required role of the server. Defaults to <see cref="PgTargetSession.Any"/>.</summary>
    public PgTargetSession TargetSessionAttributes
    {
        get => Read().TargetSessionAttributes;
        set => this["Target Session Attributes"] = value;
    }

    /// <summary>Tries hosts in random order. Defaults to false.</summary>
    public bool LoadBalanceHosts { get => Read().LoadBalanceHosts; set => this["Load Balance Hosts"] = value; }

    /// <summary>The name that <c>pg_stat_activity</c> shows.</summary>
    public string? ApplicationName { get => Read().ApplicationName; set => this["Application Name"] = value; }

    /// <summary>The search path: schemas for unqualified names.</summary>
    public string? SearchPath { get => Read().SearchPath; set => this["Search Path"] = value; }

    /// <summary>The session's time zone.</summary>
    public string? TimeZone { get => Read().TimeZone; set => this["Timezone"] = value; }

    /// <summary>Command line options of the server, such as <c>-c geqo=off</c>.</summary>
    public string? Options { get => Read().Options; set => this["Options"] = value; }

    /// <summary>Seconds that one host may take until the session is ready; 0 means no limit. Defaults to 15.</summary>
    public int Timeout { get => (int)Read().ConnectTimeout.TotalSeconds; set => this["Timeout"] = value; }

    /// <summary>Seconds that a command may take; 0 means no limit. Defaults to 30.</summary>
    public int CommandTimeout { get => (int)Read().CommandTimeout.TotalSeconds; set => this["Command Timeout"] = value; }

    /// <summary>Milliseconds that the server may take to answer a cancel request. Defaults to 2,000.</summary>
    public int CancellationTimeout { get => (int)Read().CancelTimeout.TotalMilliseconds; set => this["Cancellation Timeout"] = value; }

    /// <summary>Idle seconds before TCP sends a keep-alive probe; 0: never. Defaults to 30.</summary>
    public int KeepAlive { get => (int)Read().KeepAlive.TotalSeconds; set => this["Keepalive"] = value; }

    /// <summary>Whether a connection that is closed serves the next one. Defaults to true. See <see cref="PgDataSourceOptions.Pooling"/>.</summary>
    public bool Pooling { get => Read().Pooling; set => this["Pooling"] = value; }

    /// <summary>The minimum number of connections of all reactors together. Defaults to 0.</summary>
    public int MinPoolSize { get => Read().MinConnections; set => this["Minimum Pool Size"] = value; }

    /// <summary>The maximum number of connections of all reactors together. Defaults to 100 for <see cref="PgDbConnection(string)"/>.</summary>
    public int MaxPoolSize { get => Read().MaxConnections ?? 100; set => this["Maximum Pool Size"] = value; }

    /// <summary>The minimum number of connections per reactor. Defaults to 0.</summary>
    public int MinPerReactor { get => Read().MinPerReactor; set => this["Min Per Reactor"] = value; }

    /// <summary>The maximum number of connections per reactor. Defaults to <see cref="MaxPoolSize"/>.</summary>
    public int MaxPerReactor { get => Read().MaxPerReactor; set => this["Max Per Reactor"] = value; }

    /// <summary>The maximum number of commands and connections per reactor that wait; one more fails at once. Defaults to no limit.</summary>
    public int QueueLimit { get => Read().QueueLimitSet ?? int.MaxValue; set => this["Queue Limit"] = value; }

    /// <summary>Seconds that a command or connection may wait; 0 means no limit. Defaults to <see cref="Timeout"/>.</summary>
    public int QueueTimeout { get => (int)Read().QueueTimeout.TotalSeconds; set => this["Queue Timeout"] = value; }

    /// <summary>Seconds after which an idle connection is closed; 0: never. Defaults to 300.</summary>
    public int ConnectionIdleLifetime { get => (int)Read().IdleLifetime.TotalSeconds; set => this["Connection Idle Lifetime"] = value; }

    /// <summary>Seconds after which a connection is replaced; 0: never. Defaults to 3,600.</summary>
    public int ConnectionLifetime { get => (int)Read().ConnectionLifetime.TotalSeconds; set => this["Connection Lifetime"] = value; }

    /// <summary>The maximum number of prepared statements per connection; 0: none. Defaults to 256.</summary>
    public int MaxPreparedPerConnection { get => Read().MaxPreparedPerConnection; set => this["Max Prepared Per Connection"] = value; }

    /// <summary>The pooler between this process and the server. Defaults to <see cref="PgPooler.None"/>.</summary>
    public PgPooler Pooler { get => Read().Pooler; set => this["Pooler"] = value; }

    /// <summary>Disables the reset of sessions between users. Defaults to false.</summary>
    public bool NoResetOnClose { get => !Read().ResetOnReturn; set => this["No Reset On Close"] = value; }
}
