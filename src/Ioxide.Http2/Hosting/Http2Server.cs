using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Ioxide.Http2;

/// <summary>
/// Wraps the server: gives the engine the application that it is started with, and puts it behind each endpoint's other middleware.
/// </summary>
internal sealed class Http2Server(IServer inner, IServiceProvider services) : IServer
{
    public IFeatureCollection Features => inner.Features;

    public Task StartAsync<TContext>(IHttpApplication<TContext> application, CancellationToken cancellationToken)
        where TContext : notnull
    {
        Http2Applications applications = services.GetRequiredService<Http2Applications>();
        applications.Current = new Http2Application.Of<TContext>(application);
        try
        {
            services.GetRequiredService<KestrelEndPoints>().ForEach(
                services.GetRequiredService<IOptions<KestrelServerOptions>>().Value, listen => Http2EndPoint.Settle(listen, applications.ServesAll));
        }
        catch (MissingMemberException exception)
        {
            Http2Log.KestrelUnknown(
                services.GetRequiredService<ILoggerFactory>().CreateLogger(Http2Log.Category),
                typeof(KestrelServerOptions).Assembly.GetName().Version, exception);
        }

        return inner.StartAsync(application, cancellationToken);
    }

    public Task StopAsync(CancellationToken cancellationToken) => inner.StopAsync(cancellationToken);

    public void Dispose() => inner.Dispose();

    /// <summary>Refuses a host whose server is Kestrel without the wrapper: no endpoint would be served by the engine.</summary>
    internal sealed class Check(IServer server) : IStartupFilter
    {
        public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next)
            => server.GetType().Assembly != typeof(KestrelServerOptions).Assembly
                ? next
                : throw new InvalidOperationException(
                    "UseKestrel was called after UseIoxideHttp2 and has replaced the server. Call UseIoxideHttp2 after it, or "
                        + "ConfigureKestrel in its place.");
    }
}
