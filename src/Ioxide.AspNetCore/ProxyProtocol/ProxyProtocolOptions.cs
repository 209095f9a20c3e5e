namespace Ioxide.AspNetCore;

/// <summary>Options of <c>UseProxyProtocol</c>. They are read once, when the endpoint is configured.</summary>
public sealed class ProxyProtocolOptions
{
    internal const int LeastMaxHeaderBytes = 536;
    internal const int MostMaxHeaderBytes = ProxyHeaderV2.FixedBytes + ushort.MaxValue;

    /// <summary>
    /// Networks of the balancers. Only these peers may send a header; a trusted peer can claim any client address.
    /// Defaults to loopback, 127.0.0.0/8 and ::1/128: every process of this host. IPv4 addresses mapped to IPv6 count as IPv4.
    /// </summary>
    /// <remarks>
    /// Unix sockets are not in a network: every process that may write to the socket's file is trusted. Give the file a mode and an owner
    /// that admit only the balancer. An abstract unix socket has no file, and its peers are refused.
    /// </remarks>
    public IList<IPNetwork> TrustedNetworks { get; } =
        [new IPNetwork(new IPAddress([127, 0, 0, 0]), 8), new IPNetwork(IPAddress.IPv6Loopback, 128)];

    /// <summary>
    /// The longest header that is accepted, in bytes, 536 to 65,551. Defaults to 4,096. An incomplete header takes no memory beyond what was
    /// received.
    /// </summary>
    public int MaxHeaderBytes { get; set; } = 4096;

    /// <summary>
    /// How long a peer may take to send its header. Defaults to 5 seconds. The specification asks for at least 3 seconds, so that a lost
    /// segment can be sent again. <see cref="System.Threading.Timeout.InfiniteTimeSpan"/> means no limit.
    /// </summary>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxHeaderBytes, LeastMaxHeaderBytes, nameof(MaxHeaderBytes));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxHeaderBytes, MostMaxHeaderBytes, nameof(MaxHeaderBytes));
        if (Timeout != System.Threading.Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(Timeout, TimeSpan.Zero, nameof(Timeout));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(Timeout.TotalMilliseconds, int.MaxValue, nameof(Timeout));
        }
    }
}
