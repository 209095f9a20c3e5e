using System.Collections.Frozen;

namespace Ioxide.Pg;

/// <summary>The keywords of connection strings: those of libpq, of Npgsql, and of Ioxide.</summary>
/// <remarks>
/// Case, spaces, underscores and hyphens are ignored, so that one table serves every form. Sources: PostgreSQL manual, 34.1.2
/// Parameter Key Words; Npgsql, Connection String Parameters.
/// </remarks>
internal static partial class ConnectionKeywords
{
    private static readonly FrozenDictionary<string, ConnectionKeyword> s_keywords = Build();

    /// <exception cref="ArgumentException">There is no such keyword; the message names the nearest one.</exception>
    internal static ConnectionKeyword Find(string name)
    {
        if (s_keywords.TryGetValue(Simplify(name), out ConnectionKeyword? keyword))
        {
            return keyword;
        }

        throw new ArgumentException(
            $"The connection string has the unknown keyword \"{name}\". The nearest known one is \"{Nearest(name).Name}\".");
    }

    /// <summary>The keyword whose name needs the fewest changes to become this one.</summary>
    internal static ConnectionKeyword Nearest(string name)
    {
        string simplified = Simplify(name);
        return s_keywords.MinBy(pair => (Distance(simplified, pair.Key), pair.Key.Length, pair.Key)).Value;
    }

    /// <summary>The nearest of some names, whatever their case; null if none resembles it.</summary>
    internal static string? NearestOf(string name, IEnumerable<string> names)
        => names.Select(known => (Name: known, Distance: Distance(known.ToUpperInvariant(), name.ToUpperInvariant())))
            .Where(static known => known.Distance <= Math.Max(2, known.Name.Length / 3))
            .OrderBy(static known => known.Distance).FirstOrDefault().Name;

    /// <summary>Finds the keyword of a name, or null.</summary>
    internal static ConnectionKeyword? TryFind(string name) => s_keywords.GetValueOrDefault(Simplify(name));

    private static string Simplify(string name)
        => string.Concat(name.Where(static c => c is not (' ' or '_' or '-'))).ToLowerInvariant();

    private static FrozenDictionary<string, ConnectionKeyword> Build()
    {
        var table = new Dictionary<string, ConnectionKeyword>(StringComparer.Ordinal);
        AddHosts(table);
        AddSigningIn(table);
        AddEncryption(table);
        AddSession(table);
        AddFacade(table);
        AddTimes(table);
        AddPool(table);
        AddWithoutEffect(table);
        AddRefused(table);
        return table.ToFrozenDictionary(StringComparer.Ordinal);
    }

    private static void Add(
        Dictionary<string, ConnectionKeyword> table, string names, Action<ConnectionSettings, SettingValue> set)
    {
        string[] all = names.Split('|');
        string canonical = all[0];
        foreach (string name in all)
        {
            table.Add(Simplify(name), new ConnectionKeyword(name, canonical, set));
        }
    }

    private static void AddHosts(Dictionary<string, ConnectionKeyword> table)
    {
        Add(table, "Host|Server", static (s, v) => s.HostList = v.TextOrNull);
        Add(table, "hostaddr|Host Address", static (s, v) => s.AddressList = v.TextOrNull);
        Add(table, "Port", static (s, v) => s.PortList = v.TextOrNull);
        Add(table, "Database|dbname|DB", static (s, v) => s.Options.Database = v.TextOrNull);
        Add(table, "Target Session Attributes|target_session_attrs", static (s, v) => s.Options.TargetSessionSet = v.TargetSession());
        Add(table, "Load Balance Hosts", static (s, v) => s.Options.LoadBalanceSet = v.LoadBalance());
    }

    private static void AddSigningIn(Dictionary<string, ConnectionKeyword> table)
    {
        Add(table, "Username|user|User Id|UID", static (s, v) => s.Options.Username = v.TextOrNull);
        Add(table, "Password|PSW|PWD", static (s, v) => s.Options.Password = v.TextOrNull);
        Add(table, "Passfile", static (s, v) => s.Options.PassFile = v.TextOrNull);
        Add(table, "Channel Binding", static (s, v) => s.Options.ChannelBindingSet = v.ChannelBinding());
        Add(table, "Require Auth", static (s, v) =>
        {
            s.Options.RequireAuth = v.Authentication();
            s.Options.AllowCleartextPassword |= s.Options.RequireAuth == PgAuthentication.Password;
        });
        Add(table, "Allow Cleartext Password", static (s, v) => s.Options.AllowCleartextPassword = v.Boolean());
    }

    private static void AddEncryption(Dictionary<string, ConnectionKeyword> table)
    {
        Add(table, "SSL Mode", static (s, v) => s.Options.SslMode = v.SslMode());
        Add(table, "requiressl", static (s, v) => s.Options.SslMode = v.Boolean() ? PgSslMode.Require : PgSslMode.Prefer);
        Add(table, "SSL Negotiation", static (s, v) => s.Options.SslNegotiationSet = v.SslNegotiation());
        Add(table, "Root Certificate|sslrootcert", static (s, v) => s.Options.RootCertificate = v.TextOrNull);
        Add(table, "SSL Certificate|sslcert|Client Certificate", static (s, v) => s.Options.ClientCertificate = v.TextOrNull);
        Add(table, "SSL Key|Client Key", static (s, v) => s.Options.ClientKey = v.TextOrNull);
        Add(table, "SSL Password|Client Key Password", static (s, v) => s.Options.ClientKeyPassword = v.TextOrNull);
        Add(table, "Check Certificate Revocation", static (s, v) => s.Options.CheckCertificateRevocation = v.Boolean());
    }

    private static void AddSession(Dictionary<string, ConnectionKeyword> table)
    {
        Add(table, "Application Name|fallback_application_name", static (s, v) => s.Options.ApplicationName = v.TextOrNull);
        Add(table, "Search Path", static (s, v) => s.Options.SearchPath = v.TextOrNull);
        Add(table, "Timezone", static (s, v) => s.Options.TimeZone = v.TextOrNull);
        Add(table, "Options", static (s, v) => s.Options.Options = v.TextOrNull);
        Add(table, "Client Encoding|Encoding", static (_, v) =>
        {
            if (Simplify(v.Text) is not ("" or "auto" or "utf8" or "unicode"))
            {
                throw v.Refused("text is always exchanged as UTF-8.");
            }
        });
    }

    private static void AddFacade(Dictionary<string, ConnectionKeyword> table)
    {
        Add(table, "Load Types", static (s, v) => s.Options.LoadTypes = v.Boolean());
        Add(table, "Enlist", static (s, v) => s.Options.Enlist = v.Boolean());
        Add(table, "Persist Security Info", static (s, v) => s.Options.PersistSecurityInfo = v.Boolean());
    }

    private static void AddTimes(Dictionary<string, ConnectionKeyword> table)
    {
        Add(table, "Timeout|connect_timeout", static (s, v) => s.Options.ConnectTimeoutSet = v.Seconds());
        Add(table, "Command Timeout", static (s, v) => s.Options.CommandTimeout = v.Seconds());

        // Npgsql: -1 does not wait at all.
        Add(table, "Cancellation Timeout|Cancel Timeout", static (s, v) =>
            s.Options.CancelTimeout = v.Text == "-1" ? TimeSpan.Zero : v.Milliseconds());
        Add(table, "TCP User Timeout", static (s, v) => s.Options.TcpUserTimeout = v.Milliseconds());
        Add(table, "TCP Keepalive|keepalives", static (s, v) =>
        {
            if (!v.Boolean())
            {
                s.Options.KeepAlive = TimeSpan.Zero;
            }
        });
        Add(table, "Keepalive|keepalives_idle|TCP Keepalive Time", static (s, v) => s.Options.KeepAlive = v.Seconds());
        Add(table, "TCP Keepalive Interval|keepalives_interval|Keepalive Interval", static (s, v) => s.Options.KeepAliveInterval = v.Seconds());
        Add(table, "TCP Keepalive Count|keepalives_count|Keepalive Count", static (s, v) => s.Options.KeepAliveCount = v.Integer());
    }

    private static void AddPool(Dictionary<string, ConnectionKeyword> table)
    {
        Add(table, "Pooling", static (s, v) => s.Options.Pooling = v.Boolean());
        Add(table, "Min Per Reactor", static (s, v) => s.Options.MinPerReactor = v.Integer());
        Add(table, "Max Per Reactor", static (s, v) => s.Options.MaxPerReactor = v.Integer(1));
        Add(table, "Shared Per Reactor", static (s, v) => s.Options.SharedPerReactor = v.Integer(1));
        Add(table, "Max Connecting Per Reactor", static (s, v) => s.Options.MaxConnectingPerReactor = v.Integer(1));
        Add(table, "Minimum Pool Size|Min Pool Size|min_connections", static (s, v) => s.Options.MinConnections = v.Integer());
        Add(table, "Maximum Pool Size|Max Pool Size|max_connections", static (s, v) => s.Options.MaxConnections = v.Integer(1));
        Add(table, "Trace Leases", static (s, v) => s.Options.TraceLeases = v.Boolean());
        Add(table, "Pipeline Depth", static (s, v) => s.Options.PipelineDepth = v.Integer(1));
        Add(table, "Queue Limit", static (s, v) => s.Options.QueueLimit = v.Integer());
        Add(table, "Queue Timeout", static (s, v) => s.Options.QueueTimeout = v.Seconds());
        Add(table, "Connection Idle Lifetime|idle_lifetime", static (s, v) => s.Options.IdleLifetime = v.Seconds());
        Add(table, "Connection Lifetime|Load Balance Timeout", static (s, v) => s.Options.ConnectionLifetime = v.Seconds());
        Add(table, "Reconnect Delay", static (s, v) => s.Options.ReconnectDelay = v.Milliseconds());
        Add(table, "Pooler", static (s, v) => s.Options.Pooler = v.Pooler());
        Add(table, "Reset On Return", static (s, v) => s.Options.ResetOnReturn = v.Boolean());
        Add(table, "No Reset On Close", static (s, v) => s.Options.ResetOnReturn = !v.Boolean());
        Add(table, "Max Prepared Per Connection|Max Auto Prepare", static (s, v) => s.Options.MaxPreparedPerConnection = v.Integer());
        Add(table, "Max Message Bytes", static (s, v) => s.Options.MaxMessageBytes = v.Integer(1));
        Add(table, "Max Buffered Result Bytes", static (s, v) => s.Options.MaxBufferedResultBytes = v.Integer(1));
    }

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
