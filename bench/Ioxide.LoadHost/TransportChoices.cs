using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;

namespace Ioxide.LoadHost;

/// <summary>Names the transports and sets a host up for one of them.</summary>
internal static class TransportChoices
{
    internal const string Sockets = "sockets";
    internal const string SocketsInline = "sockets-inline";
    internal const string SocketsInlineCompletions = "sockets-inline-ic";
    internal const string Ioxide = "ioxide";
    internal const string Epoll = "epoll";

    private const string InlineCompletionsVariable = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";

    /// <summary>True when the runtime was started to run socket completions on its epoll thread.</summary>
    /// <remarks>The runtime reads the variable once, so it cannot be set from in here.</remarks>
    internal static bool InlineCompletions => Environment.GetEnvironmentVariable(InlineCompletionsVariable) == "1";

    /// <exception cref="ArgumentException">No transport has that name.</exception>
    internal static TransportChoice Parse(string name) => name switch
    {
        Sockets => TransportChoice.Sockets,
        SocketsInline => TransportChoice.SocketsInline,
        SocketsInlineCompletions => TransportChoice.SocketsInlineCompletions,
        Ioxide => TransportChoice.Ioxide,
        Epoll => TransportChoice.Epoll,
        _ => throw new ArgumentException($"No transport is called '{name}'."),
    };

    /// <exception cref="ArgumentException">The environment does not fit the transport asked for.</exception>
    internal static void Apply(IWebHostBuilder host, LoadHostOptions options)
    {
        if (InlineCompletions != (options.Transport == TransportChoice.SocketsInlineCompletions))
        {
            throw new ArgumentException(
                $"{SocketsInlineCompletions} needs {InlineCompletionsVariable}=1, the others need it unset.");
        }

        switch (options.Transport)
        {
            case TransportChoice.Sockets:
                break;
            case TransportChoice.SocketsInline:
            case TransportChoice.SocketsInlineCompletions:
                host.UseSockets(static (SocketTransportOptions sockets) => sockets.UnsafePreferInlineScheduling = true);
                break;
            case TransportChoice.Ioxide:
            case TransportChoice.Epoll:
                host.UseIoxide(ring =>
                {
                    ring.Kernel = options.Transport == TransportChoice.Epoll ? KernelChoice.Epoll : KernelChoice.IoUring;
                    ring.ReactorCount = options.ReactorCount;
                    ring.ApplicationScheduling = options.RunsOnPool ? ApplicationScheduling.ThreadPool : ring.ApplicationScheduling;
                });
                break;
        }
    }
}
