using Ioxide.Files;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Adds the front door, which answers requests for files before the server parses them.</summary>
public static class IoxideFilesListenOptionsExtensions
{
    /// <summary>
    /// Answers plain HTTP/1.1 requests for files in memory on the connection's reactor, in order with all other requests. Those go to the server
    /// unchanged and take the pipeline.
    /// </summary>
    /// <param name="listenOptions">The end point. Call this after <c>UseHttps</c> where that is used.</param>
    /// <param name="bypassMiddleware">
    /// Must be true. It confirms that no middleware of this application needs to see plain requests for its files. Middleware that
    /// authenticates, rewrites, redirects, refuses, limits, compresses, logs or adds headers runs for other requests only.
    /// </param>
    /// <remarks>
    /// <para>The application's own routing decides which files are answered here: those for which it selects the folder's end point whatever the
    /// other headers of a request are. An end point with metadata or filters is left to the pipeline. The door is closed where the container
    /// has a fallback authorization policy, <c>AllowedHosts</c> other than <c>*</c>, a global rate limiter, a default CORS policy or, for
    /// cleartext, <c>AddHttpsRedirection</c>. A warning says why and what to do. Other middleware cannot be detected.</para>
    /// <para>The duration of requests is measured. The log category <c>Ioxide.Files.Access</c> has one line per request at level Debug.</para>
    /// </remarks>
    /// <exception cref="ArgumentException"><paramref name="bypassMiddleware"/> is false.</exception>
    /// <exception cref="InvalidOperationException"><c>AddIoxideFiles</c> was not called.</exception>
    public static ListenOptions UseIoxideFiles(this ListenOptions listenOptions, bool bypassMiddleware)
    {
        ArgumentNullException.ThrowIfNull(listenOptions);
        if (!bypassMiddleware)
        {
            throw new ArgumentException(
                "UseIoxideFiles serves files before any middleware runs. Pass bypassMiddleware: true if no middleware needs to see these requests. " +
                "Otherwise remove the call: MapIoxideFiles serves the files through the pipeline.",
                nameof(bypassMiddleware));
        }

        FileSites sites = listenOptions.ApplicationServices.GetService<FileSites>()
            ?? throw new InvalidOperationException("Call builder.Services.AddIoxideFiles() before UseIoxideFiles.");
        listenOptions.ApplicationServices.GetRequiredService<FrontDoorKeeper>().Want();
        var server = new FrontDoorServer(listenOptions.KestrelServerOptions);
        listenOptions.Use(next =>
        {
            if (FrontDoorServer.ObstacleOf(listenOptions) is not { } obstacle)
            {
                return connection => ServeAsync(next, connection, sites, server);
            }

            FilesLog.EndPointWithoutDoor(sites.Logger, listenOptions, obstacle);
            return next;
        });
        return listenOptions;
    }

    private static async Task ServeAsync(ConnectionDelegate next, ConnectionContext connection, FileSites sites, FrontDoorServer server)
    {
        IDuplexPipe transport = connection.Transport;
        var responder = new FrontDoorResponder(sites, connection, server);
        connection.Transport = new FrontDoorPipe(new FrontDoorReader(connection, responder, server), transport.Output);
        try
        {
            await next(connection).ConfigureAwait(false);
        }
        finally
        {
            connection.Transport = transport;
        }
    }
}
