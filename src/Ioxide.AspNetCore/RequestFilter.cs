using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;

namespace Ioxide.AspNetCore;

/// <summary>
/// Notes on the reactor which request runs, so that the report of a stall can name it; tells the connection that its peer speaks
/// HTTP/2; and ends connections with their next answer while the host drains.
/// </summary>
internal sealed class RequestFilter(StopState stop) : IStartupFilter
{
    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        app.Use(nextRequest => context =>
        {
            if (Reactor.Current is { } reactor)
            {
                RunningRequest.Note(reactor, context.Request);
            }

            if (HttpProtocol.IsHttp2(context.Request.Protocol))
            {
                (context.Features.Get<IReactorFeature>() as IoxideConnectionContext)?.EndWithPeer();
            }

            if (stop.IsDraining)
            {
                // HTTP/1.1 says so in the answer, HTTP/2 by GOAWAY: the client's next request comes over another connection.
                context.Features.Get<IConnectionLifetimeNotificationFeature>()?.RequestClose();
            }

            return nextRequest(context);
        });
        next(app);
    };
}
