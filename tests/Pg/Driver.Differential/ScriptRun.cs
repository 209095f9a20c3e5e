using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;

namespace Ioxide.Pg.Tests;

/// <summary>Makes scripts by seed, runs each on every target, and compares the answers with those of Npgsql.</summary>
internal sealed class ScriptRun
{
    /// <summary>Says which scripts: the first seed and how many, such as <c>1:20000</c>.</summary>
    internal const string Variable = "IOXIDE_STATEMENTS";

    /// <summary>So many scripts share connections, so that one meets what others left behind.</summary>
    private const int GroupSize = 25;

    private const int MaxShrunk = 12;

    private static readonly int s_defaultCount = Scale.Of(100);

    private readonly ScriptPlace _place;
    private readonly long _started = Stopwatch.GetTimestamp();
    private readonly ConcurrentDictionary<KnownDifference, int> _known = [];
    private readonly List<ScriptDifference> _differences = [];
    private int _statementCount;
    private int _errorCount;

    private ScriptRun(ScriptPlace place, ulong firstSeed, int count) => (_place, FirstSeed, Count) = (place, firstSeed, count);

    internal ulong FirstSeed { get; }

    internal int Count { get; }

    /// <summary>Statements that failed on Npgsql.</summary>
    internal int ErrorCount => _errorCount;

    internal int StatementCount => _statementCount;

    /// <summary>Those that no reason explains.</summary>
    internal IReadOnlyList<ScriptDifference> Differences => _differences;

    /// <summary>How often which reason was met.</summary>
    internal IEnumerable<string> Known => _known.OrderByDescending(static known => known.Value).Select(static known => $"{known.Value,7} {known.Key.Reason}");

    /// <summary>Reasons that nothing needs any more, and that would excuse what comes later.</summary>
    internal IEnumerable<string> Unmet => KnownDifference.Lasting
        .Where(known => known.MetWithin is { } count && FirstSeed == 1 && count <= Count && !_known.ContainsKey(known)).Select(static known => known.Reason);

    internal IEnumerable<string> Kinds => _differences.GroupBy(static difference => difference.Kind).OrderByDescending(static kind => kind.Count())
        .Select(static kind => $"{kind.Count(),7} {kind.Key}, as in script {kind.Min(static difference => difference.Script.Seed)}");

    /// <summary>The scripts that the environment names, or as many as a run of the tests has time for.</summary>
    internal static Task<ScriptRun> OfEnvironmentAsync(ScriptPlace place)
    {
        string[]? parts = Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } asked ? asked.Split(':') : null;
        return parts is null
            ? OfAsync(place, 1, s_defaultCount)
            : OfAsync(place, ulong.Parse(parts[0], CultureInfo.InvariantCulture), int.Parse(parts[1], CultureInfo.InvariantCulture));
    }

    internal static async Task<ScriptRun> OfAsync(ScriptPlace place, ulong firstSeed, int count)
    {
        var run = new ScriptRun(place, firstSeed, count);
        for (int done = 0; done < count; done += GroupSize)
        {
            GeneratedScript[] scripts = [.. Enumerable.Range(done, Math.Min(GroupSize, count - done)).Select(number => GeneratedScript.Of(firstSeed + (ulong)number))];
            await using ScriptTargets targets = await ScriptTargets.OpenAsync(place, IsDeclared(scripts[0].Seed));
            foreach (GeneratedScript script in scripts)
            {
                run._statementCount += script.StatementCount;
                run._differences.AddRange(await run.DifferencesAsync(targets, script));
            }
        }

        return run;
    }

    /// <summary>The first difference of each kind, its script shrunk to what is needed for it where it needs no script before it.</summary>
    internal async Task<string> ShowAsync()
    {
        var shown = new List<string>();
        foreach (ScriptDifference difference in _differences.DistinctBy(static difference => difference.Kind).Take(MaxShrunk))
        {
            ulong group = FirstSeed + ((difference.Script.Seed - FirstSeed) / GroupSize * GroupSize);
            ScriptDifference? shrunk = await new ScriptShrinker(this, _place).ShrinkAsync(difference);
            shown.Add(shrunk is null
                ? $"(repeat, with those before it: {Variable}={group}:{difference.Script.Seed - group + 1})\n{difference}"
                : $"(repeat: {Variable}={difference.Script.Seed}:1)\n{shrunk}");
        }

        return string.Join('\n', shown);
    }

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Count:N0} scripts from seed {FirstSeed}, {_statementCount:N0} statements, {_errorCount:N0} steps failed, in {Stopwatch.GetElapsedTime(_started).TotalSeconds:0.0} s, "
        + $"{_known.Values.Sum():N0} differences with a reason, {_differences.Count:N0} without");

    /// <summary>Runs a script on all targets.</summary>
    internal async Task<List<ScriptDifference>> DifferencesAsync(ScriptTargets targets, GeneratedScript script)
    {
        ScriptTarget[] running = [.. targets.All.Where(target => target.KeepsSessions || !script.NeedsSession)];
        Dictionary<ScriptTarget, ScriptAnswers> answers = (await Task.WhenAll(running.Select(async target => (target, await RunAsync(target, script)))))
            .ToDictionary();
        Interlocked.Add(ref _errorCount, answers[targets.All[0]].Steps.Count(static answer => answer.Error is not null));
        var found = new List<ScriptDifference>();
        foreach (ScriptTarget target in running.Where(static target => target.Oracle is not null))
        {
            ScriptAnswers expected = answers[target.Oracle!]; // Those without were left out.
            found.AddRange(Compare(script, target, expected, answers[target]));
        }

        return found;
    }

    /// <summary>Every other group runs on a pooler in transaction mode that the driver has to notice.</summary>
    private static bool IsDeclared(ulong seed) => (seed - 1) / GroupSize % 2 == 0;

    private async Task<ScriptAnswers> RunAsync(ScriptTarget target, GeneratedScript script)
    {
        var steps = new List<StepAnswer>();
        foreach (ScriptStep step in script.Steps)
        {
            steps.Add(await target.AnswerAsync(step));
        }

        await target.EndScriptAsync();
        return new ScriptAnswers(steps, await _place.Databases.TakeAsync(target.Database));
    }

    /// <summary>The differences of the first step that has one without a reason: what follows may come from it.</summary>
    private List<ScriptDifference> Compare(GeneratedScript script, ScriptTarget target, ScriptAnswers expected, ScriptAnswers actual)
    {
        for (int number = 0; number < script.Steps.Count; number++)
        {
            List<ScriptDifference> ofStep =
            [
                .. ScriptComparison.Compare(script.Steps[number], expected.Steps[number], actual.Steps[number], target is NativeTarget)
                    .Select(mismatch => new ScriptDifference(script, number, target.Name, mismatch, expected.Steps[number], actual.Steps[number])),
            ];
            (List<ScriptDifference> unexplained, bool ends) = Explain(ofStep);
            if (unexplained.Count > 0 || ends)
            {
                return unexplained;
            }
        }

        return ScriptComparison.CompareTables(expected.Tables, actual.Tables) is { } tables
            ? Explain([new ScriptDifference(script, script.Steps.Count, target.Name, tables, null, null)]).Unexplained
            : [];
    }

    private (List<ScriptDifference> Unexplained, bool Ends) Explain(List<ScriptDifference> differences)
    {
        List<ScriptDifference> unexplained = [];
        bool ends = false;
        foreach (ScriptDifference difference in differences)
        {
            if (KnownDifference.Of(difference) is { } known)
            {
                _known.AddOrUpdate(known, 1, static (_, count) => count + 1);
                ends |= known.Ends;
            }
            else
            {
                unexplained.Add(difference);
            }
        }

        return (unexplained, ends);
    }
}

/// <summary>What a target answered to a script, and the tables that the script left.</summary>
internal sealed record ScriptAnswers(IReadOnlyList<StepAnswer> Steps, string Tables);
