using System.Buffers;

namespace Ioxide.Pg;

/// <summary>Refuses options that are out of range or contradict each other, with advice.</summary>
internal static class OptionsValidator
{
    private static readonly SearchValues<char> s_notInNames = SearchValues.Create(" \t\r\n=/\0");

    internal static void Check(PgDataSourceOptions options)
    {
        CheckHosts(options);
        CheckSecurity(options);
        foreach (OptionEntry entry in OptionTable.Entries)
        {
            entry.Check?.Invoke(options);
        }

        CheckPool(options);
        CheckParameters(options);
    }

    /// <summary>A zero byte would end the text early on the wire, and begin a parameter that was never set.</summary>
    internal static void RefuseNul(string? text)
        => Refuse(text?.Contains('\0', StringComparison.Ordinal) == true, "An option that is sent to the server contains a NUL character.");

    private static void CheckHosts(PgDataSourceOptions options)
    {
        foreach (PgHost host in options.Hosts)
        {
            Refuse(
                !host.IsUnixSocket && host.Name.AsSpan().ContainsAny(s_notInNames),
                "A host has a space, \"=\" or \"/\" in its name. Separate keywords by \";\" in one style, or by spaces in the other; not both.");
            Refuse(
                host.IsUnixSocket && ServerEndpoint.SocketPath(host).Length > ServerEndpoint.MaxSocketPathBytes,
                $"The path of the unix socket in {host.Name} is longer than {ServerEndpoint.MaxSocketPathBytes} bytes. Use a shorter folder.");
        }
    }

    private static void CheckSecurity(PgDataSourceOptions options)
    {
        Refuse(
            options is { Password: not null, PasswordProvider: not null },
            $"Set {nameof(options.Password)} or {nameof(options.PasswordProvider)}, not both.");
        Refuse(
            options is { SslNegotiation: PgSslNegotiation.Direct, SslMode: PgSslMode.Disable or PgSslMode.Prefer },
            "Direct negotiation leaves no way back to clear text. Set the SSL mode to require, verify-ca or verify-full.");
        Refuse(
            options is { ChannelBinding: PgChannelBinding.Require, SslMode: PgSslMode.Disable },
            "Channel binding is required and encryption is disabled. Set the SSL mode to require or stronger.");
        Refuse(
            options is { ChannelBinding: PgChannelBinding.Require, RequireAuth: not PgAuthentication.Default }
                && !options.RequireAuth.HasFlag(PgAuthentication.ScramSha256),
            "Channel binding is required and SCRAM-SHA-256 is not allowed. Allow it, or do not require channel binding.");

        // As libpq: every owner of a public certificate would be trusted.
        Refuse(
            options is { RootCertificate: "system", SslMode: < PgSslMode.VerifyFull },
            $"The system's roots need the SSL mode verify-full; it is {options.SslMode}. Name a root of your own, or verify the host too.");
        Refuse(
            options is { ClientKey: not null, ClientCertificate: null },
            $"{nameof(options.ClientKey)} is set without {nameof(options.ClientCertificate)}. Set both.");
    }

    private static void CheckPool(PgDataSourceOptions options)
    {
        Refuse(options.ReconnectDelay == TimeSpan.Zero, $"{nameof(options.ReconnectDelay)} must be above zero.");
        Refuse(
            options.MaxMessageBytes > MessageScratch.ServerLimitBytes,
            $"{nameof(options.MaxMessageBytes)} is {options.MaxMessageBytes}; the most is {MessageScratch.ServerLimitBytes}, PostgreSQL's own " +
                "limit.");
        Refuse(
            options.MinPerReactor > options.MaxPerReactor,
            $"{nameof(options.MinPerReactor)} is {options.MinPerReactor} and {nameof(options.MaxPerReactor)} is {options.MaxPerReactor}. " +
                "Lower the first.");
        Refuse(
            options.MinConnections > options.MaxConnections,
            $"{nameof(options.MinConnections)} is {options.MinConnections} and {nameof(options.MaxConnections)} is {options.MaxConnections}. " +
                "Lower the first.");
    }

    private static void CheckParameters(PgDataSourceOptions options)
    {
        foreach ((string name, string value) in options.RuntimeParameters)
        {
            RefuseNul(name);
            RefuseNul(value);
            Refuse(IsReserved(name), $"The run-time parameter \"{name}\" has an option of its own, or cannot be changed.");
        }
    }

    private static bool IsReserved(string name)
        => name.Length == 0 || name.StartsWith("_pq_.", StringComparison.Ordinal)
            || name.ToUpperInvariant() is "USER" or "DATABASE" or "REPLICATION" or "CLIENT_ENCODING" or "OPTIONS";

    private static void Refuse(bool isWrong, string message)
    {
        if (isWrong)
        {
            throw new ArgumentException(message);
        }
    }
}
