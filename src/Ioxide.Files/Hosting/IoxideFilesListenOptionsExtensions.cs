using Ioxide.Files;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Answers requests for files before the server parses them.</summary>
public static class IoxideFilesListenOptionsExtensions
{
    /// <summary>
    /// Plain HTTP/1.1 requests for files of the mapped folders that lie in memory are answered on the connection's reactor, in order
    /// with everything else; all other requests go to the server untouched, and take the pipeline.
    /// </summary>
    /// <param name="listenOptions">The end point of the server. Call it after <c>UseHttps</c> where there is one.</param>
    /// <param name="bypassMiddleware">
    /// Must be true, and means: no middleware of this application has a say in plain requests for its files. What authenticates, rewrites,
    /// redirects, refuses, limits, compresses, logs or adds fields runs for the other requests only.
    /// </param>
    /// <remarks>
    /// <para>The application's own routing decides which files are answered here: those for which it chooses the folder's end point,
    /// whatever else a request says. An end point with metadata or filters is left to the pipeline. The door is shut where the
    /// container shows a fallback authorization policy, <c>AllowedHosts</c> other than <c>*</c>, a global rate limiter, a default CORS
    /// policy or, for cleartext, <c>AddHttpsRedirection</c>. A warning tells why and what to do. No other middleware can be known.</para>
    /// <para>The duration of requests is measured, and the log category <c>Ioxide.Files.Access</c> has a line per request at level
    /// Debug.</para>
    /// </remarks>
    /// <exception cref="ArgumentException"><paramref name="bypassMiddleware"/> is false.</exception>
    /// <exception cref="InvalidOperationException"><c>AddIoxideFiles</c> was not called.</exception>
    public static ListenOptions UseIoxideFiles(this ListenOptions listenOptions, bool bypassMiddleware)
    {
        ArgumentNullException.ThrowIfNull(listenOptions);
        if (!bypassMiddleware)
        {
            throw new ArgumentException(
                "UseIoxideFiles answers files before any middleware. Pass bypassMiddleware: true if none has a say in them; else leave the call " +
                "out: MapIoxideFiles serves them through the pipeline.",
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
