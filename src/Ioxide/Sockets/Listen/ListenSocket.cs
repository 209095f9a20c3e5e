namespace Ioxide;

/// <summary>Opens, binds and starts listening sockets.</summary>
internal static unsafe class ListenSocket
{
    /// <summary>Lets further sockets of this process join the port. Must precede <see cref="Listen"/>.</summary>
    /// <returns>0, or <c>-errno</c> if the host refuses it.</returns>
    internal static int TrySharePort(Kernel kernel, int descriptor)
        => kernel.SetSocketOption(descriptor, SocketConstants.LevelSocket, SocketConstants.OptionReusePort, 1);

    internal static void Listen(Kernel kernel, int descriptor, int backlog) => Errno.Check(kernel.Listen(descriptor, backlog), "listen");

    /// <summary>Checks that a handed-in descriptor is a listening stream socket and returns its address.</summary>
    internal static EndPoint CheckHandedIn(Kernel kernel, int descriptor)
    {
        int accepts = 0;
        uint length = sizeof(int);
        int result = kernel.GetSocketOption(
            descriptor, SocketConstants.LevelSocket, SocketConstants.OptionAcceptsConnections, &accepts, &length);
        Errno.Check(result, $"use descriptor {descriptor} as a listener");
        if (accepts == 0)
        {
            // The sockets transport also starts a bound socket.
            Listen(kernel, descriptor, new RingListenOptions().Backlog);
        }

        _ = kernel.SetCloseOnExec(descriptor);
        return SocketAddress.LocalOf(kernel, descriptor)
            ?? throw new SocketException((int)SocketError.AddressFamilyNotSupported);
    }

    internal static void SetNoDelay(Kernel kernel, int descriptor, EndPoint endPoint)
    {
        if (endPoint is IPEndPoint)
        {
            // Accepted sockets inherit it, which saves one call per connection.
            Set(kernel, descriptor, SocketConstants.LevelTcp, SocketConstants.OptionNoDelay, 1, "set TCP_NODELAY");
        }
    }

    /// <summary>Binds a socket: the first one unshared, so that a port in use is detected; the kernel distributes connections over all.</summary>
    /// <returns>A bound descriptor that does not listen yet.</returns>
    /// <exception cref="SocketException">As for bind(2): address in use, not available, not allowed.</exception>
    internal static int Bind(Kernel kernel, EndPoint endPoint, RingListenOptions options, bool sharesPort)
    {
        // Without a ring, another thread may accept between the reactor's look and its accept, which must not wait for the next client.
        int type = SocketConstants.TypeStream | SocketConstants.CloseOnExec
            | (kernel.Choice == KernelChoice.Epoll ? SocketConstants.NonBlocking : 0);
        int descriptor = Errno.Check(kernel.Socket(SocketAddress.Family(endPoint), type, 0), "open a socket");
        try
        {
            if (endPoint is IPEndPoint ip)
            {
                // Without it, a restart waits for the previous process's connections. The sockets transport ignores a failure too.
                _ = kernel.SetSocketOption(descriptor, SocketConstants.LevelSocket, SocketConstants.OptionReuseAddress, 1);
                if (ip.AddressFamily == AddressFamily.InterNetworkV6)
                {
                    int only = ip.Address.Equals(IPAddress.IPv6Any) ? 0 : 1;
                    Set(kernel, descriptor, SocketConstants.LevelInternet6, SocketConstants.OptionInternet6Only, only, "set IPV6_V6ONLY");
                }

                if (sharesPort)
                {
                    Set(kernel, descriptor, SocketConstants.LevelSocket, SocketConstants.OptionReusePort, 1, "set SO_REUSEPORT");
                }

                if (options.Connection.NoDelay)
                {
                    SetNoDelay(kernel, descriptor, endPoint);
                }
            }

            byte* address = stackalloc byte[SocketAddress.MaxLengthBytes];
            uint length = SocketAddress.Write(endPoint, new Span<byte>(address, SocketAddress.MaxLengthBytes));
            Errno.Check(kernel.Bind(descriptor, address, length), $"bind {endPoint}");
            return descriptor;
        }
        catch
        {
            _ = kernel.Close(descriptor);
            throw;
        }
    }

    /// <summary>Removes the file of a closed unix socket. One that cannot be removed stays, as with the framework's sockets.</summary>
    /// <param name="path">Null for a socket that has none.</param>
    internal static void RemoveFile(string? path)
    {
        try
        {
            if (path is not null)
            {
                File.Delete(path);
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Its folder is gone, or its rights were taken away: no reason to end a stop halfway.
        }
    }

    private static void Set(Kernel kernel, int descriptor, int level, int option, int value, string what)
        => Errno.Check(kernel.SetSocketOption(descriptor, level, option, value), what);
}
