using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Options;

namespace Ioxide.LoadHost;

/// <summary>Tells which transport really runs.</summary>
/// <remarks>A comparison is worthless when a side fell back to the other one: nothing here looks at what was asked
/// for.</remarks>
internal static class RunningTransport
{
    private const string FellBack = "ioxide-fell-back";

    /// <summary>Reads it from the factory that Kestrel binds with and from the rings that the process holds.</summary>
    /// <remarks>Call it after the server started: rings are made while it binds.</remarks>
    internal static string OfProcess(IServiceProvider services)
    {
        // Kestrel asks the factories in reverse order of registration.
        IConnectionListenerFactory factory = services.GetServices<IConnectionListenerFactory>().Last();
        if (factory is SocketTransportFactory)
        {
            return OfSockets(services);
        }

        bool isIoxide = factory.GetType().Assembly == typeof(IReactorFeature).Assembly;
        return !isIoxide ? factory.GetType().FullName!
            : HoldsRing() ? TransportChoices.Ioxide
            : services.GetRequiredService<IOptions<IoxideTransportOptions>>().Value.Kernel == KernelChoice.Epoll ? TransportChoices.Epoll
            : FellBack;
    }

    /// <summary>Reads it from the connection that carries a request.</summary>
    internal static string OfConnection(HttpContext context)
    {
        if (context.Features.Get<IReactorFeature>() is { } feature)
        {
            return feature.Reactor.Group.RunsOn == KernelChoice.Epoll ? TransportChoices.Epoll : TransportChoices.Ioxide;
        }

        if (context.Features.Get<IConnectionSocketFeature>() is null)
        {
            return "unknown";
        }

        // The connection is a plain socket's. Where Kestrel's factory is another one, that one handed it over.
        string process = OfProcess(context.RequestServices);
        return process == TransportChoices.Ioxide ? FellBack : process;
    }

    private static string OfSockets(IServiceProvider services)
    {
        SocketTransportOptions options = services.GetRequiredService<IOptions<SocketTransportOptions>>().Value;
        return (options.UnsafePreferInlineScheduling, TransportChoices.InlineCompletions) switch
        {
            (false, false) => TransportChoices.Sockets,
            (true, false) => TransportChoices.SocketsInline,
            (true, true) => TransportChoices.SocketsInlineCompletions,
            (false, true) => "sockets-ic",
        };
    }

    private static bool HoldsRing()
    {
        foreach (string descriptor in Directory.EnumerateFileSystemEntries("/proc/self/fd"))
        {
            // LinkTarget is null for a descriptor that was closed since it was listed.
            if (new FileInfo(descriptor).LinkTarget == "anon_inode:[io_uring]")
            {
                return true;
            }
        }

        return false;
    }
}
