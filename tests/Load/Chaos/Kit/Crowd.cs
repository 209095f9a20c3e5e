using System.Net;

namespace Ioxide.Chaos;

/// <summary>Every kind of client at once: idle, dripping, never reading, waiting for a slow answer, busy.</summary>
internal sealed class Crowd : IAsyncDisposable
{
    private const int BusyClients = 16;
    private const int NeverMs = 600_000;

    private static readonly int s_eachKind = ChaosScale.AbusivePeers / 5;

    private readonly List<Peer> _peers = [];
    private readonly Customers _customers;

    private Crowd(Customers customers) => _customers = customers;

    /// <summary>Busy clients' wrong bytes. That they lose requests at the end is as it should be.</summary>
    internal IEnumerable<string> WrongAnswers => _customers.WrongAnswers;

    internal int Connections => _peers.Count;

    internal int Answered => _customers.Answered;

    /// <summary>Connects all of them and returns when each has had its part.</summary>
    /// <param name="endPoint">Where they go.</param>
    /// <param name="seed">Of the run.</param>
    /// <param name="slowPaths">Paths, up to the key, of answers that take longer than the test.</param>
    internal static async Task<Crowd> GatherAsync(IPEndPoint endPoint, int seed, params string[] slowPaths)
    {
        var crowd = new Crowd(Customers.Start(endPoint, BusyClients, seed));
        await Task.Run(() =>
        {
            for (int index = 0; index < s_eachKind; index++)
            {
                long key = Seed.KeyOf(seed, index);
                crowd.Add(endPoint).Ask(key, 100);
                crowd.Add(endPoint).Send("GET /pattern?key=1&le");
                crowd.Add(endPoint, receiveBufferBytes: 4096).SendPattern(key, ChaosScale.UnreadBytes, path: "/blank?");
                crowd.Add(endPoint).SendPattern(key, 100, path: $"{slowPaths[index % slowPaths.Length]}?ms={NeverMs}&");
            }
        });
        return crowd;
    }

    public async ValueTask DisposeAsync()
    {
        await _customers.StopAsync();
        _peers.ForEach(peer => peer.Dispose());
    }

    private Peer Add(IPEndPoint endPoint, int receiveBufferBytes = 0)
    {
        _peers.Add(Peer.Connect(endPoint, receiveBufferBytes));
        return _peers[^1];
    }
}
