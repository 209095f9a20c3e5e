using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Http2.Tests;

/// <summary>What a host of a test is.</summary>
internal sealed record Http2Setup
{
    /// <summary>Else stock Kestrel over sockets.</summary>
    internal bool IsEngine { get; init; } = true;

    /// <summary>Without the engine: Kestrel's own HTTP over the ring.</summary>
    internal bool IsTransport { get; init; }

    internal int ReactorCount { get; init; } = 1;

    internal HttpProtocols Protocols { get; init; } = HttpProtocols.Http2;

    internal RequestDelegate? Handler { get; init; }

    internal Action<IServiceCollection>? Services { get; init; }

    internal Action<WebApplication>? Map { get; init; }

    internal Action<KestrelServerOptions>? Kestrel { get; init; }

    internal Action<ListenOptions>? Listen { get; init; }

    internal Action<IoxideTransportOptions>? Transport { get; init; }

    internal bool ExpectsErrors { get; init; }
}
