using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.Chaos;

/// <summary>
/// Clients that ask one request after the other, each on a thread of its own, until they are told to stop. Steady ones keep their connection,
/// and whatever ends it is a failure. The others stay whatever happens to the server: they connect again when told that a connection closes,
/// when one ended between two requests, and when nobody listened. Half of them make a connection for each request.
/// </summary>
internal sealed class Customers
{
    private const int MostBytes = 6_000;

    private readonly ConcurrentQueue<string> _failures = new();
    private readonly ConcurrentDictionary<string, int> _answeredBy = new();
    private readonly Latencies _latencies = new();
    private readonly IReadOnlyList<EndPoint> _endPoints;
    private readonly bool _areSteady;
    private readonly int _seed;
    private readonly Task _running;
    private int _waiting;
    private int _answered;
    private int _refused;
    private int _endedIdle;
    private int _endedUnanswered;
    private volatile bool _isOver;

    private Customers(IReadOnlyList<EndPoint> endPoints, bool areSteady, int count, int seed)
    {
        _endPoints = endPoints;
        _areSteady = areSteady;
        _seed = seed;
        _running = Crew.RunAsync(count, Run);
    }

    /// <summary>Requests that are on their way now.</summary>
    internal int Waiting => Volatile.Read(ref _waiting);

    /// <summary>Requests answered, each byte right.</summary>
    internal int Answered => Volatile.Read(ref _answered);

    /// <summary>Requests that an instance behind a balancer answered.</summary>
    internal int AnsweredBy(string instance) => _answeredBy.GetValueOrDefault(instance);

    /// <summary>Connections that were refused or reset before a byte was sent; tried again.</summary>
    internal int Refused => Volatile.Read(ref _refused);

    /// <summary>Connections that the server ended after an answer, seen before the next request was sent.</summary>
    internal int EndedIdle => Volatile.Read(ref _endedIdle);

    /// <summary>
    /// Connections with answers before that ended without a byte of an answer when a request was sent: the request crossed the
    /// server's end of an idle connection. HTTP lets a client repeat it; here it is counted and tried again.
    /// </summary>
    internal int EndedUnanswered => Volatile.Read(ref _endedUnanswered);

    /// <summary>Requests that were lost any other way, and wrong bytes.</summary>
    internal IReadOnlyCollection<string> Failures => _failures;

    /// <summary>Those failures that are wrong bytes: never allowed, whatever happens to the server.</summary>
    internal IEnumerable<string> WrongAnswers => _failures.Where(failure => failure.Contains(nameof(InvalidDataException), StringComparison.Ordinal));

    internal static Customers Start(EndPoint endPoint, int count, int seed) => new([endPoint], areSteady: false, count, seed);

    internal static Customers StartSteady(IReadOnlyList<EndPoint> endPoints, int count, int seed) => new(endPoints, areSteady: true, count, seed);

    /// <summary>Steady ones for a while.</summary>
    internal static async Task<LoadResult> RunAsync(IReadOnlyList<EndPoint> endPoints, int count, int seed, TimeSpan time)
    {
        Customers customers = StartSteady(endPoints, count, seed);
        await Task.Delay(time);
        return await customers.StopAsync();
    }

    /// <summary>Lets each end its request.</summary>
    internal async Task<LoadResult> StopAsync()
    {
        _isOver = true;
        await _running.Within(TimeSpan.FromMilliseconds(2 * Peer.PatienceMs), "the customers have left");
        (int requests, double[] ms) = _latencies.Take(0.5, 0.99, 1);
        return new LoadResult(requests, _failures, ms[0], ms[1], ms[2]);
    }

    private void Run(int index)
    {
        const int CustomerIndexes = 1 << 21;
        var random = new Random(_seed + index);
        long key = Seed.KeyOf(_seed, CustomerIndexes + index);
        do
        {
            using Peer? peer = TryConnect(_endPoints[index % _endPoints.Count]);
            if (peer is null)
            {
                Thread.Sleep(1);
            }
            else
            {
                Use(peer, key, random, keepsAlive: _areSteady || index % 2 == 0);
            }
        }
        while (!_isOver && !_areSteady);
    }

    private Peer? TryConnect(EndPoint endPoint)
    {
        try
        {
            return Peer.Connect(endPoint);
        }
        catch (SocketException exception) when (!_areSteady && Peer.IsEnd(exception))
        {
            Interlocked.Increment(ref _refused);
            return null;
        }
    }

    private void Use(Peer peer, long key, Random random, bool keepsAlive)
    {
        int answers = 0;
        try
        {
            while (!_isOver)
            {
                if (!_areSteady && answers > 0 && peer.HasInput)
                {
                    Interlocked.Increment(ref _endedIdle);
                    return;
                }

                long started = Stopwatch.GetTimestamp();
                Interlocked.Increment(ref _waiting);
                Reply reply = peer.Ask(key, random.Next(MostBytes), keepsAlive ? "" : "Connection: close\r\n");
                Interlocked.Decrement(ref _waiting);
                _latencies.AddSince(started);
                answers++;
                Interlocked.Increment(ref _answered);
                _answeredBy.AddOrUpdate(reply.Instance, 1, static (_, count) => count + 1);
                if (!keepsAlive || reply.ClosesConnection)
                {
                    return;
                }
            }
        }
        catch (Exception exception) when (!_areSteady && answers > 0 && peer.ReplyBytes == 0 && Peer.IsEnd(exception))
        {
            // It met the end of an idle connection.
            Interlocked.Increment(ref _endedUnanswered);
        }
        catch (Exception exception)
        {
            // The test that stops the customers decides.
            string instance = peer.ReplyBytes > 0 ? peer.LastReply.Instance : "";
            _failures.Enqueue($"after {answers} answers and {peer.ReplyBytes} bytes of the next from instance '{instance}': {exception}");
        }
    }
}
