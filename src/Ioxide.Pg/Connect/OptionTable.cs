using System.Collections.Frozen;
using static Ioxide.Pg.OptionEntry;
using O = Ioxide.Pg.PgDataSourceOptions;

namespace Ioxide.Pg;

/// <summary>
/// Every option, in the order in which connection strings are written, and the keywords of libpq and Npgsql that are no option here. Connection
/// strings, URIs, the builder, configuration, PG* variables, validation and the table of docs/postgres-options.md follow it.
/// </summary>
/// <remarks>
/// Case, spaces, underscores and hyphens of keywords are ignored. Sources: PostgreSQL manual, 34.1.2 Parameter Key Words and 34.15 Environment
/// Variables; Npgsql, Connection String Parameters.
/// </remarks>
internal static class OptionTable
{
    private const int SmallestLimitBytes = 64 * 1024;

    internal static readonly OptionEntry[] Entries =
    [
        OfHosts("Host|Server", static (s, v) => s.HostList = v, static host => host.Name, "PGHOST"),
        OfHosts("hostaddr|Host Address", static (s, v) => s.AddressList = v, static host => host.Address?.ToString(), "PGHOSTADDR"),
        OfHosts("Port", static (s, v) => s.PortList = v, static host => host.Port == 0 ? null : Format(host.Port), "PGPORT", isOneForAll: true),
        SentText(nameof(O.Database), "Database|dbname|DB", static o => o.Database, static (o, v) => o.Database = v, "PGDATABASE"),
        SentText(nameof(O.Username), "Username|user|User Id|UID", static o => o.Username, static (o, v) => o.Username = v, "PGUSER"),
        SentText(nameof(O.Password), "Password|PSW|PWD", static o => o.Password, static (o, v) => o.Password = v, "PGPASSWORD")
            with { IsSecret = true },
        Text(nameof(O.PassFile), "Passfile", static o => o.PassFile, static (o, v) => o.PassFile = v, "PGPASSFILE"),
        Value(
            nameof(O.SslMode), "SSL Mode", static v => v.SslMode(), static v => v.ToString(), static o => o.SslMode, static (o, v) => o.SslMode = v,
            "PGSSLMODE"),
        OneOf(
            nameof(O.SslNegotiation), "SSL Negotiation", static o => o.SslNegotiationSet, static (o, v) => o.SslNegotiation = v, "PGSSLNEGOTIATION"),
        Text(
            nameof(O.RootCertificate), "Root Certificate|sslrootcert", static o => o.RootCertificate, static (o, v) => o.RootCertificate = v,
            "PGSSLROOTCERT"),
        Text(
            nameof(O.ClientCertificate), "SSL Certificate|sslcert|Client Certificate", static o => o.ClientCertificate,
            static (o, v) => o.ClientCertificate = v, "PGSSLCERT"),
        Text(nameof(O.ClientKey), "SSL Key|Client Key", static o => o.ClientKey, static (o, v) => o.ClientKey = v, "PGSSLKEY"),
        Text(
            nameof(O.ClientKeyPassword), "SSL Password|Client Key Password", static o => o.ClientKeyPassword,
            static (o, v) => o.ClientKeyPassword = v)
            with { IsSecret = true },
        Flag(
            nameof(O.CheckCertificateRevocation), "Check Certificate Revocation", static o => o.CheckCertificateRevocation,
            static (o, v) => o.CheckCertificateRevocation = v),
        OneOf(
            nameof(O.ChannelBinding), "Channel Binding", static o => o.ChannelBindingSet, static (o, v) => o.ChannelBinding = v, "PGCHANNELBINDING"),
        new(nameof(O.RequireAuth), "Require Auth", static (s, v) =>
        {
            s.Options.RequireAuth = v.Authentication();
            s.Options.AllowCleartextPassword |= s.Options.RequireAuth == PgAuthentication.Password;
        }, static o => SettingValue.TextOf(o.RequireAuth), "PGREQUIREAUTH"),
        Flag(
            nameof(O.AllowCleartextPassword), "Allow Cleartext Password", static o => o.AllowCleartextPassword,
            static (o, v) => o.AllowCleartextPassword = v),
        OneOf(
            nameof(O.TargetSessionAttributes), "Target Session Attributes|target_session_attrs", static o => o.TargetSessionSet,
            static (o, v) => o.TargetSessionAttributes = v, "PGTARGETSESSIONATTRS"),
        Value(
            nameof(O.LoadBalanceHosts), "Load Balance Hosts", static v => v.LoadBalance(), Format, static o => o.LoadBalanceSet,
            static (o, v) => o.LoadBalanceHosts = v, "PGLOADBALANCEHOSTS"),
        SentText(
            nameof(O.ApplicationName), "Application Name|fallback_application_name", static o => o.ApplicationName,
            static (o, v) => o.ApplicationName = v, "PGAPPNAME"),
        SentText(nameof(O.SearchPath), "Search Path", static o => o.SearchPath, static (o, v) => o.SearchPath = v),
        SentText(nameof(O.TimeZone), "Timezone", static o => o.TimeZone, static (o, v) => o.TimeZone = v, "PGTZ"),
        SentText(nameof(O.Options), "Options", static o => o.Options, static (o, v) => o.Options = v, "PGOPTIONS"),
        Flag(nameof(O.Enlist), "Enlist", static o => o.Enlist, static (o, v) => o.Enlist = v),
        Only(
            "Server Compatibility Mode", "none|notypeloading", "only PostgreSQL's own catalogue is read. Use NoTypeLoading for other servers.",
            static (o, v) => o.LoadTypes = v != "notypeloading", static o => o.LoadTypes ? null : "NoTypeLoading"),
        new(nameof(O.LoadTypes), "Load Types", static (s, v) => s.Options.LoadTypes = v.Boolean()),
        Flag(
            nameof(O.PersistSecurityInfo), "Persist Security Info", static o => o.PersistSecurityInfo, static (o, v) => o.PersistSecurityInfo = v),
        Seconds(
            nameof(O.ConnectTimeout), "Timeout|connect_timeout", static o => o.ConnectTimeoutSet, static (o, v) => o.ConnectTimeout = v,
            "PGCONNECT_TIMEOUT"),
        Seconds(nameof(O.CommandTimeout), "Command Timeout", static o => o.CommandTimeout, static (o, v) => o.CommandTimeout = v),
        // Npgsql: 0 has no limit, and -1 does not wait at all.
        Time(
            nameof(O.CancelTimeout), "Cancellation Timeout|Cancel Timeout",
            static v => v.Text.Trim() switch { "-1" => TimeSpan.Zero, "0" => LongestTime, _ => v.Milliseconds() },
            static time => Format(CancellationTimeoutOf(time)), static o => o.CancelTimeout, static (o, v) => o.CancelTimeout = v),
        Milliseconds(nameof(O.TcpUserTimeout), "TCP User Timeout", static o => o.TcpUserTimeout, static (o, v) => o.TcpUserTimeout = v),
        Seconds(
            nameof(O.KeepAlive), "Keepalive|keepalives_idle|TCP Keepalive Time", static o => o.KeepAlive, static (o, v) => o.KeepAlive = v),
        Seconds(
            nameof(O.KeepAliveInterval), "TCP Keepalive Interval|keepalives_interval|Keepalive Interval", static o => o.KeepAliveInterval,
            static (o, v) => o.KeepAliveInterval = v),
        Count(
            nameof(O.KeepAliveCount), "TCP Keepalive Count|keepalives_count|Keepalive Count", 0, static o => o.KeepAliveCount,
            static (o, v) => o.KeepAliveCount = v),
        Flag(nameof(O.Pooling), "Pooling", static o => o.Pooling, static (o, v) => o.Pooling = v),
        Count(nameof(O.MinPerReactor), "Min Per Reactor", 0, static o => o.MinPerReactor, static (o, v) => o.MinPerReactor = v),
        Count(nameof(O.MaxPerReactor), "Max Per Reactor", 1, static o => o.MaxPerReactorSet, static (o, v) => o.MaxPerReactor = v),
        Count(nameof(O.SharedPerReactor), "Shared Per Reactor", 1, static o => o.SharedPerReactor, static (o, v) => o.SharedPerReactor = v),
        Count(
            nameof(O.MaxConnectingPerReactor), "Max Connecting Per Reactor", 1, static o => o.MaxConnectingPerReactor,
            static (o, v) => o.MaxConnectingPerReactor = v),
        Count(
            nameof(O.MinConnections), "Minimum Pool Size|Min Pool Size|min_connections", 0, static o => o.MinConnections,
            static (o, v) => o.MinConnections = v),
        Count(
            nameof(O.MaxConnections), "Maximum Pool Size|Max Pool Size|max_connections", 1, static o => o.MaxConnections,
            static (o, v) => o.MaxConnections = v),
        Flag(nameof(O.TraceLeases), "Trace Leases", static o => o.TraceLeasesSet, static (o, v) => o.TraceLeases = v),
        Milliseconds(nameof(O.ReconnectDelay), "Reconnect Delay", static o => o.ReconnectDelay, static (o, v) => o.ReconnectDelay = v),
        Count(nameof(O.PipelineDepth), "Pipeline Depth", 1, static o => o.PipelineDepth, static (o, v) => o.PipelineDepth = v),
        Count(nameof(O.QueueLimit), "Queue Limit", 0, static o => o.QueueLimitSet, static (o, v) => o.QueueLimit = v),
        Seconds(nameof(O.QueueTimeout), "Queue Timeout", static o => o.QueueTimeoutSet, static (o, v) => o.QueueTimeout = v),
        Seconds(nameof(O.IdleLifetime), "Connection Idle Lifetime|idle_lifetime", static o => o.IdleLifetime, static (o, v) => o.IdleLifetime = v),
        Seconds(
            nameof(O.ConnectionLifetime), "Connection Lifetime|Load Balance Timeout", static o => o.ConnectionLifetime,
            static (o, v) => o.ConnectionLifetime = v),
        OneOf<PgPooler>(nameof(O.Pooler), "Pooler", static o => o.Pooler, static (o, v) => o.Pooler = v),
        Flag(null, "No Reset On Close", static o => !o.ResetOnReturn, static (o, v) => o.ResetOnReturn = !v),
        new(nameof(O.ResetOnReturn), "Reset On Return", static (s, v) => s.Options.ResetOnReturn = v.Boolean()),
        Count(
            nameof(O.MaxPreparedPerConnection), "Max Prepared Per Connection|Max Auto Prepare", 0, static o => o.MaxPreparedPerConnection,
            static (o, v) => o.MaxPreparedPerConnection = v),
        Count(
            nameof(O.MaxMessageBytes), "Max Message Bytes", SmallestLimitBytes, static o => o.MaxMessageBytes,
            static (o, v) => o.MaxMessageBytes = v),
        Count(
            nameof(O.MaxBufferedResultBytes), "Max Buffered Result Bytes", SmallestLimitBytes, static o => o.MaxBufferedResultBytes,
            static (o, v) => o.MaxBufferedResultBytes = v),

        // Other spellings of options.
        new(null, "requiressl", static (s, v) => s.Options.SslMode = v.Boolean() ? PgSslMode.Require : PgSslMode.Prefer),
        new(null, "TCP Keepalive|keepalives", static (s, v) => s.Options.KeepAlive = v.Boolean() ? s.Options.KeepAlive : TimeSpan.Zero),

        // Sizes and settings of Npgsql's internals, behaviour that never occurs here, and behaviour that always does.
        new(
            null, "Include Error Detail|Include Failed Batched Command|Kerberos Service Name|krbsrvname|Include Realm|gsslib|gssdelegation|" +
                "Trust Server Certificate|Connection Pruning Interval|Internal Command Timeout|Host Recheck Seconds|Auto Prepare Min Usages|" +
                "Read Buffer Size|Write Buffer Size|Socket Receive Buffer Size|Socket Send Buffer Size|Multiplexing|" +
                "Write Coalescing Buffer Threshold Bytes|Load Table Composites|EF Template Database|EF Admin Database|Entity Template Database|" +
                "Entity Admin Database|Use Perf Counters|Backend Timeouts|Preload Reader|Use Extended Types|Use Ssl Stream|sslcompression|tty|" +
                "authtype",
            static (_, _) => { }),

        // What is refused unless it asks for what happens here anyway.
        Only("Client Encoding|Encoding", "|auto|utf8|unicode", "text is always exchanged as UTF-8."),
        Only("Log Parameters", "false", "values of parameters are never logged. Log them in the application."),
        Only("Integrated Security", "false", "Kerberos is not supported. Use SCRAM or a client certificate."),
        Only("gssencmode|GSS Encryption Mode", "disable|prefer", "GSSAPI encryption is not supported. Use sslmode."),
        Only("replication|Replication Mode", "off|false|0|no", "the replication protocol is not supported."),
        Only("Array Nullability Mode", "never", "ask for arrays of the nullable type where elements may be NULL: GetFieldValue<int?[]>."),
        Only("Convert Infinity DateTime", "false", "infinity is a value of its own."),
        Only("sslsni", "1|true", "the host's name is always sent."),
        Only("sslcertmode", "allow", "the client certificate is sent when the server asks for it."),
        Only("min_protocol_version|max_protocol_version", "3.0", "protocol 3.0 is spoken."),
        Only("ssl_min_protocol_version", "TLSv1.2", "the operating system's policy chooses the version of TLS."),
        Only("ssl_max_protocol_version", "", "the operating system's policy chooses the version of TLS."),
        Only("sslcrl|sslcrldir", "", "use Check Certificate Revocation."),
        Only("requirepeer", "", "protect the socket's folder by its permissions."),
        Only("service|servicefile", "", "service files are not read. Write the options out."),
        Only("scram_client_key|scram_server_key", "", "give the password."),
        Only("oauth_issuer|oauth_client_id|oauth_client_secret|oauth_scope", "", "the application gets the token: set TokenProvider."),
    ];

    private static readonly FrozenDictionary<string, (string Name, OptionEntry Entry)> s_byName = Entries
        .SelectMany(static entry => entry.Names.Select(name => (name, entry))).ToFrozenDictionary(static pair => Simplify(pair.name));

    private static readonly O s_defaults = new();

    /// <summary>The options that differ from the defaults: the inverse of <see cref="O.Parse"/>.</summary>
    internal static IEnumerable<(string Name, string Text)> Write(O options)
    {
        foreach (OptionEntry entry in Entries)
        {
            if (entry.Write?.Invoke(options) is { Length: > 0 } text && text != entry.Write(s_defaults))
            {
                yield return (entry.Names[0], text);
            }
        }
    }

    /// <exception cref="ArgumentException">There is no such keyword; the message names the nearest one.</exception>
    internal static OptionEntry Find(string name) => TryFind(name) ?? throw new ArgumentException(
        $"The connection string has the unknown keyword \"{name}\". The nearest known one is \"{Nearest(name)}\".");

    internal static OptionEntry? TryFind(string name) => s_byName.GetValueOrDefault(Simplify(name)).Entry;

    /// <summary>The keyword that needs the fewest changes to become this one.</summary>
    internal static string Nearest(string name)
    {
        string simplified = Simplify(name);
        return s_byName.MinBy(pair => (Distance(simplified, pair.Key), pair.Key.Length, pair.Key)).Value.Name;
    }

    /// <summary>The nearest of some names, whatever their case; null if none resembles it.</summary>
    internal static string? NearestOf(string name, IEnumerable<string> names)
        => names.Select(known => (Name: known, Distance: Distance(known.ToUpperInvariant(), name.ToUpperInvariant())))
            .Where(static known => known.Distance <= Math.Max(2, known.Name.Length / 3))
            .OrderBy(static known => known.Distance).FirstOrDefault().Name;

    /// <summary>A time limit of a cancel request in the milliseconds of Npgsql's keyword.</summary>
    internal static int CancellationTimeoutOf(TimeSpan time)
        => time == TimeSpan.Zero ? -1 : time == LongestTime ? 0 : (int)Math.Ceiling(time.TotalMilliseconds);

    internal static string Simplify(string name) => string.Concat(name.Where(static c => c is not (' ' or '_' or '-'))).ToLowerInvariant();

    /// <param name="keywords">Its keywords, separated by <c>|</c>.</param>
    /// <param name="accepted">Values that match the behaviour of this driver, separated by <c>|</c>; an empty one always does.</param>
    /// <param name="why">The error message for another value.</param>
    /// <param name="set">What an accepted value changes; it is in lower case, without hyphens and spaces.</param>
    /// <param name="write">The value as text.</param>
    private static OptionEntry Only(
        string keywords, string accepted, string why, Action<O, string>? set = null, Func<O, string?>? write = null)
        => new(null, keywords, (settings, value) =>
        {
            string text = Simplify(value.Text);
            if (value.Text.Length > 0 && !accepted.Split('|').Any(
                known => Simplify(known) == text || (known is "true" or "false" && value.Boolean() == (known == "true"))))
            {
                throw value.Refused(why);
            }

            set?.Invoke(settings.Options, text);
        }, write);

    /// <summary>The number of characters to insert, delete or replace.</summary>
    private static int Distance(string from, string to)
    {
        int[] above = [.. Enumerable.Range(0, to.Length + 1)];
        int[] row = new int[to.Length + 1];
        for (int i = 1; i <= from.Length; i++)
        {
            row[0] = i;
            for (int j = 1; j <= to.Length; j++)
            {
                int replaced = above[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
                row[j] = Math.Min(replaced, Math.Min(above[j], row[j - 1]) + 1);
            }

            (above, row) = (row, above);
        }

        return above[to.Length];
    }
}
