using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.Primitives;

namespace Ioxide.Files.Tests;

/// <summary>End points that come and go while the application runs, as those of plug-ins and proxies do.</summary>
internal sealed class AddedEndpoints : EndpointDataSource, IDisposable
{
    private Endpoint[] _endpoints = [];
    private CancellationTokenSource _changed = new();
    private int _announcingThread;

    /// <summary>Thrown to whoever asks for the end points.</summary>
    internal Exception? Failure { get; set; }

    /// <summary>Called where another thread than the one that replaces them has read the end points, before it gets them.</summary>
    internal Action? OnRead { get; set; }

    public override IReadOnlyList<Endpoint> Endpoints
    {
        get
        {
            if (Failure is { } failure)
            {
                throw failure;
            }

            Endpoint[] read = _endpoints;
            if (Environment.CurrentManagedThreadId != Volatile.Read(ref _announcingThread))
            {
                OnRead?.Invoke();
            }

            return read;
        }
    }

    public override IChangeToken GetChangeToken() => new CancellationChangeToken(_changed.Token);

    /// <summary>Replaces all. When it returns, the application's routing has them.</summary>
    internal void Set(params string[] patterns)
    {
        _endpoints = [.. patterns.Select(static pattern => new RouteEndpoint(
            static context => context.Response.WriteAsync("added"), RoutePatternFactory.Parse(pattern), 0, null, pattern))];
        Announce();
    }

    internal void Announce()
    {
        CancellationTokenSource before = _changed;
        _changed = new CancellationTokenSource();
        Volatile.Write(ref _announcingThread, Environment.CurrentManagedThreadId);
        try
        {
            before.Cancel();
        }
        finally
        {
            Volatile.Write(ref _announcingThread, 0);
        }

        before.Dispose();
    }

    public void Dispose() => _changed.Dispose();
}
