using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.AspNetCore.Tests;

/// <summary>What a <see cref="TestServer"/> is made of. Everything but the transport has a default.</summary>
internal sealed class ServerSetup(TransportKind transport, EndPointKind endPoint = EndPointKind.IPv4)
{
    internal TransportKind Transport { get; } = transport;

    internal EndPointKind EndPoint { get; } = endPoint;

    /// <summary>Answers every request that <see cref="Map"/> did not take.</summary>
    internal RequestDelegate? Handler { get; init; }

    /// <summary>Adds middleware before <see cref="Handler"/>.</summary>
    internal Action<WebApplication>? Map { get; init; }

    /// <summary>Changes the one endpoint: protocols, TLS, connection middleware.</summary>
    internal Action<ListenOptions>? Listen { get; init; }

    /// <summary>Binds in place of the one endpoint of kind <see cref="EndPoint"/>.</summary>
    internal Action<KestrelServerOptions>? Bind { get; init; }

    /// <summary>Changes limits and other server options.</summary>
    internal Action<KestrelServerOptions>? Kestrel { get; init; }

    /// <summary>Changes the Ioxide transport's options; the sockets transport ignores it.</summary>
    internal Action<IoxideTransportOptions>? Ioxide { get; init; }

    /// <summary>Changes the builder last.</summary>
    internal Action<WebApplicationBuilder>? Builder { get; init; }

    /// <summary>Allows lines of level Error; without it they fail the test when the server is disposed.</summary>
    internal bool ExpectsErrors { get; init; }
}
