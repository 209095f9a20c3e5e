using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Http2;

/// <summary>Wraps the server, so that the engine gets the application that it was started with.</summary>
internal sealed class Http2Server(IServer inner, Http2Applications applications) : IServer
{
    public IFeatureCollection Features => inner.Features;

    public Task StartAsync<TContext>(IHttpApplication<TContext> application, CancellationToken cancellationToken)
        where TContext : notnull
    {
        applications.Current = new Http2Application.Of<TContext>(application);
        return inner.StartAsync(application, cancellationToken);
    }

    public Task StopAsync(CancellationToken cancellationToken) => inner.StopAsync(cancellationToken);

    public void Dispose() => inner.Dispose();
}
