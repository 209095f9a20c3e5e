using System.Diagnostics;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Requests for endpoints of several kinds on two reactors, by seed and by a clock of its own; the shipped placements decide.</summary>
/// <remarks>
/// A turn runs all that its reactor has: requests of promoted endpoints, and what comes back behind an await. It is judged by its time, as
/// <see cref="TurnRecord"/> does. A run on the pool takes no time from others.
/// </remarks>
internal sealed class PlacementSimulation : TimeProvider, IDisposable
{
    private const int ReactorCount = 2;
    private const long StepUs = 500;
    private const int MaxTurnItems = 64;

    // Only the number of a reactor is asked for.
    private static readonly Reactor s_reactor = (Reactor)RuntimeHelpers.GetUninitializedObject(typeof(Reactor));

    private readonly Random _random;
    private readonly SimulatedMachine _machine;
    private readonly PlacementRegistry _registry;
    private readonly List<SimulatedEndpoint> _endpoints = [];
    private readonly Queue<(SimulatedEndpoint Endpoint, long[]? Left)>[] _ready;
    private readonly long[] _busyUntil = new long[ReactorCount];
    private readonly PriorityQueue<Action, long> _later = new();
    private long _nowUs = 1;

    internal PlacementSimulation(int seed, SimulatedMachine machine, params ReadOnlySpan<EndpointKind> kinds)
    {
        _random = new Random(seed);
        _machine = machine;
        _registry = new PlacementRegistry(Options.Create(new IoxideTransportOptions()), NullLoggerFactory.Instance, meterFactory: null, this);
        _ready = [.. Enumerable.Range(0, ReactorCount).Select(static _ => new Queue<(SimulatedEndpoint, long[]?)>())];
        foreach (EndpointKind kind in kinds)
        {
            Endpoint replacement = _registry.Replace(new RouteEndpoint(
                static _ => Task.CompletedTask, RoutePatternFactory.Parse("/"), 0, null, $"{kind} {_endpoints.Count}"));
            EndpointPlacement placement = _registry.Endpoints.Single(placement => ReferenceEquals(placement.Endpoint, replacement));
            _endpoints.Add(new SimulatedEndpoint(kind, placement, _random.Next(3) == 0 ? 0 : _random.NextDouble()));
        }
    }

    public override long TimestampFrequency => 1_000_000;

    internal IEnumerable<SimulatedEndpoint> Of(EndpointKind kind) => _endpoints.Where(endpoint => endpoint.Kind == kind);

    public override long GetTimestamp() => _nowUs;

    public void Dispose() => _registry.Dispose();

    /// <summary>Lets so much time pass, with so many requests per second.</summary>
    internal void Run(TimeSpan time, int requestsPerSecond)
    {
        long end = _nowUs + (long)time.TotalMicroseconds;
        double perStep = requestsPerSecond * StepUs / 1e6;
        for (; _nowUs < end; _nowUs += StepUs)
        {
            for (double due = perStep; due > 0 && _random.NextDouble() < due; due--)
            {
                _ready[_random.Next(ReactorCount)].Enqueue((_endpoints[_random.Next(_endpoints.Count)], null));
            }

            while (_later.TryPeek(out Action? action, out long at) && at <= _nowUs)
            {
                _later.Dequeue();
                action();
            }

            for (int reactor = 0; reactor < ReactorCount; reactor++)
            {
                if (_busyUntil[reactor] <= _nowUs && _ready[reactor].Count > 0)
                {
                    Turn(reactor);
                }
            }
        }
    }

    private void Turn(int reactor)
    {
        List<object> ran = [];
        int requests = 0;
        (long Lasted, long Held) turn = default;
        for (int items = Math.Min(_ready[reactor].Count, MaxTurnItems); items > 0; items--)
        {
            (SimulatedEndpoint endpoint, long[]? left) = _ready[reactor].Dequeue();
            bool isFirst = endpoint.Runs == 0;
            long[] stretches = left ?? endpoint.Begin(_random, _nowUs);
            if (left is null)
            {
                requests++;
                if (!endpoint.Placement.IsInline)
                {
                    RunOnPool(endpoint, stretches, isFirst);
                    continue;
                }

                if (ran.Count < TurnRecord.MaxPieces)
                {
                    ran.Add(endpoint.Placement);
                }
            }

            (long lasted, long held) = _machine.Time(_random, stretches[0], isFirst, isOnPool: false);
            turn = (turn.Lasted + lasted, turn.Held + held);
            if (stretches.Length > 1)
            {
                endpoint.Placement.NoteAsync();
                Queue<(SimulatedEndpoint, long[]?)> queue = _ready[reactor];
                _later.Enqueue(() => queue.Enqueue((endpoint, stretches[1..])), _nowUs + turn.Lasted + _random.Next(500, 20_000));
            }
        }

        _busyUntil[reactor] = _nowUs + turn.Lasted;
        TimeSpan duration = TimeSpan.FromMicroseconds(turn.Held);
        if (duration - (TimeSpan.FromMicroseconds(100) * Math.Max(0, requests - 1)) >= TurnRecord.SlowTurn)
        {
            object[] pieces = [.. ran];
            _later.Enqueue(() => _registry.TurnWasSlow(s_reactor, duration, pieces, requests > 0 ? _registry.Pipeline : null), _busyUntil[reactor]);
        }
    }

    private void RunOnPool(SimulatedEndpoint endpoint, long[] stretches, bool isFirst)
    {
        long at = _nowUs;
        long longest = 0;
        bool wasDisturbed = false;
        foreach (long work in stretches)
        {
            (long lasted, long held) = _machine.Time(_random, work, isFirst, isOnPool: true);
            isFirst = false;
            at += lasted;
            longest = Math.Max(longest, held);
            wasDisturbed |= lasted >= 1000 && held < 1000;
            if (held >= 1000)
            {
                _later.Enqueue(() => endpoint.Placement.SlowStretch(Ticks(held)), at);
            }
        }

        // Equal times leave the queue in any order, and a run ends after its stretches.
        _later.Enqueue(() => endpoint.Placement.RunEnded(Ticks(longest), wasDisturbed), at + 1);
    }

    private static long Ticks(long microseconds) => microseconds * Stopwatch.Frequency / 1_000_000;
}
