using System.Globalization;

namespace Ioxide.Pg.Data;

/// <summary>Writes options as keywords and values: the inverse of <see cref="PgDataSourceOptions.Parse"/>.</summary>
internal static class ConnectionStringWriter
{
    private static readonly PgDataSourceOptions s_defaults = new();

    private static readonly (string Name, Func<PgDataSourceOptions, string?> Get)[] s_items =
    [
        ("Host", static o => o.Hosts.Any(static host => host.Name.Length > 0) ? string.Join(',', o.Hosts.Select(static host => host.Name)) : null),
        ("Host Address", static o => o.Hosts.Any(static host => host.Address is not null)
            ? string.Join(',', o.Hosts.Select(static host => host.Address))
            : null),
        ("Port", Ports),
        ("Database", static o => o.Database),
        ("Username", static o => o.Username),
        ("Password", static o => o.Password),
        ("Passfile", static o => o.PassFile),
        ("SSL Mode", static o => Text(o.SslMode)),
        ("SSL Negotiation", static o => Text(o.SslNegotiationSet)),
        ("Root Certificate", static o => o.RootCertificate),
        ("SSL Certificate", static o => o.ClientCertificate),
        ("SSL Key", static o => o.ClientKey),
        ("SSL Password", static o => o.ClientKeyPassword),
        ("Check Certificate Revocation", static o => Text(o.CheckCertificateRevocation)),
        ("Channel Binding", static o => Text(o.ChannelBindingSet)),
        ("Require Auth", static o => Authentication(o.RequireAuth)),
        ("Allow Cleartext Password", static o => Text(o.AllowCleartextPassword)),
        ("Target Session Attributes", static o => Text(o.TargetSessionSet)),
        ("Load Balance Hosts", static o => o.LoadBalanceSet is { } isOn ? Text(isOn) : null),
        ("Application Name", static o => o.ApplicationName),
        ("Search Path", static o => o.SearchPath),
        ("Timezone", static o => o.TimeZone),
        ("Options", static o => o.Options),
        ("Enlist", static o => Text(o.Enlist)),
        ("Server Compatibility Mode", static o => o.LoadTypes ? null : "NoTypeLoading"),
        ("Persist Security Info", static o => Text(o.PersistSecurityInfo)),
        ("Timeout", static o => o.ConnectTimeoutSet is { } time ? Seconds(time) : null),
        ("Command Timeout", static o => Seconds(o.CommandTimeout)),
        ("Cancellation Timeout", static o => Milliseconds(o.CancelTimeout)),
        ("TCP User Timeout", static o => Milliseconds(o.TcpUserTimeout)),
        ("Keepalive", static o => Seconds(o.KeepAlive)),
        ("TCP Keepalive Interval", static o => Seconds(o.KeepAliveInterval)),
        ("TCP Keepalive Count", static o => Text(o.KeepAliveCount)),
        ("Pooling", static o => Text(o.Pooling)),
        ("Min Per Reactor", static o => Text(o.MinPerReactor)),
        ("Max Per Reactor", static o => o.MaxPerReactorSet is { } count ? Text(count) : null),
        ("Shared Per Reactor", static o => Text(o.SharedPerReactor)),
        ("Max Connecting Per Reactor", static o => Text(o.MaxConnectingPerReactor)),
        ("Minimum Pool Size", static o => Text(o.MinConnections)),
        ("Maximum Pool Size", static o => o.MaxConnections is { } count ? Text(count) : null),
        ("Trace Leases", static o => o.TraceLeasesSet is { } isOn ? Text(isOn) : null),
        ("Reconnect Delay", static o => Milliseconds(o.ReconnectDelay)),
        ("Pipeline Depth", static o => Text(o.PipelineDepth)),
        ("Queue Limit", static o => o.QueueLimitSet is { } count ? Text(count) : null),
        ("Queue Timeout", static o => o.QueueTimeoutSet is { } time ? Seconds(time) : null),
        ("Connection Idle Lifetime", static o => Seconds(o.IdleLifetime)),
        ("Connection Lifetime", static o => Seconds(o.ConnectionLifetime)),
        ("Pooler", static o => Text<PgPooler>(o.Pooler)),
        ("No Reset On Close", static o => Text(!o.ResetOnReturn)),
        ("Max Prepared Per Connection", static o => Text(o.MaxPreparedPerConnection)),
        ("Max Message Bytes", static o => Text(o.MaxMessageBytes)),
        ("Max Buffered Result Bytes", static o => Text(o.MaxBufferedResultBytes)),
    ];

    /// <summary>The options that differ from the defaults.</summary>
    internal static IEnumerable<(string Name, string Text)> Write(PgDataSourceOptions options)
    {
        foreach ((string name, Func<PgDataSourceOptions, string?> get) in s_items)
        {
            if (get(options) is { Length: > 0 } text && text != get(s_defaults))
            {
                yield return (name, text);
            }
        }
    }

    /// <summary>A value in the parser's spelling; null if there is none.</summary>
    internal static string? Text<T>(T? value)
        where T : struct, Enum
        => value?.ToString();

    private static string Text(bool value) => value ? "true" : "false";

    private static string Text(int value) => value.ToString(CultureInfo.InvariantCulture);

    private static string Seconds(TimeSpan time) => Text((int)Math.Ceiling(time.TotalSeconds));

    private static string Milliseconds(TimeSpan time) => Text((int)Math.Ceiling(time.TotalMilliseconds));

    private static string? Ports(PgDataSourceOptions options)
    {
        string[] ports = [.. options.Hosts.Select(static host => host.Port == 0 ? "" : Text(host.Port))];
        return ports.Distinct().Count() == 1 ? ports[0] : string.Join(',', ports);
    }

    private static string? Authentication(PgAuthentication allowed)
        => allowed == PgAuthentication.Default ? null : string.Join(',', new[]
        {
            allowed.HasFlag(PgAuthentication.None) ? "none" : null,
            allowed.HasFlag(PgAuthentication.Password) ? "password" : null,
            allowed.HasFlag(PgAuthentication.Md5) ? "md5" : null,
            allowed.HasFlag(PgAuthentication.ScramSha256) ? "scram-sha-256" : null,
            allowed.HasFlag(PgAuthentication.OAuth) ? "oauth" : null,
        }.Where(static name => name is not null));
}
