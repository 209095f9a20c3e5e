using Ioxide;

namespace System.Net.Http;

/// <summary>Moves the connections of an HTTP client to rings.</summary>
public static class IoxideSocketsHttpHandlerExtensions
{
    /// <summary>
    /// Opens the handler's connections on the reactors of this process. HTTPS, HTTP/2, proxies, redirects and pooling stay the handler's.
    /// </summary>
    /// <param name="handler">A handler that has no <see cref="SocketsHttpHandler.ConnectCallback"/> and has sent nothing.</param>
    /// <param name="endPoint">
    /// Where every connection goes, whatever the address of a request, such as a unix socket. Defaults to null: the address of the request;
    /// the addresses of a name are tried in turn.
    /// </param>
    /// <returns>The handler.</returns>
    /// <remarks>
    /// <para>The reactors are those of the calling thread, else those of the one running host (<c>UseIoxide()</c>), found at each connect.
    /// Where there are none, because rings are refused or several hosts run, connections are plain sockets; give the group where that
    /// matters.</para>
    /// <para>The handler opens connections on the thread pool, so they are spread over the reactors, and its pool lends a connection to
    /// callers on any thread. A caller on a reactor resumes there, and a caller on the thread pool resumes on the thread pool.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException">The handler has a callback, or has sent a request.</exception>
    public static SocketsHttpHandler UseIoxide(this SocketsHttpHandler handler, EndPoint? endPoint = null)
        => Use(handler, static () => Reactor.Current?.Group ?? HostReactors.Only, endPoint);

    /// <inheritdoc cref="UseIoxide(SocketsHttpHandler, EndPoint?)"/>
    /// <param name="handler">A handler that has no <see cref="SocketsHttpHandler.ConnectCallback"/> and has sent nothing.</param>
    /// <param name="group">The reactors. They outlive the handler.</param>
    /// <param name="endPoint">
    /// Where every connection goes, whatever the address of a request, such as a unix socket. Defaults to null: the address of the request;
    /// the addresses of a name are tried in turn.
    /// </param>
    /// <remarks>
    /// The handler opens connections on the thread pool, so they are spread over the reactors, and its pool lends a connection to callers on
    /// any thread. A caller on a reactor resumes there, and a caller on the thread pool resumes on the thread pool.
    /// </remarks>
    public static SocketsHttpHandler UseIoxide(this SocketsHttpHandler handler, ReactorGroup group, EndPoint? endPoint = null)
    {
        ArgumentNullException.ThrowIfNull(group);
        return Use(handler, () => group, endPoint);
    }

    private static SocketsHttpHandler Use(SocketsHttpHandler handler, Func<ReactorGroup?> find, EndPoint? endPoint)
    {
        ArgumentNullException.ThrowIfNull(handler);
        if (handler.ConnectCallback is not null)
        {
            throw new InvalidOperationException("The handler has a ConnectCallback already. Call UseIoxide on a handler without one.");
        }

        handler.ConnectCallback = (context, cancellationToken) => ConnectAsync(find(), endPoint, context.DnsEndPoint, cancellationToken);
        return handler;
    }

    /// <summary>Opens a connection on a ring where there is one, else by a socket as the handler itself does.</summary>
    private static async ValueTask<Stream> ConnectAsync(
        ReactorGroup? group, EndPoint? endPoint, DnsEndPoint ofRequest, CancellationToken cancellationToken)
    {
        EndPoint target = endPoint ?? ofRequest;
        if (group is not null)
        {
            try
            {
                return new RingConnectionStream(await group.ConnectAsync(target, null, cancellationToken).ConfigureAwait(false));
            }
            catch (SocketException error) when (endPoint is null)
            {
                // The handler adds the address to the message.
                throw new SocketException((int)error.SocketErrorCode);
            }
        }

        Socket socket = target is UnixDomainSocketEndPoint
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(target, cancellationToken).ConfigureAwait(false);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
