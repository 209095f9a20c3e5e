using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.Pg;

/// <summary>One address of one host, with the names that belong to it.</summary>
/// <param name="EndPoint">An IP endpoint or a unix socket.</param>
/// <param name="Host">The host as configured; the certificate and the password file are checked for its name.</param>
internal sealed record ServerEndpoint(EndPoint EndPoint, PgHost Host)
{
    /// <summary>TLS was tried, was not required, and did not work.</summary>
    internal bool IsClearText { get; init; }

    /// <summary><c>struct sockaddr_un</c> has room for 108 bytes including the terminating zero.</summary>
    internal const int MaxSocketPathBytes = 107;

    internal bool IsUnixSocket => EndPoint is UnixDomainSocketEndPoint;

    /// <summary>Whether only this machine can eavesdrop.</summary>
    internal bool IsLocal => EndPoint is UnixDomainSocketEndPoint || (EndPoint is IPEndPoint ip && IPAddress.IsLoopback(ip.Address));

    /// <summary>The name that the certificate must have, and that is sent to the server as its host name.</summary>
    internal string Name => Host.Name.Length > 0 ? Host.Name : Host.Address?.ToString() ?? "";

    /// <summary>The effective mode for this address.</summary>
    internal PgSslMode SslModeOf(PgDataSourceOptions options)
    {
        if (IsUnixSocket)
        {
            return PgSslMode.Disable;
        }

        bool needsTls = options.SslNegotiation == PgSslNegotiation.Direct || options.ChannelBinding == PgChannelBinding.Require;
        return options.SslMode
            ?? (IsLocal && !needsTls ? PgSslMode.Prefer : options.HasRoot ? PgSslMode.VerifyFull : PgSslMode.Require);
    }

    /// <inheritdoc/>
    public override string ToString() => EndPoint is IPEndPoint ip && Name.Length > 0 && Name != ip.Address.ToString()
        ? $"{Name} ({ip})"
        : EndPoint.ToString() ?? Name;

    /// <summary>The name of the socket file, or of the abstract socket with its <c>@</c>.</summary>
    internal static string SocketPath(PgHost host)
    {
        int port = host.Port == 0 ? PgDataSourceOptions.DefaultPort : host.Port;
        return string.Create(CultureInfo.InvariantCulture, $"{host.Name.TrimEnd('/')}/.s.PGSQL.{port}");
    }
}

/// <summary>Turns configured hosts into addresses, in the order in which they are to be tried.</summary>
/// <param name="lookup">Asks DNS, and blocks its thread meanwhile. Null: the system's resolver.</param>
/// <param name="random">Randomizes the order for load balancing. Null: the shared one.</param>
internal sealed class HostResolver(Func<string, IPAddress[]>? lookup = null, Random? random = null)
{
    private readonly Func<string, IPAddress[]> _lookup = lookup ?? Dns.GetHostAddresses;
    private readonly ConcurrentDictionary<string, SharedRun<IPAddress[]>> _lookups = new(StringComparer.Ordinal);
    private readonly Random _random = random ?? Random.Shared;

    /// <summary>The hosts in the order in which they are tried: as configured, or at random.</summary>
    internal PgHost[] Order(PgDataSourceOptions options)
    {
        PgHost[] hosts = [.. options.Hosts];
        if (options.LoadBalanceHosts)
        {
            _random.Shuffle(hosts);
        }

        return hosts;
    }

    /// <summary>The addresses of one host, at least one. Looked up for each connection, because addresses of a name change.</summary>
    /// <remarks>Threads: any; the name is looked up on a thread of its own, once for all attempts that ask meanwhile.</remarks>
    /// <exception cref="PgConnectionException">The name has no address.</exception>
    internal async ValueTask<ServerEndpoint[]> AddressesAsync(PgDataSourceOptions options, PgHost host, CancellationToken cancellationToken)
    {
        if (host.IsUnixSocket)
        {
            return [new ServerEndpoint(UnixSocket(host), host)];
        }

        int port = host.Port == 0 ? PgDataSourceOptions.DefaultPort : host.Port;
        if (host.Address is not null || IPAddress.TryParse(host.Name, out _))
        {
            return [new ServerEndpoint(new IPEndPoint(host.Address ?? IPAddress.Parse(host.Name), port), host)];
        }

        IPAddress[] addresses = await LookUpAsync(host.Name, cancellationToken).ConfigureAwait(true);
        if (options.LoadBalanceHosts)
        {
            addresses = [.. addresses];
            _random.Shuffle(addresses);
        }

        return [.. addresses.Select(address => new ServerEndpoint(new IPEndPoint(address, port), host))];
    }

    private async Task<IPAddress[]> LookUpAsync(string name, CancellationToken cancellationToken)
    {
        try
        {
            SharedRun<IPAddress[]> lookup = _lookups.GetOrAdd(
                name, static (name, ask) => new SharedRun<IPAddress[]>(() => ask(name)), _lookup);
            IPAddress[] addresses = await lookup.GetAsync(cancellationToken).ConfigureAwait(false);
            return addresses.Length > 0 ? addresses : throw new SocketException((int)SocketError.HostNotFound);
        }
        catch (Exception exception) when (exception is SocketException or ArgumentException)
        {
            throw new PgConnectionException($"The host name \"{name}\" could not be resolved: {exception.Message}", exception);
        }
    }

    private static UnixDomainSocketEndPoint UnixSocket(PgHost host)
    {
        string path = ServerEndpoint.SocketPath(host);
        if (Encoding.UTF8.GetByteCount(path) > ServerEndpoint.MaxSocketPathBytes)
        {
            throw new PgConnectionException(
                $"The path of the unix socket {path} is longer than {ServerEndpoint.MaxSocketPathBytes} bytes.");
        }

        return new UnixDomainSocketEndPoint(path[0] == '@' ? "\0" + path[1..] : path);
    }
}
