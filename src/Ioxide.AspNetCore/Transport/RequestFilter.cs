using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;

namespace Ioxide.AspNetCore;

/// <summary>
/// Notes on the reactor which request runs, so that the report of a stall can name it. Marks connections that use HTTP/2, ends connections
/// with their next response while the host drains, and runs the rest of the pipeline on the thread where it belongs.
/// </summary>
internal sealed class RequestFilter(StopDelay stop, PlacementRegistry? placements = null) : IStartupFilter
{
    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        PipelinePlacement? pipeline = placements is { IsAdaptive: true } ? placements.Pipeline : null;
        app.Use(nextRequest => context =>
        {
            Reactor? reactor = Reactor.Current;
            if (reactor is not null)
            {
                RunningRequest.Note(reactor, context.Request);
            }

            if (HttpProtocol.IsHttp2(context.Request.Protocol) && context.Features is not IBodyReferenceFeature { IsOfStream: true })
            {
                // Ioxide.Http2 has noted it when the connection began.
                (context.Features.Get<IReactorFeature>() as IoxideConnectionContext)?.NoteHttp2();
            }

            if (stop.IsDraining)
            {
                // HTTP/1.1 says so in the response, HTTP/2 by GOAWAY. The client's next request comes over another connection.
                context.Features.Get<IConnectionLifetimeNotificationFeature>()?.RequestClose();
            }

            return pipeline is null || reactor is null ? nextRequest(context) : pipeline.InvokeAsync(context, nextRequest, reactor);
        });
        next(app);
    };
}
