using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace Ioxide.AspNetCore.Tests;

/// <summary>How many quick runs an end point needs, after which history; by a clock that the test moves.</summary>
public sealed class TermTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly TermBook _book;
    private readonly EndpointTerm _term;

    public TermTests()
    {
        _book = new TermBook(Options.Create(new IoxideTransportOptions()), NullLoggerFactory.Instance, meterFactory: null, _time);
        _term = TermOf(new RouteEndpoint(static _ => Task.CompletedTask, RoutePatternFactory.Parse("/"), 0, null, "it"));
    }

    public void Dispose() => _book.Dispose();

    [Fact]
    public void AQuickRunLessThanItsTermDoesNotPromote()
    {
        Run(Term.FirstTerm - 1);
        Assert.Equal(TermState.Proving, _term.State);
        Run(1);
        Assert.Equal(TermState.Inline, _term.State);
    }

    [Fact]
    public void ASlowRunStartsTheFirstTermAnew()
    {
        Run(Term.FirstTerm - 1);
        RunSlow(Term.QuickTicks);
        Run(Term.FirstTerm - 1);
        Assert.Equal(TermState.Proving, _term.State);
        Run(1);
        Assert.Equal(TermState.Inline, _term.State);
    }

    [Fact]
    public void EachStallDoublesTheTermUpToALimit()
    {
        int expected = Term.FirstTerm;
        Run(expected);
        for (int stall = 0; stall < 40; stall++)
        {
            _term.Stalled(0, Reactor.SlowTurn, isCertain: true);
            expected = Math.Min(2 * expected, Term.LongestTerm);
            Assert.Equal(expected, _term.NeededRuns);
            Run(expected - 1);
            Assert.Equal(TermState.Demoted, _term.State);
            Run(1);
            Assert.Equal(TermState.Inline, _term.State);
        }

        Assert.Equal(40, _book.Demotions);
    }

    [Fact]
    public void InALongTermASlowRunTakesBackAFewQuickOnesAndAStallAll()
    {
        Run(Term.FirstTerm);
        _term.Stalled(0, Reactor.SlowTurn, isCertain: true);
        Run(Term.FirstTerm + 5);
        RunSlow(Term.QuickTicks);
        Assert.Equal(5, _term.QuickRuns);
        RunSlow(10 * Term.QuickTicks);
        Assert.Equal(0, _term.QuickRuns);
    }

    [Theory]
    [InlineData(59, 128)]
    [InlineData(60, 64)]
    public void AMinuteInlineForgivesEarlierStalls(int seconds, int neededRuns)
    {
        Run(Term.FirstTerm);
        _term.Stalled(0, Reactor.SlowTurn, isCertain: true);
        Run(2 * Term.FirstTerm);
        _time.Move(seconds.Seconds());
        _term.Stalled(0, Reactor.SlowTurn, isCertain: true);
        Assert.Equal(neededRuns, _term.NeededRuns);
    }

    [Fact]
    public void AStallOfOneThatIsOnThePoolAnywayChangesNothing()
    {
        _term.Stalled(0, Reactor.SlowTurn, isCertain: true);
        Assert.Equal(TermState.Proving, _term.State);
        Assert.Equal(0, _book.Demotions);
    }

    [Fact]
    public void WhatRouteTablesAreMadeOfAnewKeepsWhatItHasShown()
    {
        Run(Term.FirstTerm);
        Assert.Same(_term.Endpoint, _book.Replace(_term.Endpoint));
        Assert.Same(_term, Assert.Single(_book.Endpoints));
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
            _term.RunEnded(0);
        }
    }

    private void RunSlow(long ticks)
    {
        _term.SlowStretch(ticks);
        _term.RunEnded(ticks);
    }

    private EndpointTerm TermOf(RouteEndpoint original)
    {
        Endpoint replacement = _book.Replace(original);
        return Assert.Single(_book.Endpoints, term => ReferenceEquals(term.Endpoint, replacement));
    }

    private sealed class ManualTime : TimeProvider
    {
        private long _now = 1;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => _now;

        internal void Move(TimeSpan time) => _now += time.Ticks;
    }
}
