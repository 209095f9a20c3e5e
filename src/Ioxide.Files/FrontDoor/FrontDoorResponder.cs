using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Files;

/// <summary>Answers plain requests for files in memory, on one connection.</summary>
internal sealed class FrontDoorResponder(FileSites sites, ConnectionContext connection, FrontDoorServer server)
{
    private readonly PipeWriter _output = connection.Transport.Output;

    // The server derives the scheme in the same way.
    private readonly bool _isTls = connection.Features.Get<ITlsConnectionFeature>() is not null;

    /// <summary>Writes the answer, unflushed.</summary>
    /// <param name="head">A plain head.</param>
    /// <param name="answerBytes">Bytes of the answer.</param>
    /// <returns>False: nothing was written, the request is the server's.</returns>
    internal bool TryAnswer(in RequestHead head, out long answerBytes)
    {
        answerBytes = 0;
        FrontDoorPlan plan = sites.FrontDoor;
        foreach (FrontDoorRoute route in plan.Routes)
        {
            if (route.TryTakePrefix(head.Path, out ReadOnlySpan<byte> path))
            {
                return route.Find(path) is { } entry && plan.IsOpenTo(_isTls) && TryAnswer(head, route, entry, out answerBytes);
            }
        }

        return false;
    }

    private bool TryAnswer(in RequestHead head, FrontDoorRoute route, FileEntry entry, out long answerBytes)
    {
        long started = sites.Metrics.Start();
        FileSite site = route.Site;
        FileDecision decision = FileDecision.Make(head.Request, entry, site.Options.MaxRanges);
        ReadOnlySpan<byte> serverLine = server.ServerLineBeside(site.Options.Headers);
        (int status, int headBytes, long bodyBytes) = FrontDoorWriter.TryWrite(_output, site, head.Request, decision, serverLine);
        answerBytes = headBytes + bodyBytes;
        if (status == 0)
        {
            return false;
        }

        site.Counters.CountHit(status == 304);
        site.Counters.CountAtFrontDoor();
        sites.Metrics.Stop(started, head.Request.IsHead, status, route.Prefix);
        if (sites.AccessLogger.IsEnabled(LogLevel.Debug))
        {
            FilesLog.Served(
                sites.AccessLogger, head.Request.IsHead ? "HEAD" : "GET", Encoding.ASCII.GetString(head.Path), status, bodyBytes,
                connection.ConnectionId);
        }

        return true;
    }
}
