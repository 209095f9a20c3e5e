using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.LoadKit;

/// <summary>Peers that send a head byte for byte, to hold what a server has few of. Its limit of time for a head ends them.</summary>
internal static class Drip
{
    private const int LookMs = 100;

    /// <summary>Drips until every connection is closed or the limit is over. Blocks.</summary>
    /// <returns>For each closed one, the time from its first byte.</returns>
    internal static List<TimeSpan> Run(EndPoint endPoint, int count, TimeSpan betweenBytes, TimeSpan limit)
    {
        string head = $"GET /pattern?key=1&length=1 HTTP/1.1\r\nHost: localhost\r\nX-Slow: {new string('x', 1000)}";
        int looksPerByte = (int)(betweenBytes.TotalMilliseconds / LookMs);
        int looks = (int)(limit.TotalMilliseconds / LookMs);
        var open = new List<(Peer Peer, long Started)>();
        var closedAfter = new List<TimeSpan>();
        try
        {
            for (int index = 0; index < count; index++)
            {
                open.Add((Peer.Connect(endPoint), Stopwatch.GetTimestamp()));
                open[index].Peer.Send(head[..1]);
            }

            for (int look = 1; open.Count > 0 && look < looks; look++)
            {
                Thread.Sleep(LookMs);
                string next = look % looksPerByte == 0 ? head.Substring(look / looksPerByte, 1) : "";
                foreach ((Peer peer, long started) in open.Where(each => IsClosed(each.Peer, next)).ToArray())
                {
                    closedAfter.Add(Stopwatch.GetElapsedTime(started));
                    open.Remove((peer, started));
                    peer.Dispose();
                }
            }
        }
        finally
        {
            open.ForEach(static each => each.Peer.Dispose());
        }

        return closedAfter;
    }

    private static bool IsClosed(Peer peer, string next)
    {
        try
        {
            peer.Send(next);
        }
        catch (SocketException exception) when (Peer.IsEnd(exception))
        {
            return true;
        }

        return peer.DropToEnd();
    }
}
