namespace Ioxide.AspNetCore;

/// <summary>Options of <c>UseProxyProtocol</c>, read once, when the end point is configured.</summary>
public sealed class ProxyProtocolOptions
{
    internal const int LeastMaxHeaderBytes = 536;
    internal const int MostMaxHeaderBytes = ProxyHeaderV2.FixedBytes + ushort.MaxValue;

    /// <summary>
    /// Networks of the balancers. Only these peers may send a header; a trusted peer can claim any client address.
    /// Defaults to loopback, 127.0.0.0/8 and ::1/128: every process of this host. IPv4 addresses mapped to IPv6 count as IPv4.
    /// </summary>
    /// <remarks>
    /// The network does not matter for a unix socket: whoever may write to its file is trusted, so give the file a mode and an
    /// owner that let only the balancer in. An abstract unix socket has no file, and its peers are refused.
    /// </remarks>
    public IList<IPNetwork> TrustedNetworks { get; } =
        [new IPNetwork(new IPAddress([127, 0, 0, 0]), 8), new IPNetwork(IPAddress.IPv6Loopback, 128)];

    /// <summary>
    /// The longest header, in bytes, that is taken. Defaults to 4,096; 536 to 65,551. A header takes no memory before it is whole,
    /// beyond what was received.
    /// </summary>
    public int MaxHeaderBytes { get; set; } = 4096;

    /// <summary>
    /// How long a peer may take for its header. Defaults to 5 seconds; the specification asks for at least 3, for a segment that is sent
    /// again. <see cref="System.Threading.Timeout.InfiniteTimeSpan"/> is without limit.
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
