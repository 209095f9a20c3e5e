using BenchmarkDotNet.Attributes;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace Ioxide.Benchmarks;

/// <summary>What an endpoint pays per request that has earned the reactor, beside its handler alone. No turn ends meanwhile.</summary>
[MemoryDiagnoser]
public class EndpointPlacementBenchmarks : IDisposable
{
    private readonly HttpContext _context = new DefaultHttpContext();
    private readonly RequestDelegate _handler = static _ => Task.CompletedTask;
    private ReactorGroup _group = null!; // Set before a benchmark runs.
    private PlacementRegistry _book = null!; // The same.
    private RequestDelegate _proven = null!; // The same.

    [GlobalSetup]
    public void Start()
    {
        _group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 1 });
        _book = new PlacementRegistry(Options.Create(new IoxideTransportOptions()), NullLoggerFactory.Instance);
        _proven = _book.Replace(new RouteEndpoint(_handler, RoutePatternFactory.Parse("/"), 0, null, "it")).RequestDelegate!;
        EndpointPlacement placement = _book.Endpoints.Single();
        while (!placement.IsInline)
        {
            placement.RunEnded(0);
        }

        Reactor.ExchangeCurrent(_group.Reactors[0]);
    }

    [GlobalCleanup]
    public void Dispose()
    {
        Reactor.ExchangeCurrent(null);
        _book.Dispose();
        _group.DisposeAsync().AsTask().GetAwaiter().GetResult();
        GC.SuppressFinalize(this);
    }

    [Benchmark(Baseline = true)]
    public Task HandlerAlone() => _handler(_context);

    [Benchmark]
    public Task Proven() => _proven(_context);
}
