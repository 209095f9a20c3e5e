using System.Buffers;

namespace Ioxide.Pg;

/// <summary>Refuses options that are out of range or contradict each other, with advice.</summary>
internal static class OptionsValidator
{
    private const int SmallestLimitBytes = 64 * 1024;

    private static readonly SearchValues<char> s_notInNames = SearchValues.Create(" \t\r\n=/\0");

    internal static void Check(PgDataSourceOptions options)
    {
        CheckHosts(options);
        CheckSecurity(options);
        CheckTimes(options);
        CheckPool(options);
        CheckText(options);
    }

    private static void CheckHosts(PgDataSourceOptions options)
    {
        foreach (PgHost host in options.Hosts)
        {
            if (!host.IsUnixSocket && host.Name.AsSpan().ContainsAny(s_notInNames))
            {
                throw new ArgumentException(
                    "A host has a space, \"=\" or \"/\" in its name. Separate keywords by \";\" in one style, or by spaces in the " +
                        "other; not both.");
            }

            if (host.IsUnixSocket && ServerEndpoint.SocketPath(host).Length > ServerEndpoint.MaxSocketPathBytes)
            {
                throw new ArgumentException(
                    $"The path of the unix socket in {host.Name} is longer than {ServerEndpoint.MaxSocketPathBytes} bytes. Use a " +
                        "shorter folder.");
            }
        }
    }

    private static void CheckSecurity(PgDataSourceOptions options)
    {
        if (options.Password is not null && options.PasswordProvider is not null)
        {
            throw new ArgumentException($"Set {nameof(options.Password)} or {nameof(options.PasswordProvider)}, not both.");
        }

        if (options.SslNegotiation == PgSslNegotiation.Direct && options.SslMode is PgSslMode.Disable or PgSslMode.Prefer)
        {
            throw new ArgumentException(
                "Direct negotiation leaves no way back to clear text. Set the SSL mode to require, verify-ca or verify-full.");
        }

        if (options.ChannelBinding == PgChannelBinding.Require && options.SslMode == PgSslMode.Disable)
        {
            throw new ArgumentException("Channel binding is required and encryption is disabled. Set the SSL mode to require or stronger.");
        }

        if (options.ChannelBinding == PgChannelBinding.Require
            && options.RequireAuth != PgAuthentication.Default && !options.RequireAuth.HasFlag(PgAuthentication.ScramSha256))
        {
            throw new ArgumentException(
                "Channel binding is required and SCRAM-SHA-256 is not allowed. Allow it, or do not require channel binding.");
        }

        if (options is { RootCertificate: "system", SslMode: { } mode and < PgSslMode.VerifyFull })
        {
            // As libpq: every owner of a public certificate would be trusted.
            throw new ArgumentException(
                $"The system's roots need the SSL mode verify-full; it is {mode}. Name a root of your own, or verify the host too.");
        }

        if (options.ClientKey is not null && options.ClientCertificate is null)
        {
            throw new ArgumentException($"{nameof(options.ClientKey)} is set without {nameof(options.ClientCertificate)}. Set both.");
        }
    }

    private static void CheckTimes(PgDataSourceOptions options)
    {
        CheckTime(options.ConnectTimeout, nameof(options.ConnectTimeout));
        CheckTime(options.CommandTimeout, nameof(options.CommandTimeout));
        CheckTime(options.CancelTimeout, nameof(options.CancelTimeout));
        CheckTime(options.KeepAlive, nameof(options.KeepAlive));
        CheckTime(options.KeepAliveInterval, nameof(options.KeepAliveInterval));
        CheckTime(options.TcpUserTimeout, nameof(options.TcpUserTimeout));
        CheckTime(options.QueueTimeout, nameof(options.QueueTimeout));
        CheckTime(options.IdleLifetime, nameof(options.IdleLifetime));
        CheckTime(options.ConnectionLifetime, nameof(options.ConnectionLifetime));
        CheckTime(options.ReconnectDelay, nameof(options.ReconnectDelay));
        if (options.ReconnectDelay == TimeSpan.Zero)
        {
            throw new ArgumentException($"{nameof(options.ReconnectDelay)} must be above zero.");
        }
    }

    private static void CheckTime(TimeSpan value, string name)
    {
        // The range of the kernel's and the timer wheel's milliseconds.
        if (value < TimeSpan.Zero || value.TotalMilliseconds > int.MaxValue)
        {
            throw new ArgumentException($"{name} is {value}; it must be from zero to 24 days. Zero is without limit.");
        }
    }

    private static void CheckPool(PgDataSourceOptions options)
    {
        CheckCount(options.MinPerReactor, 0, nameof(options.MinPerReactor));
        CheckCount(options.MaxPerReactor, 1, nameof(options.MaxPerReactor));
        CheckCount(options.SharedPerReactor, 1, nameof(options.SharedPerReactor));
        CheckCount(options.MaxConnectingPerReactor, 1, nameof(options.MaxConnectingPerReactor));
        CheckCount(options.PipelineDepth, 1, nameof(options.PipelineDepth));
        CheckCount(options.QueueLimit, 0, nameof(options.QueueLimit));
        CheckCount(options.MaxPreparedPerConnection, 0, nameof(options.MaxPreparedPerConnection));
        CheckCount(options.KeepAliveCount, 0, nameof(options.KeepAliveCount));
        CheckCount(options.MinConnections, 0, nameof(options.MinConnections));
        CheckCount(options.MaxConnections ?? 1, 1, nameof(options.MaxConnections));
        CheckCount(options.MaxMessageBytes, SmallestLimitBytes, nameof(options.MaxMessageBytes));
        if (options.MaxMessageBytes > MessageScratch.ServerLimitBytes)
        {
            throw new ArgumentException(
                $"{nameof(options.MaxMessageBytes)} is {options.MaxMessageBytes}; the most "
                    + $"is {MessageScratch.ServerLimitBytes}, PostgreSQL's own limit.");
        }

        CheckCount(options.MaxBufferedResultBytes, SmallestLimitBytes, nameof(options.MaxBufferedResultBytes));
        if (options.MinPerReactor > options.MaxPerReactor)
        {
            throw new ArgumentException(
                $"{nameof(options.MinPerReactor)} is {options.MinPerReactor} and {nameof(options.MaxPerReactor)} is " +
                    $"{options.MaxPerReactor}. Lower the first.");
        }

        if (options.MaxConnections is { } total && options.MinConnections > total)
        {
            throw new ArgumentException(
                $"{nameof(options.MinConnections)} is {options.MinConnections} and {nameof(options.MaxConnections)} is {total}. Lower " +
                    "the first.");
        }
    }

    private static void CheckCount(int value, int minimum, string name)
    {
        if (value < minimum)
        {
            throw new ArgumentException($"{name} is {value}; the least is {minimum}.");
        }
    }

    private static void CheckText(PgDataSourceOptions options)
    {
        // A zero byte would end the text early on the wire, and begin a parameter that was never set.
        ReadOnlySpan<string?> texts =
        [
            options.Username, options.Database, options.Password, options.ApplicationName, options.SearchPath, options.TimeZone,
            options.Options, .. options.RuntimeParameters.Keys, .. options.RuntimeParameters.Values,
        ];
        foreach (string? text in texts)
        {
            if (text?.Contains('\0', StringComparison.Ordinal) == true)
            {
                throw new ArgumentException("An option that is sent to the server contains a NUL character.");
            }
        }

        if (options.RuntimeParameters.Keys.FirstOrDefault(IsReserved) is { } name)
        {
            throw new ArgumentException($"The run-time parameter \"{name}\" has an option of its own, or cannot be changed.");
        }
    }

    private static bool IsReserved(string name)
        => name.Length == 0 || name.StartsWith("_pq_.", StringComparison.Ordinal)
            || name.ToUpperInvariant() is "USER" or "DATABASE" or "REPLICATION" or "CLIENT_ENCODING" or "OPTIONS";
}
