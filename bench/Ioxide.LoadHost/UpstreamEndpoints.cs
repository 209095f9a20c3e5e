using System.Net;
using Yarp.ReverseProxy.Forwarder;

namespace Ioxide.LoadHost;

/// <summary>Requests that wait for another server: one that a handler calls, and one that YARP forwards to.</summary>
internal static class UpstreamEndpoints
{
    /// <summary>The forwarder behind <c>/proxy</c>.</summary>
    internal static void AddUpstream(this IServiceCollection services, LoadHostOptions options)
    {
        if (options.Upstream is not null)
        {
            services.AddHttpForwarder();
        }
    }

    internal static void MapUpstream(this IEndpointRouteBuilder routes, LoadHostOptions options)
    {
        if (options.Upstream is not { } upstream)
        {
            return;
        }

        // One client for the life of the process: its pool keeps the connections.
        var client = new HttpClient(Handler(options));
        routes.MapGet("/http", () => client.GetStringAsync(upstream));
        routes.MapForwarder("/proxy", upstream.ToString(), ForwarderRequestConfig.Empty, new ToUpstream(upstream), new HttpMessageInvoker(Handler(options)));
    }

    private static SocketsHttpHandler Handler(LoadHostOptions options)
    {
        var handler = new SocketsHttpHandler
        {
            UseProxy = false,
            UseCookies = false,
            AllowAutoRedirect = false,
            AutomaticDecompression = DecompressionMethods.None,
        };
        return options.IsClientOnRing ? handler.UseIoxide() : handler;
    }

    /// <summary>Forwards to the upstream's own path.</summary>
    private sealed class ToUpstream(Uri upstream) : HttpTransformer
    {
        public override async ValueTask TransformRequestAsync(
            HttpContext httpContext, HttpRequestMessage proxyRequest, string destinationPrefix, CancellationToken cancellationToken)
        {
            await base.TransformRequestAsync(httpContext, proxyRequest, destinationPrefix, cancellationToken);
            proxyRequest.RequestUri = upstream;
        }
    }
}
