using System.Net;

namespace Ioxide.Chaos;

/// <summary>Requests that are in flight on known instances: some with half of their answer, some without a byte of it.</summary>
internal sealed class HeldRequests(IPEndPoint endPoint, int seed) : IDisposable
{
    private const int LengthBytes = 2_000;

    private readonly List<Peer> _begun = [];
    private readonly List<Peer> _silent = [];

    /// <summary>Answers that the kill cut.</summary>
    internal int Cut { get; private set; }

    /// <summary>Answers that came whole.</summary>
    internal int Answered { get; private set; }

    /// <summary>Asks until each instance holds so many of each kind.</summary>
    internal async Task HoldAsync(ServerProcess one, ServerProcess two, int least, int most)
    {
        while (_begun.Count < most
            && (CountOf(Balancer.First) < least
                || CountOf(Balancer.Second) < least
                || BalancerTests.SilentOn(one) < least
                || BalancerTests.SilentOn(two) < least))
        {
            // Two and two: an idle balancer takes turns.
            for (int count = 0; count < 2; count++)
            {
                Peer begun = Add(_begun);
                begun.SendPattern(KeyOf(_begun.Count), LengthBytes, path: "/hold?");
                begun.ReadPart(KeyOf(_begun.Count), LengthBytes, LengthBytes / 2);
            }

            for (int count = 0; count < 2; count++)
            {
                Add(_silent).Send("POST /held HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
            }

            await Waits.Eventually(
                () => BalancerTests.SilentOn(one) + BalancerTests.SilentOn(two) == _silent.Count, 60.Seconds(), "an instance has it");
        }

        Assert.InRange(_begun.Count, 1, most - 1);
    }

    /// <summary>Those on the killed instance end, the others go on when released.</summary>
    /// <returns>How many of those without a byte of an answer were on the killed one, and how many were not.</returns>
    internal (int Killed, int Others) ExpectKilled(string killed, Action release)
    {
        release();
        for (int index = 0; index < _begun.Count; index++)
        {
            Peer peer = _begun[index];
            Action readRest = () => peer.ReadBytes(KeyOf(index + 1), LengthBytes / 2, LengthBytes / 2);
            if (peer.LastReply.Instance == killed)
            {
                Assert.True(Peer.IsEnd(Assert.ThrowsAny<Exception>(readRest)));
                Cut++;
            }
            else
            {
                readRest();
                Answered++;
            }
        }

        int lost = 0;
        foreach (Peer peer in _silent)
        {
            Reply reply = peer.ReadAnyHead();
            bool isLost = reply.Instance == killed;
            Assert.Equal(isLost ? 502 : 200, reply.Status);
            lost += isLost ? 1 : 0;
        }

        Cut += lost;
        Answered += _silent.Count - lost;
        return (lost, _silent.Count - lost);
    }

    public void Dispose()
    {
        _begun.ForEach(static peer => peer.Dispose());
        _silent.ForEach(static peer => peer.Dispose());
    }

    private long KeyOf(int index) => Seed.KeyOf(seed, index);

    private int CountOf(string instance) => _begun.Count(peer => peer.LastReply.Instance == instance);

    private Peer Add(List<Peer> peers)
    {
        peers.Add(Peer.Connect(endPoint));
        return peers[^1];
    }
}
