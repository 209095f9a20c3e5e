using System.Diagnostics.Metrics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing.Matching;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Ioxide.Files;

/// <summary>The framework's own matcher over end points that do not change, asked with made-up requests.</summary>
/// <remarks>
/// It lives in a container of its own, with the application's constraints, selector and those policies that it is given. So the
/// application's metrics and logs do not show the questions. Nothing of an end point runs: what is selected is noted and taken back
/// before the routing middleware sees it, which would execute an end point with <c>ShortCircuit</c>. Threads: one question at a time.
/// </remarks>
internal sealed class RouteMatcher : IDisposable
{
    private readonly ServiceProvider _services;
    private readonly IServiceProvider _application;
    private readonly RequestDelegate _match;

    /// <param name="application">The application's services.</param>
    /// <param name="endpoints">What is matched.</param>
    /// <param name="policies">What may change the choice besides paths and constraints.</param>
    internal RouteMatcher(IServiceProvider application, IReadOnlyList<Endpoint> endpoints, IEnumerable<MatcherPolicy> policies)
    {
        _application = application;
        var services = new ServiceCollection();
        services.AddLogging().AddRoutingCore().RemoveAll<MatcherPolicy>();
        services.AddSingleton(application.GetRequiredService<ParameterPolicyFactory>());
        services.AddSingleton<EndpointSelector>(new NotingSelector(application.GetRequiredService<EndpointSelector>()));
        services.AddSingleton(new DiagnosticListener("Ioxide.Files"));
        services.AddSingleton<IMeterFactory, OwnMeters>();
        foreach (MatcherPolicy policy in policies)
        {
            services.AddSingleton(policy);
        }

        _services = services.BuildServiceProvider();
        ICollection<EndpointDataSource>? sources = null;
        var pipeline = new ApplicationBuilder(_services);
        pipeline.UseRouting();
        pipeline.Run(static _ => Task.CompletedTask);

        // Only to be handed the collection that UseRouting matches; nothing runs behind the end of the pipeline.
        pipeline.UseEndpoints(routes => sources = routes.DataSources);
        Debug.Assert(sources is not null);
        sources.Add(new DefaultEndpointDataSource(endpoints));
        _match = pipeline.Build();
    }

    /// <summary>Asks for a request with nothing but a method and a path.</summary>
    /// <param name="method">For example <c>GET</c>.</param>
    /// <param name="path">Decoded, as the server hands it to the pipeline.</param>
    /// <param name="isSelecting">Whether one is selected; if not, only the candidates are asked for.</param>
    /// <returns>What was found. Whatever a policy or the selector throws goes to the caller.</returns>
    internal async Task<RouteMatch> MatchAsync(string method, string path, bool isSelecting)
    {
        var match = new RouteMatch { IsSelecting = isSelecting };
        var context = new DefaultHttpContext { RequestServices = _application };
        context.Features.Set(match);
        context.Request.Method = method;
        context.Request.Scheme = "http";
        context.Request.Protocol = "HTTP/1.1";
        context.Request.Host = new HostString("localhost");
        context.Request.Path = new PathString(path);
        await _match(context).ConfigureAwait(false);
        return match;
    }

    public void Dispose() => _services.Dispose();

    /// <summary>Selects as the application does, notes it, and selects nothing.</summary>
    private sealed class NotingSelector(EndpointSelector inner) : EndpointSelector
    {
        public override async Task SelectAsync(HttpContext httpContext, CandidateSet candidates)
        {
            RouteMatch match = httpContext.Features.GetRequiredFeature<RouteMatch>();
            match.Candidates = candidates;
            if (match.IsSelecting)
            {
                await inner.SelectAsync(httpContext, candidates).ConfigureAwait(false);
                match.Selected = httpContext.GetEndpoint();
                httpContext.SetEndpoint(null);
            }
        }
    }

    /// <summary>Keeps the questions out of the meter that exporters listen to.</summary>
    private sealed class OwnMeters : IMeterFactory
    {
        private readonly Meter _meter = new("Ioxide.Files.FrontDoor");

        public Meter Create(MeterOptions options) => _meter;

        public void Dispose() => _meter.Dispose();
    }
}

/// <summary>The answer to one question.</summary>
internal sealed class RouteMatch
{
    internal bool IsSelecting { get; init; }

    /// <summary>All end points of the path, also those whose constraints refuse it; null where there are none.</summary>
    internal CandidateSet? Candidates { get; set; }

    /// <summary>What the application's selector chose; null where it chose nothing.</summary>
    internal Endpoint? Selected { get; set; }
}
