using System.Buffers.Binary;

namespace Ioxide;

/// <summary>Converts endpoints to <c>sockaddr_in</c>, <c>sockaddr_in6</c> and <c>sockaddr_un</c>, and back.</summary>
/// <remarks>Layouts: ip(7), ipv6(7), unix(7). The family is in host order; port, flow and address are in network order.</remarks>
internal static unsafe class SocketAddress
{
    /// <summary>Room for any address, <c>struct sockaddr_storage</c>.</summary>
    internal const int MaxLengthBytes = 128;

    private const int Internet4Length = 16;
    private const int Internet6Length = 28;
    private const int UnixPathOffset = 2;

    private static readonly UnixDomainSocketEndPoint s_anyUnix = new("/");

    /// <summary>A client's unix socket has no name.</summary>
    private static readonly EndPoint s_unnamed = CreateUnix([]);

    internal static int Family(EndPoint endPoint) => endPoint switch
    {
        UnixDomainSocketEndPoint => SocketConstants.FamilyUnix,
        IPEndPoint { AddressFamily: AddressFamily.InterNetwork } => SocketConstants.FamilyInternet,
        IPEndPoint { AddressFamily: AddressFamily.InterNetworkV6 } => SocketConstants.FamilyInternet6,
        _ => throw new NotSupportedException(
            $"Endpoints of type {endPoint.GetType().Name} are not sockets that io_uring can open. " +
            $"Use {nameof(IPEndPoint)} or {nameof(UnixDomainSocketEndPoint)}."),
    };

    /// <summary>Writes the address and returns its length in bytes.</summary>
    /// <param name="endPoint">An IP or unix endpoint; a unix path starting with NUL is an abstract name, one starting with @ a file.</param>
    /// <param name="destination">At least <see cref="MaxLengthBytes"/> bytes.</param>
    internal static uint Write(EndPoint endPoint, Span<byte> destination)
    {
        destination[..MaxLengthBytes].Clear();
        ushort family = (ushort)Family(endPoint);
        BitConverter.TryWriteBytes(destination, family);
        if (endPoint is IPEndPoint ip)
        {
            BinaryPrimitives.WriteUInt16BigEndian(destination[2..], (ushort)ip.Port);
            if (family == SocketConstants.FamilyInternet)
            {
                ip.Address.TryWriteBytes(destination[4..], out _);
                return Internet4Length;
            }

            ip.Address.TryWriteBytes(destination[8..], out _);
            BitConverter.TryWriteBytes(destination[24..], (uint)ip.Address.ScopeId);
            return Internet6Length;
        }

        // The text of an abstract name begins with @, as that of a file may.
        System.Net.SocketAddress unix = endPoint.Serialize();
        unix.Buffer.Span[..unix.Size].CopyTo(destination);
        return (uint)unix.Size;
    }

    /// <summary>Whether the socket has a file: its name is not abstract, and there is one.</summary>
    internal static bool HasFile(UnixDomainSocketEndPoint endPoint)
    {
        System.Net.SocketAddress unix = endPoint.Serialize();
        return unix.Size > UnixPathOffset && unix[UnixPathOffset] != 0;
    }

    /// <summary>Reads an address that the kernel wrote, or null for an unsupported family.</summary>
    internal static EndPoint? Read(ReadOnlySpan<byte> address)
    {
        if (address.Length < sizeof(ushort))
        {
            return null;
        }

        switch (BitConverter.ToUInt16(address))
        {
            case SocketConstants.FamilyInternet when address.Length >= Internet4Length:
                return new IPEndPoint(
                    new IPAddress(address.Slice(4, 4)), BinaryPrimitives.ReadUInt16BigEndian(address[2..]));
            case SocketConstants.FamilyInternet6 when address.Length >= Internet6Length:
                return new IPEndPoint(
                    new IPAddress(address.Slice(8, 16), BitConverter.ToUInt32(address[24..])),
                    BinaryPrimitives.ReadUInt16BigEndian(address[2..]));
            case SocketConstants.FamilyUnix:
                return ReadUnix(address[UnixPathOffset..]);
            default:
                return null;
        }
    }

    /// <summary>The address that a descriptor is bound to, or null.</summary>
    internal static EndPoint? LocalOf(Kernel kernel, int fd) => Of(kernel, fd, isPeer: false);

    /// <summary>The address of the peer, or null if the peer is already gone.</summary>
    internal static EndPoint? RemoteOf(Kernel kernel, int fd) => Of(kernel, fd, isPeer: true);

    private static EndPoint? Of(Kernel kernel, int fd, bool isPeer)
    {
        byte* buffer = stackalloc byte[MaxLengthBytes];
        uint length = MaxLengthBytes;
        int result = isPeer ? kernel.GetPeerName(fd, buffer, &length) : kernel.GetSocketName(fd, buffer, &length);
        return result < 0 ? null : Read(new ReadOnlySpan<byte>(buffer, (int)length));
    }

    private static EndPoint ReadUnix(ReadOnlySpan<byte> path)
    {
        if (path.IsEmpty)
        {
            return s_unnamed;
        }

        int end = path[0] == 0 ? path.Length : path.IndexOf((byte)0);
        return CreateUnix(end < 0 ? path : path[..end]);
    }

    /// <summary>From bytes, because a peer may choose any: no name, one that is no text, one that a text has no room for.</summary>
    private static EndPoint CreateUnix(ReadOnlySpan<byte> path)
    {
        var address = new System.Net.SocketAddress(AddressFamily.Unix, UnixPathOffset + path.Length);
        path.CopyTo(address.Buffer.Span[UnixPathOffset..]);
        return s_anyUnix.Create(address);
    }
}
