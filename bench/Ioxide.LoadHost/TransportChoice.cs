namespace Ioxide.LoadHost;

/// <summary>The transports that one application can be run on.</summary>
internal enum TransportChoice
{
    /// <summary>The sockets transport as it ships.</summary>
    Sockets,

    /// <summary>The sockets transport with <c>UnsafePreferInlineScheduling</c>.</summary>
    SocketsInline,

    /// <summary>As <see cref="SocketsInline"/>, and the runtime runs socket completions on the epoll thread.</summary>
    SocketsInlineCompletions,

    /// <summary>Reactors on io_uring.</summary>
    Ioxide,

    /// <summary>Reactors on epoll.</summary>
    Epoll,
}
