using System.Globalization;
using System.Net;

namespace Ioxide.Tls;

/// <summary>Performs the client side of TLS handshakes.</summary>
/// <remarks>Threads: any. Sessions are not resumed: pooled connections rarely reconnect.</remarks>
public sealed class TlsClient
{
    private readonly HandshakeSettings _settings;
    private readonly TlsContext _context;
    private readonly TimeSpan _timeout;

    /// <summary>Creates a client for one server name.</summary>
    /// <exception cref="ArgumentException">
    /// HostName is missing or no name of a host, HandshakeTimeout is out of its range, or a version is not supported.
    /// </exception>
    /// <exception cref="TlsException">
    /// OpenSSL 3 is missing, or refuses the client's certificate; or kernel TLS is required, and the kernel does not support a suite.
    /// </exception>
    public TlsClient(TlsClientOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentException.ThrowIfNullOrEmpty(options.HostName);
        if ((options.Protocols & ~(SslProtocols.Tls12 | SslProtocols.Tls13)) != 0)
        {
            throw new ArgumentException($"Protocols is {options.Protocols}, but only TLS 1.2 and TLS 1.3 are supported.", nameof(options));
        }

        TlsSupport.ThrowIfUnavailable();
        _timeout = HandshakeDeadline.Check(options.HandshakeTimeout);
        _context = TlsContext.ForClient(options);
        _settings = new HandshakeSettings
        {
            IsServer = false,
            Protocols = AlpnList.Encode(options.ApplicationProtocols),
            HostName = Normalize(options.HostName),
            KernelOffload = options.KernelOffload,
            PeerPolicy = new TlsPeerPolicy(
                TlsPeerPolicy.ServerUsage, options.Revocation, null, options.TrustedRoots,
                options.Validation!),
        };
    }

    /// <summary>Performs the handshake. The connection must not have been read beyond what came before TLS.</summary>
    /// <remarks>Threads: any. The caller owns the connection and disposes of it after the session, also where this method throws.</remarks>
    /// <exception cref="TlsException">The handshake failed or timed out.</exception>
    [ApplicationSide]
    public async ValueTask<TlsSession> AuthenticateAsync(RingConnection connection, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(connection);
        using var deadline = new HandshakeDeadline(connection, _timeout, cancellationToken);
        try
        {
            return await HandshakeDriver.RunAsync(
                connection, _context, _settings, TlsSessionKind.Strict, null, deadline.Token).ConfigureAwait(true);
        }
        catch (OperationCanceledException) when (deadline.HasPassed)
        {
            throw deadline.End();
        }
    }

    /// <summary>As hellos and certificates write it: in ASCII, without a dot at the end.</summary>
    private static string Normalize(string hostName)
    {
        try
        {
            return IPAddress.TryParse(hostName, out _) ? hostName : new IdnMapping().GetAscii(hostName.TrimEnd('.'));
        }
        catch (ArgumentException exception)
        {
            throw new ArgumentException(
                $"HostName is '{hostName}', which is no name of a host. Set the name that is in the server's certificate.",
                nameof(hostName),
                exception);
        }
    }
}
