using System.Diagnostics;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace Ioxide.AspNetCore.Tests;

/// <summary>How many quick runs an endpoint needs, after which history; by a clock that the test moves.</summary>
public sealed class PlacementTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly PlacementRegistry _book;
    private readonly EndpointPlacement _placement;
    private bool _isShort;

    public PlacementTests()
    {
        _book = new PlacementRegistry(Options.Create(new IoxideTransportOptions()), NullLoggerFactory.Instance, meterFactory: null, _time)
        {
            IsShortOfProcessors = () => _isShort,
        };
        _placement = PlacementOf(new RouteEndpoint(static _ => Task.CompletedTask, RoutePatternFactory.Parse("/"), 0, null, "it"));
    }

    public void Dispose() => _book.Dispose();

    [Fact]
    public void AQuickRunLessThanItsTermDoesNotPromote()
    {
        Run(Placement.FirstProofRuns - 1);
        Assert.Equal(PlacementState.Proving, _placement.State);
        Run(1);
        Assert.Equal(PlacementState.Inline, _placement.State);
    }

    [Fact]
    public void ASlowRunStartsTheFirstTermAnew()
    {
        Run(Placement.FirstProofRuns - 1);
        RunSlow(Placement.QuickTicks);
        Run(Placement.FirstProofRuns - 1);
        Assert.Equal(PlacementState.Proving, _placement.State);
        Run(1);
        Assert.Equal(PlacementState.Inline, _placement.State);
    }

    /// <summary>What it may have waited for had no processor itself.</summary>
    [Theory]
    [InlineData(false, 12, true)]
    [InlineData(true, 12, false)]
    [InlineData(true, 120, true)]
    public void AShortStretchProvesNothingOnAMachineShortOfProcessors(bool isShort, int milliseconds, bool isProof)
    {
        _isShort = isShort;
        Run(Placement.FirstProofRuns);
        _placement.Stalled(0, TurnRecord.SlowTurn, isCertain: false, stallId: 7);
        _placement.SlowStretch(milliseconds * Stopwatch.Frequency / 1000);

        // Another one is found to have caused the stall: it clears who has not proven it of himself.
        _placement.Clear(stallId: 7);
        Assert.Equal(isProof ? PlacementState.Demoted : PlacementState.Inline, _placement.State);
    }

    /// <summary>What waited behind an await may be a hub, a callback or a service as well.</summary>
    [Fact]
    public void AWaitOfUnknownCodeIsNotCertainlyThePipelines()
    {
        var reactor = (Reactor)RuntimeHelpers.GetUninitializedObject(typeof(Reactor));
        _time.Move(2.Seconds());
        _book.Pipeline.NoteAsync();
        _book.Blocked(reactor, 1.Seconds(), running: null);

        Assert.Equal(PlacementState.Demoted, _book.Pipeline.State);
        Assert.Equal(2 * Placement.FirstProofRuns, _book.Pipeline.NeededRuns);
    }

    /// <summary>A handler that slept on its reactor may have waited for a thread without a processor, too.</summary>
    [Theory]
    [InlineData(false, 14, true)]
    [InlineData(true, 14, false)]
    [InlineData(true, 140, true)]
    public void AShortStallIsNotCertainOnAMachineShortOfProcessors(bool isShort, int milliseconds, bool isCertain)
    {
        _isShort = isShort;
        Run(Placement.FirstProofRuns);
        _placement.Stalled(0, milliseconds.Milliseconds(), isCertain: true, stallId: 7);
        _placement.Clear(stallId: 7);
        Assert.Equal(isCertain ? PlacementState.Demoted : PlacementState.Inline, _placement.State);
    }

    [Fact]
    public void EachStallDoublesTheTermUpToALimit()
    {
        int expected = Placement.FirstProofRuns;
        Run(expected);
        for (int stall = 0; stall < 40; stall++)
        {
            _placement.Stalled(0, TurnRecord.SlowTurn, isCertain: true);
            expected = Math.Min(2 * expected, Placement.LongestProofRuns);
            Assert.Equal(expected, _placement.NeededRuns);
            Run(expected - 1);
            Assert.Equal(PlacementState.Demoted, _placement.State);
            Run(1);
            Assert.Equal(PlacementState.Inline, _placement.State);
        }

        Assert.Equal(40, _book.Demotions);
    }

    /// <summary>Who rarely computes for seconds must not come back by a few quick runs between two such calls.</summary>
    [Theory]
    [InlineData(19, 64)]
    [InlineData(20, 128)]
    [InlineData(160, 1024)]
    [InlineData(2000, Placement.LongestProofRuns)]
    public void ALongerStallDoublesTheTermMoreOften(int milliseconds, int neededRuns)
    {
        Run(Placement.FirstProofRuns);
        _placement.Stalled(0, milliseconds.Milliseconds(), isCertain: true);
        Assert.Equal(neededRuns, _placement.NeededRuns);
    }

    [Fact]
    public void InALongTermASlowRunTakesBackAFewQuickOnesAndAStallAll()
    {
        Run(Placement.FirstProofRuns);
        _placement.Stalled(0, TurnRecord.SlowTurn, isCertain: true);
        Run(Placement.FirstProofRuns + 5);
        RunSlow(Placement.QuickTicks);
        Assert.Equal(5, _placement.QuickRuns);
        RunSlow(10 * Placement.QuickTicks);
        Assert.Equal(0, _placement.QuickRuns);
    }

    [Theory]
    [InlineData(59, 128)]
    [InlineData(60, 64)]
    public void AMinuteInlineForgivesEarlierStalls(int seconds, int neededRuns)
    {
        Run(Placement.FirstProofRuns);
        _placement.Stalled(0, TurnRecord.SlowTurn, isCertain: true);
        Run(2 * Placement.FirstProofRuns);
        _time.Move(seconds.Seconds());
        _placement.Stalled(0, TurnRecord.SlowTurn, isCertain: true);
        Assert.Equal(neededRuns, _placement.NeededRuns);
    }

    [Fact]
    public void AStallOfOneThatIsOnThePoolAnywayChangesNothing()
    {
        _placement.Stalled(0, TurnRecord.SlowTurn, isCertain: true);
        Assert.Equal(PlacementState.Proving, _placement.State);
        Assert.Equal(0, _book.Demotions);
    }

    [Fact]
    public void WhatRouteTablesAreMadeOfAnewKeepsWhatItHasShown()
    {
        Run(Placement.FirstProofRuns);
        Assert.Same(_placement.Endpoint, _book.Replace(_placement.Endpoint));
        Assert.Same(_placement, Assert.Single(_book.Endpoints));
    }

    [Fact]
    public void EndPointsWithoutAHandlerAndThoseThatSayWhereTheyRunAreLeftAlone()
    {
        var withoutHandler = new Endpoint(null, null, "none");
        Assert.Same(withoutHandler, _book.Replace(withoutHandler));
        var marked = new RouteEndpoint(
            static _ => Task.CompletedTask, RoutePatternFactory.Parse("/"), 0, new EndpointMetadataCollection(new RunOnReactorAttribute()), null);
        Assert.Same(marked, _book.Replace(marked));
    }

    private void Run(int count)
    {
        for (int run = 0; run < count; run++)
        {
            _placement.RunEnded(0);
        }
    }

    private void RunSlow(long ticks)
    {
        _placement.SlowStretch(ticks);
        _placement.RunEnded(ticks);
    }

    private EndpointPlacement PlacementOf(RouteEndpoint original)
    {
        Endpoint replacement = _book.Replace(original);
        return Assert.Single(_book.Endpoints, placement => ReferenceEquals(placement.Endpoint, replacement));
    }

    private sealed class ManualTime : TimeProvider
    {
        private long _now = 1;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => _now;

        internal void Move(TimeSpan time) => _now += time.Ticks;
    }
}
