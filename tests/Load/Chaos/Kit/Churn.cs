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

    private static readonly VisitKind[] s_kinds = Enum.GetValues<VisitKind>();

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
        VisitKind kind = s_kinds[random.Next(s_kinds.Length)];
        long key = Seed.KeyOf(seed, index);
        try
        {
            using Peer peer = Peer.Connect(endPoints[index % endPoints.Count]);
            if (!Visit.Play(peer, kind, key, random, answersAfterFin))
            {
                Interlocked.Increment(ref _cut);
            }

            Interlocked.Increment(ref _counts[(int)kind]);
        }
        catch (Exception exception)
        {
            throw new InvalidOperationException($"connection {index} of seed {seed}, {kind}", exception);
        }
    }
}
