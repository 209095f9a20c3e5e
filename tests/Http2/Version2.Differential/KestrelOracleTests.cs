using System.Globalization;
using Microsoft.AspNetCore.Connections;

namespace Ioxide.Http2.Tests;

/// <summary>
/// One application on stock Kestrel and on the engine: scripts of frames are played to both, and after each step both have said the same.
/// </summary>
/// <remarks>
/// A difference is allowed under the case's name, with the paragraph that allows the engine's answer.
/// Takes 12 s: all scripts of frames are one test, so that hosts start once.
/// </remarks>
public class KestrelOracleTests
{
    private const int MostShown = 20;
    private const string NoEnd = "no end";

    /// <summary>As many scripts as <c>eng/differential.sh</c> plays: each listed difference is among them.</summary>
    private const int WholeCount = 10_000;

    [Fact]
    public async Task EachCaseIsAnsweredAsByKestrel()
    {
        await using Http2Host kestrel = await StartAsync(isEngine: false);
        await using Http2Host engine = await StartAsync(isEngine: true);
        AllowedDifferences list = new();
        List<string> differences = [];
        foreach (Case step in Case.All)
        {
            if (await CompareAsync(kestrel, engine, list, window: 65_535, [step.ToAct(1)]) is ({ } difference, _))
            {
                differences.Add(difference);
            }
        }

        Assert.True(differences.Count == 0, string.Join('\n', differences));
        Assert.Empty(list.Unneeded(Case.All.Select(static step => step.Name)));
    }

    /// <summary>Scripts by seed: see <see cref="Script"/>. <c>IOXIDE_HTTP2_SCRIPTS=FIRST:COUNT</c> says which.</summary>
    [Fact]
    public async Task ScriptsAreAnsweredAsByKestrel()
    {
        int[] asked = [.. (Environment.GetEnvironmentVariable("IOXIDE_HTTP2_SCRIPTS") is { Length: > 0 } text ? text : "1:100")
            .Split(':').Select(static number => int.Parse(number, CultureInfo.InvariantCulture))];
        await using Http2Host kestrel = await StartAsync(isEngine: false);
        await using Http2Host engine = await StartAsync(isEngine: true);
        AllowedDifferences list = new();
        List<string> differences = [];
        HashSet<string> names = [];
        int allowed = 0;
        for (int seed = asked[0]; seed < asked[0] + asked[1] && differences.Count < MostShown; seed++)
        {
            Script script = new(seed);
            string what = $"script {seed}, window {script.Window}: ";
            (string? difference, bool isAllowed) = await CompareAsync(kestrel, engine, list, script.Window, script.Acts);
            names.UnionWith(script.Acts.Select(static act => act.Name));
            allowed += isAllowed ? 1 : 0;
            if (difference is not null)
            {
                differences.Add(what + difference);
            }
        }

        TestContext.Current.SendDiagnosticMessage("{0} scripts, {1} ended by a difference of the list, {2} by a lost GOAWAY", asked[1], allowed, list.Lost);
        Assert.True(differences.Count == 0, string.Join('\n', differences));
        // What is behind the end of a script is not compared.
        Assert.InRange(allowed, 0, asked[1] / 4);
        Assert.InRange(list.Lost, 0, 1 + (asked[1] / 50));
        if (asked[1] >= WholeCount)
        {
            Assert.Empty(list.Unneeded(names));
        }

        Assert.DoesNotContain(engine.Logs, static line => line.Event.Id == 5006);
    }

    private static async Task<(string? Difference, bool IsAllowed)> CompareAsync(
        Http2Host kestrel, Http2Host engine, AllowedDifferences list, uint window, IEnumerable<Act> acts)
    {
        using FrameClient theirs = await kestrel.ConnectAsync((4, window));
        using FrameClient ours = await engine.ConnectAsync((4, window));
        Player theirPlayer = new(theirs);
        Player ourPlayer = new(ours);
        foreach (Act act in acts)
        {
            Task<string> theirPlay = PlayAsync(theirPlayer, act);
            string actual = await PlayAsync(ourPlayer, act);
            string expected = await theirPlay;
            if (expected != actual || actual == NoEnd)
            {
                return list.Has(act.Name, expected, actual) ? (null, true) : ($"{act.Name}:\n{Shorten(expected, actual)}", false);
            }

            if (theirPlayer.HasEnded)
            {
                break;
            }
        }

        return (null, false);
    }

    /// <summary>A server that says nothing more is a difference, so that the script is named.</summary>
    private static async Task<string> PlayAsync(Player player, Act act)
    {
        try
        {
            return await player.PlayAsync(act);
        }
        catch (TimeoutException)
        {
            return NoEnd;
        }
    }

    private static string Shorten(string expected, string actual)
    {
        string[] theirs = expected.Split("; ");
        string[] ours = actual.Split("; ");
        return theirs.Length != ours.Length
            ? $"  Kestrel {expected}\n  engine  {actual}"
            : string.Join('\n', theirs.Zip(ours).Where(static pair => pair.First != pair.Second).Select(static pair => $"  Kestrel {pair.First}\n  engine  {pair.Second}"));
    }

    private static Task<Http2Host> StartAsync(bool isEngine) => Http2Host.StartAsync(new Http2Setup
    {
        IsEngine = isEngine,
        ExpectsErrors = true,
        Handler = ScriptedApplication.RunAsync,
        Listen = listen => _ = isEngine ? listen.Use(CutTransport.Middleware()) : null,
        Kestrel = static kestrel =>
        {
            kestrel.Limits.MinRequestBodyDataRate = null;
            kestrel.Limits.MinResponseDataRate = null;
        },
    });
}
