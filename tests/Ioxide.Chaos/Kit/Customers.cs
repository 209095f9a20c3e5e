using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.Chaos;

/// <summary>
/// Clients that stay whatever happens to the server: they connect again when told that a connection closes, when one ended
/// between two requests, and when nobody listened. Half of them make a connection for each request.
/// </summary>
internal sealed class Customers
{
    private const int MostBytes = 6_000;

    private readonly ConcurrentQueue<string> _failures = new();
    private readonly ConcurrentDictionary<string, int> _answeredBy = new();
    private readonly EndPoint _endPoint;
    private readonly int _seed;
    private readonly Task _running;
    private int _answered;
    private int _refused;
    private int _endedIdle;
    private int _endedUnanswered;
    private volatile bool _isOver;

    private Customers(EndPoint endPoint, int count, int seed)
    {
        _endPoint = endPoint;
        _seed = seed;
        _running = Crew.RunAsync(count, Run);
    }

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
    internal IEnumerable<string> WrongAnswers
        => _failures.Where(failure => failure.Contains(nameof(InvalidDataException), StringComparison.Ordinal));

    internal static Customers Start(EndPoint endPoint, int count, int seed) => new(endPoint, count, seed);

    internal async Task StopAsync()
    {
        _isOver = true;
        await _running.Within(TimeSpan.FromMilliseconds(2 * Peer.PatienceMs), "the customers have left");
    }

    private void Run(int index)
    {
        const int CustomerIndexes = 1 << 21;
        var random = new Random(_seed + index);
        ulong key = Seed.KeyOf(_seed, CustomerIndexes + index);
        bool keepsAlive = index % 2 == 0;
        while (!_isOver)
        {
            Peer? peer = TryConnect();
            if (peer is null)
            {
                Thread.Sleep(1);
                continue;
            }

            using (peer)
            {
                Use(peer, key, random, keepsAlive);
            }
        }
    }

    private Peer? TryConnect()
    {
        try
        {
            return Peer.Connect(_endPoint);
        }
        catch (SocketException exception) when (Peer.IsEnd(exception))
        {
            Interlocked.Increment(ref _refused);
            return null;
        }
    }

    private void Use(Peer peer, ulong key, Random random, bool keepsAlive)
    {
        int answers = 0;
        try
        {
            while (!_isOver)
            {
                if (answers > 0 && peer.HasInput)
                {
                    Interlocked.Increment(ref _endedIdle);
                    return;
                }

                Reply reply = peer.Ask(key, random.Next(MostBytes), keepsAlive ? "" : "Connection: close\r\n");
                answers++;
                Interlocked.Increment(ref _answered);
                _answeredBy.AddOrUpdate(reply.Instance, 1, static (_, count) => count + 1);
                if (!keepsAlive || reply.ClosesConnection)
                {
                    return;
                }
            }
        }
        catch (Exception exception) when (answers > 0 && peer.ReplyBytes == 0 && Peer.IsEnd(exception))
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
