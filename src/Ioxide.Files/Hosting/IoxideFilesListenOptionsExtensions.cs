using System.IO.Pipelines;
using Ioxide.Files;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Answers requests for files before the server parses them.</summary>
public static class IoxideFilesListenOptionsExtensions
{
    /// <summary>
    /// Plain HTTP/1.1 requests for files of the mapped folders that lie in memory are answered on the connection's reactor, in order
    /// with everything else; all other requests go to the server untouched, and take the pipeline.
    /// </summary>
    /// <remarks>
    /// No middleware sees what is answered here: authorization, host filtering, HSTS, CORS, rate limits, response headers that a
    /// middleware adds. A folder whose endpoint has metadata of that kind is left to the pipeline. The duration of requests is
    /// measured and the log category <c>Ioxide.Files.Access</c> has a line a request at level Debug. Call it after
    /// <c>UseHttps</c> where there is one.
    /// </remarks>
    /// <exception cref="InvalidOperationException"><c>AddIoxideFiles</c> was not called.</exception>
    public static ListenOptions UseIoxideFiles(this ListenOptions listenOptions)
    {
        ArgumentNullException.ThrowIfNull(listenOptions);
        FileSites sites = listenOptions.ApplicationServices.GetService<FileSites>()
            ?? throw new InvalidOperationException("Call builder.Services.AddIoxideFiles() before UseIoxideFiles.");
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
