using System.Diagnostics;
using System.Net;

namespace Ioxide.Chaos;

/// <summary>Connections that come and go, each the way that a seed draws for it, each with bytes of its own.</summary>
/// <param name="endPoints">Where they go, in turn.</param>
/// <param name="seed">Of the run. A connection's way follows from it and from its number alone.</param>
/// <param name="answersAfterFin">Whether the server answers a request whose client has sent FIN. Kestrel aborts it.</param>
internal sealed class Churn(IReadOnlyList<IPEndPoint> endPoints, int seed, bool answersAfterFin)
{
    private const int Threads = 24;
    private const int AbandonedBytes = 512 * 1024;
    private const int MostReadBytes = 64 * 1024;

    private static readonly int[] s_lengths = [0, 1, 100, 4095, 4096, 4097, 12_000, 30_000];
    private static readonly ChurnKind[] s_kinds = Enum.GetValues<ChurnKind>();

    private readonly int[] _counts = new int[s_kinds.Length];
    private int _cut;

    /// <summary>Makes so many connections and prints how many went which way.</summary>
    internal async Task RunAsync(int connections)
    {
        long started = Stopwatch.GetTimestamp();
        await Crew.ForEachAsync(connections, Threads, Connect).Within(TimeSpan.FromMinutes(4), "the churn has ended");
        double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        Figures.Print($"{connections} connections in {seconds:F1} s, {connections / seconds:F0}/s, 0 foreign bytes");
        Figures.Print(string.Join(", ", s_kinds.Select(kind => $"{kind} {_counts[(int)kind]}")) + $", cut after FIN {_cut}");
        Assert.All(_counts, count => Assert.True(count > 0));
    }

    private void Connect(int index)
    {
        var random = new Random(HashCode.Combine(seed, index));
        ChurnKind kind = s_kinds[random.Next(s_kinds.Length)];
        ulong key = Seed.KeyOf(seed, index);
        try
        {
            using Peer peer = Peer.Connect(endPoints[index % endPoints.Count]);
            Play(peer, kind, key, random);
            Interlocked.Increment(ref _counts[(int)kind]);
        }
        catch (Exception exception)
        {
            throw new InvalidOperationException($"connection {index} of seed {seed}, {kind}", exception);
        }
    }

    private void Play(Peer peer, ChurnKind kind, ulong key, Random random)
    {
        switch (kind)
        {
            case ChurnKind.Close:
                for (int requests = random.Next(1, 4); requests > 0; requests--)
                {
                    peer.ReadReply(key, SendAny(peer, key, random));
                }

                break;
            case ChurnKind.ServerCloses:
                peer.ReadReply(key, SendAny(peer, key, random, "Connection: close\r\n"));
                peer.ExpectEnd();
                break;
            case ChurnKind.CloseWithoutRequest:
                break;
            case ChurnKind.ResetWithoutRequest:
                peer.Reset();
                break;
            case ChurnKind.ResetAfterRequest:
                SendAny(peer, key, random);
                peer.Reset();
                break;
            case ChurnKind.HalfClose:
                HalfClose(peer, key, random);
                break;
            case ChurnKind.Abandon:
                peer.SendPattern(key, AbandonedBytes);
                peer.ReadReply(key, AbandonedBytes, enoughBytes: random.Next(1, MostReadBytes));
                if (random.Next(2) == 0)
                {
                    peer.Reset();
                }

                break;
            default:
                throw new UnreachableException();
        }
    }

    private void HalfClose(Peer peer, ulong key, Random random)
    {
        int lengthBytes = SendAny(peer, key, random);
        if (answersAfterFin)
        {
            peer.Finish();
            peer.ReadReply(key, lengthBytes);
            peer.ExpectEnd();
        }
        else if (random.Next(2) == 0)
        {
            peer.ReadReply(key, lengthBytes);
            peer.Finish();
            peer.ExpectEnd();
        }
        else
        {
            peer.Finish();
            if (peer.TryReadReply(key, lengthBytes))
            {
                peer.ExpectEnd();
            }
            else
            {
                Interlocked.Increment(ref _cut);
            }
        }
    }

    private static int SendAny(Peer peer, ulong key, Random random, string headers = "")
    {
        int lengthBytes = s_lengths[random.Next(s_lengths.Length)];
        if (random.Next(2) == 0)
        {
            peer.SendPattern(key, lengthBytes, headers);
        }
        else
        {
            peer.SendEcho(key, lengthBytes, headers);
        }

        return lengthBytes;
    }
}
