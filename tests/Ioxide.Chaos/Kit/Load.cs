using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;

namespace Ioxide.Chaos;

/// <summary>Connections that ask one request after the other, each on a thread of its own, until they are told to stop.</summary>
internal sealed class Load
{
    private const int MostBytes = 6_000;

    private readonly ConcurrentQueue<string> _failures = new();
    private readonly IReadOnlyList<IPEndPoint> _endPoints;
    private readonly List<long>[] _ticks;
    private readonly int _seed;
    private readonly Task _running;
    private int _waiting;
    private int _answered;
    private volatile bool _isOver;

    private Load(IReadOnlyList<IPEndPoint> endPoints, int connections, int seed)
    {
        _endPoints = endPoints;
        _seed = seed;
        _ticks = [.. Enumerable.Range(0, connections).Select(_ => new List<long>())];
        _running = Crew.RunAsync(connections, Run);
    }

    /// <summary>Requests that are on their way now.</summary>
    internal int Waiting => Volatile.Read(ref _waiting);

    /// <summary>Requests answered so far.</summary>
    internal int Answered => Volatile.Read(ref _answered);

    internal static Load Start(IReadOnlyList<IPEndPoint> endPoints, int connections, int seed)
        => new(endPoints, connections, seed);

    /// <summary>Load for a while.</summary>
    internal static async Task<LoadResult> RunAsync(
        IReadOnlyList<IPEndPoint> endPoints, int connections, int seed, TimeSpan time)
    {
        Load load = Start(endPoints, connections, seed);
        await Task.Delay(time);
        return await load.StopAsync();
    }

    /// <summary>Lets each connection end its request.</summary>
    internal async Task<LoadResult> StopAsync()
    {
        _isOver = true;
        await _running.Within(TimeSpan.FromMilliseconds(2 * Peer.PatienceMs), "the load has ended");
        long[] ticks = [.. _ticks.SelectMany(list => list).Order()];
        return new LoadResult(ticks.Length, _failures, At(0.5), At(0.99), At(1));

        double At(double share)
            => ticks.Length == 0 ? 0 : ticks[(int)(share * (ticks.Length - 1))] * 1000.0 / Stopwatch.Frequency;
    }

    private void Run(int index)
    {
        const int LoadIndexes = 1 << 20;
        var random = new Random(_seed + index);
        ulong key = Seed.KeyOf(_seed, LoadIndexes + index);
        try
        {
            using Peer peer = Peer.Connect(_endPoints[index % _endPoints.Count]);
            while (!_isOver)
            {
                long started = Stopwatch.GetTimestamp();
                Interlocked.Increment(ref _waiting);
                peer.Ask(key, random.Next(MostBytes));
                Interlocked.Decrement(ref _waiting);
                Interlocked.Increment(ref _answered);
                _ticks[index].Add(Stopwatch.GetTimestamp() - started);
            }
        }
        catch (Exception exception)
        {
            // The test that stops the load gets it.
            _failures.Enqueue(exception.ToString());
        }
    }
}
