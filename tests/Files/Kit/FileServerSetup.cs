using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Files.Tests;

/// <summary>What a <see cref="FileServer"/> is made of.</summary>
internal sealed class FileServerSetup
{
    internal Way Way { get; init; } = Way.Ring;

    internal string? Folder { get; init; }

    internal string Prefix { get; init; } = "/";

    internal Action<IoxideFilesOptions>? Options { get; init; }

    internal bool IsHttps { get; init; }

    /// <summary>HTTPS by <c>Ioxide.Tls</c> instead of SslStream.</summary>
    internal bool IsTlsOnRing { get; init; }

    internal HttpProtocols? Protocols { get; init; }

    internal Action<IServiceCollection>? Services { get; init; }

    internal Action<KestrelServerOptions>? Kestrel { get; init; }

    /// <summary>Adds middleware in front of routing.</summary>
    internal Action<WebApplication>? BeforeRouting { get; init; }

    /// <summary>Adds middleware between routing and the endpoints.</summary>
    internal Action<WebApplication>? Before { get; init; }

    /// <summary>Adds endpoints beside the files.</summary>
    internal Action<WebApplication>? Endpoints { get; init; }

    /// <summary>Says more of the files' endpoint.</summary>
    internal Action<IEndpointConventionBuilder>? Conventions { get; init; }

    /// <summary>Answers what no endpoint took.</summary>
    internal RequestDelegate? After { get; init; }

    internal bool ExpectsErrors { get; init; }
}
