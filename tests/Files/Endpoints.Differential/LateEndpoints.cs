using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.Primitives;

namespace Ioxide.Files.Tests;

/// <summary>A source of endpoints that has none at first.</summary>
internal sealed class LateEndpoints(IServiceProvider services) : EndpointDataSource, IEndpointRouteBuilder, IDisposable
{
    private CancellationTokenSource _changed = new();
    private IReadOnlyList<Endpoint> _endpoints = [];

    public override IReadOnlyList<Endpoint> Endpoints => _endpoints;

    public IServiceProvider ServiceProvider => services;

    public ICollection<EndpointDataSource> DataSources { get; } = [];

    public IApplicationBuilder CreateApplicationBuilder() => new ApplicationBuilder(services);

    public override IChangeToken GetChangeToken() => new CancellationChangeToken(_changed.Token);

    /// <summary>Adds the endpoints and tells whoever watches.</summary>
    internal void Add(IEnumerable<GeneratedRoute> routes)
    {
        foreach (GeneratedRoute route in routes)
        {
            route.MapOn(this);
        }

        _endpoints = [.. DataSources.SelectMany(static source => source.Endpoints)];
        CancellationTokenSource before = _changed;
        _changed = new CancellationTokenSource();
        before.Cancel();
        before.Dispose();
    }

    public void Dispose() => _changed.Dispose();
}
