namespace Ioxide.LoadKit;

/// <summary>Clients that have asked and may have to wait until others leave.</summary>
internal static class Waiting
{
    /// <summary>Whoever is served leaves at once, so that there is room for another. Blocks.</summary>
    /// <returns>Whether everybody was served within the limit; who was leaves the list.</returns>
    internal static bool Serve(List<(Peer Peer, long Key)> clients, int replyBytes, TimeSpan limit)
    {
        long started = Environment.TickCount64;
        while (clients.Count > 0 && Environment.TickCount64 - started < limit.TotalMilliseconds)
        {
            foreach ((Peer peer, long key) in clients.Where(static client => client.Peer.HasInput).ToArray())
            {
                peer.ReadReply(key, replyBytes);
                peer.Dispose();
                clients.Remove((peer, key));
            }

            Thread.Sleep(1);
        }

        return clients.Count == 0;
    }
}
