using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;

namespace Ioxide.AspNetCore;

/// <summary>Notes on the reactor which request runs, so that the report of a stall can name its path. Two loads a request.</summary>
internal sealed class RequestActivityFilter : IStartupFilter
{
    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        app.Use(static nextRequest => context =>
        {
            if (Reactor.Current is { } reactor)
            {
                reactor.Activity = context;
            }

            return nextRequest(context);
        });
        next(app);
    };
}
