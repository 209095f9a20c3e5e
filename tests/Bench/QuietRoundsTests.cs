using Ioxide.Compare;
using Ioxide.Compare.Quiet;
using Ioxide.Report;

namespace Ioxide.Bench.Tests;

/// <summary>Rounds on a machine that others share: what is discarded, what counts, and what the reports say. The CPUs' times are invented.</summary>
public class QuietRoundsTests
{
    private readonly List<string> _discarded = [];
    private int _runs;

    [Fact]
    public async Task AQuietRoundCountsAtOnce()
    {
        var cpus = new InventedCpus();

        Assert.Equal((1, null), await RunAsync(cpus.Rounds()));
        Assert.Empty(_discarded);
    }

    [Theory]
    [InlineData(1, "before")]
    [InlineData(2, "after")]
    public async Task ARoundBesideASlowCpuIsRunAgain(int slowLook, string when)
    {
        var cpus = new InventedCpus();
        QuietRounds rounds = cpus.Rounds();
        cpus.SlowLooks.Add((1, slowLook), 1.34);

        Assert.Equal((2, null), await RunAsync(rounds));
        Assert.Equal([$"CPU 1 was 1.34 times slower than in quiet {when} it"], _discarded);
    }

    [Fact]
    public async Task ALittleSlownessIsNoDisturbance()
    {
        var cpus = new InventedCpus();
        QuietRounds rounds = cpus.Rounds();
        cpus.SlowLooks.Add((0, 1), 1.14);

        Assert.Equal((1, null), await RunAsync(rounds));
    }

    [Fact]
    public async Task WhatTheRoundTellsOfOthersCounts()
    {
        QuietRounds rounds = new InventedCpus().Rounds();

        Assert.Equal((2, null), await RunAsync(rounds, static run => run == 1 ? "others used 0.20 of the server's CPUs" : null));
        Assert.Equal(["others used 0.20 of the server's CPUs"], _discarded);
    }

    [Fact]
    public async Task WhereNoAttemptIsQuietTheLastOneCountsAndSaysSo()
    {
        var cpus = new InventedCpus();
        QuietRounds rounds = cpus.Rounds();
        cpus.Slowdown = 2;

        (int value, string? disturbance) = await RunAsync(rounds);

        Assert.Equal(QuietRounds.MaxAttempts, value);
        Assert.Equal("CPU 0 was 2.00 times slower than in quiet before it", disturbance);
        Assert.Equal(QuietRounds.MaxAttempts - 1, _discarded.Count);
    }

    /// <summary>The first looks may all have been beside a neighbour.</summary>
    [Fact]
    public async Task AShorterTimeThatIsSeenLaterIsQuietFromThenOn()
    {
        var cpus = new InventedCpus { Slowdown = 3 };
        QuietRounds rounds = cpus.Rounds();
        Assert.Equal((1, null), await RunAsync(rounds));
        cpus.Slowdown = 1;
        Assert.Equal((2, null), await RunAsync(rounds));
        cpus.Slowdown = 3;

        Assert.Equal("CPU 0 was 3.00 times slower than in quiet before it", (await RunAsync(rounds)).Disturbance);
    }

    [Fact]
    public async Task ALateLoadIsRunAgainAndRefusesTheRoundAtLast()
    {
        QuietRounds rounds = new InventedCpus().Rounds();
        int failures = 0;
        Assert.Equal(("done", null), await rounds.RunAsync(
            () => ++failures < 3 ? throw new LateLoadException($"late {failures}") : Task.FromResult("done"), static _ => null, _discarded.Add));
        Assert.Equal(["late 1", "late 2"], _discarded);

        await Assert.ThrowsAsync<LateLoadException>(() => rounds.RunAsync<string>(
            static () => throw new LateLoadException("late"), static _ => null, _discarded.Add));
    }

    [Fact]
    public async Task ARoundThatIsRefusedForAnotherReasonIsNotRunAgain()
    {
        await Assert.ThrowsAsync<RefusedException>(() => new InventedCpus().Rounds().RunAsync<int>(
            () =>
            {
                _runs++;
                throw new RefusedException("an error");
            },
            static _ => null,
            _discarded.Add));
        Assert.Equal(1, _runs);
    }

    [Fact]
    public void TheReportsSayWhatWasDiscarded()
    {
        RunRecord run = Runs.Of(null, Runs.Stock(100), Runs.Ioxide(200));
        run.Discarded.Add(new DiscardedRound("ioxide", 2, "CPU 0 was 1.34 times slower than in quiet before it"));
        using var table = new StringWriter();
        MarkdownTable.Print(table, run);

        foreach (string text in new[] { table.ToString(), MarkdownReport.RenderDetails(RunFolder.Choose([run])), HtmlPage.Render(RunFolder.Choose([run])) })
        {
            Assert.Contains("1 round was discarded and run again, because the machine was disturbed", text, StringComparison.Ordinal);
            Assert.Contains("ioxide: round 2 discarded: CPU 0 was 1.34 times slower than in quiet before it", text, StringComparison.Ordinal);
        }
    }

    /// <summary>On any machine the work takes time, and a CPU that is not there is said to be so.</summary>
    [Fact]
    public void TheRealWorkTakesTimeAndNeedsItsCpu()
    {
        int cpu = Enumerable.Range(0, 1024).First(static cpu => Works(cpu));

        Assert.True(new SpinCalibrator().Measure(cpu) > TimeSpan.Zero);
        Assert.Contains("sched_setaffinity", Assert.Throws<RefusedException>(static () => new SpinCalibrator().Measure(8191)).Message, StringComparison.Ordinal);
    }

    private static bool Works(int cpu)
    {
        try
        {
            new SpinCalibrator().Measure(cpu);
            return true;
        }
        catch (RefusedException)
        {
            return false;
        }
    }

    private async Task<(int Value, string? Disturbance)> RunAsync(QuietRounds rounds, Func<int, string?>? disturbance = null)
        => await rounds.RunAsync(() => Task.FromResult(++_runs), disturbance ?? (static _ => null), _discarded.Add);

    /// <summary>Two CPUs that need 10 ms, or longer where a test says so.</summary>
    private sealed class InventedCpus : ICalibrator
    {
        private readonly Dictionary<int, int> _looks = [];

        internal double Slowdown { get; set; } = 1;

        /// <summary>By CPU and its look from now on, from 1.</summary>
        internal Dictionary<(int Cpu, int Look), double> SlowLooks { get; } = [];

        public TimeSpan Measure(int cpu)
        {
            int look = _looks[cpu] = _looks.GetValueOrDefault(cpu) + 1;
            return TimeSpan.FromMilliseconds(10) * SlowLooks.GetValueOrDefault((cpu, look), Slowdown);
        }

        internal QuietRounds Rounds()
        {
            var rounds = new QuietRounds(this, [0, 1]);
            _looks.Clear();
            return rounds;
        }
    }
}
