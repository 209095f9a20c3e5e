using System.Collections;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Ioxide.Pg.Data;

/// <summary>Builds and parses connection strings, with checked keywords and values. Setting a property to null removes its keyword.</summary>
/// <remarks>
/// Accepts every keyword of <see cref="PgDataSourceOptions.Parse"/>, and keeps synonyms under one name: <c>Server</c> becomes
/// <c>Host</c>. The form is <c>Host=a;Port=5433</c>; convert a URI with <see cref="Of(PgDataSourceOptions)"/>. Threads: one at a time.
/// </remarks>
[SuppressMessage("Naming", "CA1710", Justification = "The framework's own name for it ends in Builder.")]
[SuppressMessage("Design", "CA1010", Justification = "The base class says what it enumerates.")]
public sealed class PgDbConnectionStringBuilder : DbConnectionStringBuilder
{
    private PgDataSourceOptions? _options;

    /// <summary>Creates an empty builder.</summary>
    public PgDbConnectionStringBuilder()
    {
    }

    /// <summary>Creates a builder with a connection string.</summary>
    /// <exception cref="ArgumentException">A keyword is unknown, or a value malformed.</exception>
    public PgDbConnectionStringBuilder(string? connectionString) => ConnectionString = connectionString;

    /// <summary>The server, or several separated by commas: names, addresses, directories of unix sockets. A host may include its port.</summary>
    public string? Host { get => TextOf("Host"); set => this["Host"] = value; }

    /// <summary>The port of every host that does not include one. Defaults to 5432.</summary>
    public int Port
    {
        get => int.Parse(TextOf("Port")?.Split(',')[0] is { Length: > 0 } port ? port : "5432", CultureInfo.InvariantCulture);
        set => this["Port"] = value;
    }

    /// <inheritdoc cref="PgDataSourceOptions.Database"/>
    public string? Database { get => Read().Database; set => this["Database"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.Username"/>
    public string? Username { get => Read().Username; set => this["Username"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.Password"/>
    public string? Password { get => Read().Password; set => this["Password"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.PassFile"/>
    public string? PassFile { get => Read().PassFile; set => this["Passfile"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.PersistSecurityInfo"/>
    public bool PersistSecurityInfo { get => Read().PersistSecurityInfo; set => this["Persist Security Info"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.Enlist"/>
    public bool Enlist { get => Read().Enlist; set => this["Enlist"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.SslMode"/>
    public PgSslMode? SslMode { get => Read().SslMode; set => this["SSL Mode"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.SslNegotiation"/>
    public PgSslNegotiation SslNegotiation { get => Read().SslNegotiation; set => this["SSL Negotiation"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.RootCertificate"/>
    public string? RootCertificate { get => Read().RootCertificate; set => this["Root Certificate"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.ClientCertificate"/>
    public string? SslCertificate { get => Read().ClientCertificate; set => this["SSL Certificate"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.ClientKey"/>
    public string? SslKey { get => Read().ClientKey; set => this["SSL Key"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.ClientKeyPassword"/>
    public string? SslPassword { get => Read().ClientKeyPassword; set => this["SSL Password"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.CheckCertificateRevocation"/>
    public bool CheckCertificateRevocation { get => Read().CheckCertificateRevocation; set => this["Check Certificate Revocation"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.ChannelBinding"/>
    public PgChannelBinding ChannelBinding { get => Read().ChannelBinding; set => this["Channel Binding"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.TargetSessionAttributes"/>
    public PgTargetSession TargetSessionAttributes { get => Read().TargetSessionAttributes; set => this["Target Session Attributes"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.LoadBalanceHosts"/>
    public bool LoadBalanceHosts { get => Read().LoadBalanceHosts; set => this["Load Balance Hosts"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.ApplicationName"/>
    public string? ApplicationName { get => Read().ApplicationName; set => this["Application Name"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.SearchPath"/>
    public string? SearchPath { get => Read().SearchPath; set => this["Search Path"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.TimeZone"/>
    public string? TimeZone { get => Read().TimeZone; set => this["Timezone"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.Options"/>
    public string? Options { get => Read().Options; set => this["Options"] = value; }

    /// <summary>Seconds that one host may take until the session is ready; 0 means no limit. Defaults to 15.</summary>
    public int Timeout { get => (int)Read().ConnectTimeout.TotalSeconds; set => this["Timeout"] = value; }

    /// <summary>Seconds that a command may take; 0 means no limit. Defaults to 30.</summary>
    public int CommandTimeout { get => (int)Read().CommandTimeout.TotalSeconds; set => this["Command Timeout"] = value; }

    /// <summary>Milliseconds that the server may take to answer a cancel request; 0 means no limit, -1 no wait. Defaults to 2,000.</summary>
    public int CancellationTimeout
    {
        get => OptionTable.CancellationTimeoutOf(Read().CancelTimeout);
        set => this["Cancellation Timeout"] = value;
    }

    /// <summary>Idle seconds before TCP sends a keep-alive probe; 0: never. Defaults to 30.</summary>
    public int KeepAlive { get => (int)Read().KeepAlive.TotalSeconds; set => this["Keepalive"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.Pooling"/>
    public bool Pooling { get => Read().Pooling; set => this["Pooling"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.MinConnections"/>
    public int MinPoolSize { get => Read().MinConnections; set => this["Minimum Pool Size"] = value; }

    /// <summary>The maximum number of connections of all reactors together. Defaults to 100 for <see cref="PgDbConnection(string)"/>.</summary>
    public int MaxPoolSize { get => Read().MaxConnections ?? 100; set => this["Maximum Pool Size"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.MinPerReactor"/>
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

    /// <inheritdoc cref="PgDataSourceOptions.MaxPreparedPerConnection"/>
    public int MaxPreparedPerConnection { get => Read().MaxPreparedPerConnection; set => this["Max Prepared Per Connection"] = value; }

    /// <inheritdoc cref="PgDataSourceOptions.Pooler"/>
    public PgPooler Pooler { get => Read().Pooler; set => this["Pooler"] = value; }

    /// <summary>Disables the reset of sessions between users. Defaults to false.</summary>
    public bool NoResetOnClose { get => !Read().ResetOnReturn; set => this["No Reset On Close"] = value; }

    /// <summary>The keywords that are set, under the builder's names.</summary>
    public override ICollection Keys => base.Keys;

    /// <summary>The value of a keyword, as text.</summary>
    /// <exception cref="ArgumentException">The keyword is unknown or not set, or the value is invalid.</exception>
    [AllowNull]
    public override object this[string keyword]
    {
        get => base[NameOf(keyword)];
        set
        {
            string name = NameOf(keyword);
            _options = null;
            if (value is null)
            {
                base.Remove(name);
                return;
            }

            string text = Convert.ToString(value, CultureInfo.InvariantCulture) ?? "";
            Check(keyword, name, text);
            base[name] = text;
        }
    }

    /// <summary>Creates a builder with the non-default options, for options that were set in code or read from a URI.</summary>
    /// <remarks>Options without a keyword are omitted: the password provider and run-time parameters.</remarks>
    public static PgDbConnectionStringBuilder Of(PgDataSourceOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        var builder = new PgDbConnectionStringBuilder();
        foreach ((string name, string text) in OptionTable.Write(options))
        {
            builder[name] = text;
        }

        return builder;
    }

    /// <summary>Returns the options of the string.</summary>
    /// <exception cref="ArgumentException">Values contradict each other, such as two ports for one host.</exception>
    public PgDataSourceOptions ToOptions() => Read().Clone();

    /// <inheritdoc/>
    public override bool ContainsKey(string keyword) => OptionTable.TryFind(keyword) is { } known && base.ContainsKey(known.Names[0]);

    /// <inheritdoc/>
    public override bool Remove(string keyword)
    {
        _options = null;
        return OptionTable.TryFind(keyword) is { } known && base.Remove(known.Names[0]);
    }

    /// <inheritdoc/>
    public override bool ShouldSerialize(string keyword) => ContainsKey(keyword);

    /// <inheritdoc/>
    public override bool TryGetValue(string keyword, [NotNullWhen(true)] out object? value)
    {
        value = null;
        return OptionTable.TryFind(keyword) is { } known && base.TryGetValue(known.Names[0], out value);
    }

    /// <inheritdoc/>
    public override void Clear()
    {
        base.Clear();
        _options = null;
    }

    /// <summary>Removes the secrets.</summary>
    /// <returns>Whether there were any.</returns>
    internal bool RemoveSecrets()
    {
        bool hadAny = false;
        foreach (OptionEntry secret in OptionTable.Entries.Where(static entry => entry.IsSecret))
        {
            hadAny |= Remove(secret.Names[0]);
        }

        return hadAny;
    }

    private static string NameOf(string keyword)
    {
        ArgumentNullException.ThrowIfNull(keyword);
        return OptionTable.Find(keyword).Names[0];
    }

    /// <summary>A list of ports belongs to the hosts, and is checked when all keywords are read.</summary>
    private static void Check(string keyword, string name, string text)
    {
        ConnectionSettings settings = new() { HostsHavePorts = true };
        settings.Set(keyword, text);
        if (name != "Port" || !text.Contains(',', StringComparison.Ordinal))
        {
            settings.Build();
        }
    }

    private PgDataSourceOptions Read()
    {
        if (_options is null)
        {
            ConnectionSettings settings = new() { HostsHavePorts = true };
            foreach (string name in base.Keys!)
            {
                settings.Set(name, (string)base[name]);
            }

            _options = settings.Build();
        }

        return _options;
    }

    private string? TextOf(string name) => base.TryGetValue(name, out object? value) ? (string)value : null;
}
