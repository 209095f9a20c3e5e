using System.Collections.Concurrent;
using System.Diagnostics;

namespace Ioxide.Soak;

/// <summary>What all workers together have seen.</summary>
internal sealed class Counters
{
    private const int MaxPrinted = 40;

    private readonly ConcurrentDictionary<string, (long Count, long LastAt)> _byLoad = new();
    private long _requests;
    private long _wrong;
    private long _errors;
    private long _hung;
    private long _turnedAway;
    private int _printed;

    /// <summary>Answers that came whole.</summary>
    internal long Requests => Interlocked.Read(ref _requests);

    /// <summary>Answers with bytes that were not theirs.</summary>
    internal long Wrong => Interlocked.Read(ref _wrong);

    /// <summary>Connections that ended though nobody had asked for it.</summary>
    internal long Errors => Interlocked.Read(ref _errors);

    internal long Hung => Interlocked.Read(ref _hung);

    /// <summary>Connections that a restart refused or closed before it answered anything.</summary>
    internal long TurnedAway => Interlocked.Read(ref _turnedAway);

    /// <summary>Answers that came whole, by load.</summary>
    internal IEnumerable<(string Load, long Count)> ByLoad
        => _byLoad.OrderBy(load => load.Key, StringComparer.Ordinal).Select(static load => (load.Key, load.Value.Count));

    /// <summary>Of small requests.</summary>
    internal Latencies Latencies { get; } = new();

    /// <summary>Of requests to the site of all packages, with their bodies.</summary>
    internal Latencies PackageLatencies { get; } = new();

    internal void AddAnswer(string load)
    {
        Interlocked.Increment(ref _requests);
        long now = Stopwatch.GetTimestamp();
        _byLoad.AddOrUpdate(load, static (_, now) => (1, now), static (_, seen, now) => (seen.Count + 1, now), now);
    }

    /// <summary>Whether the load has had an answer since then.</summary>
    /// <param name="load">Its name.</param>
    /// <param name="timestamp">Of <see cref="Stopwatch"/>.</param>
    internal bool HasAnswerSince(string load, long timestamp) => _byLoad.TryGetValue(load, out (long Count, long LastAt) seen) && seen.LastAt >= timestamp;

    /// <summary>What ended somebody's work.</summary>
    internal void Add(string where, Exception exception)
    {
        if (exception is InvalidDataException)
        {
            Interlocked.Increment(ref _wrong);
            Print($"wrong: {where}: {exception.Message}");
        }
        else if (Peer.IsHang(exception) || exception is OperationCanceledException)
        {
            AddHung(where);
        }
        else
        {
            Interlocked.Increment(ref _errors);
            Print($"error: {where}: {exception.GetType().Name}: {exception.Message}");
        }
    }

    internal void AddHung(string where)
    {
        Interlocked.Increment(ref _hung);
        Print($"hung: {where}");
    }

    internal void AddTurnedAway() => Interlocked.Increment(ref _turnedAway);

    private void Print(string text)
    {
        if (Interlocked.Increment(ref _printed) <= MaxPrinted)
        {
            Console.WriteLine(text);
        }
    }
}
