using System.Globalization;

namespace Ioxide.BadNetwork;

/// <summary>
/// Plays a scenario to both sides. What applications see must be the same, and each side lives on and holds nothing. Each row goes to
/// <c>artifacts/bad-network.tsv</c>: scenario, subject, side, outcome and the reason of a difference; <c>eng/bad-network.sh</c> makes the table of
/// docs/trust.md of them.
/// </summary>
internal static class Beside
{
    private static readonly string s_file = Path.Combine(Repository.Root, "artifacts", "bad-network.tsv");

    /// <summary>The same as <see cref="OnLoopbackAsync"/>, in namespaces.</summary>
    internal static async Task OnNetworkAsync(string scenario, Subject subject, Func<Stage, Task<string>> play, bool isImpatient = false)
    {
        await using Network network = await Network.StartAsync();
        await PlayAsync(scenario, subject, play, network, isImpatient);
    }

    /// <summary>Plays a scenario to both sides, one after the other.</summary>
    /// <param name="scenario">Its name in the table.</param>
    /// <param name="subject">What meets it.</param>
    /// <param name="play">Gives what applications saw.</param>
    /// <param name="isImpatient">Whether the side has short limits.</param>
    internal static Task OnLoopbackAsync(string scenario, Subject subject, Func<Stage, Task<string>> play, bool isImpatient = false)
        => PlayAsync(scenario, subject, play, network: null, isImpatient);

    private static async Task PlayAsync(string scenario, Subject subject, Func<Stage, Task<string>> play, Network? network, bool isImpatient)
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        Dictionary<Side, string> outcomes = [];
        foreach (Side side in Enum.GetValues<Side>())
        {
            await using Stage stage = await Stage.StartAsync(side, network, isImpatient);
            await AssertServesAsync(stage, subject);
            string held = await RestAsync(stage);
            string outcome = await play(stage);
            await (network?.RuleAsync() ?? Task.CompletedTask);
            stage.Database.SetFaults();
            stage.Upstream.SetFaults();
            await AssertServesAsync(stage, subject);
            await Waits.Until(() => RestAsync(stage), now => now == held, 20.Seconds(), $"{side} holds {held}, as before");
            outcomes.Add(side, outcome);
            TestContext.Current.TestOutputHelper?.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{side}: {outcome}"));
            await File.AppendAllTextAsync(s_file, $"{scenario}\t{subject}\t{side}\t{outcome}\t{Reasons.Find(scenario, subject)}\n");
        }

        if (Reasons.Find(scenario, subject) is null)
        {
            Assert.Equal(outcomes[Side.Stock], outcomes[Side.Ioxide]);
        }
        else
        {
            Assert.NotEqual(outcomes[Side.Stock], outcomes[Side.Ioxide]);
        }
    }

    /// <summary>A body each way arrives.</summary>
    private static async Task AssertServesAsync(Stage stage, Subject subject)
    {
        using var exchange = new Exchange(stage, subject);
        Assert.Equal(Outcome.Whole, await exchange.DownAsync(1, 1000));
        Assert.Equal(Outcome.Whole, await exchange.UpAsync(2, 1000));
        await stage.AskAsync("seen");
    }

    /// <summary>What a side holds once no peer is there. A close may take another turn of a reactor.</summary>
    private static async Task<string> RestAsync(Stage stage)
    {
        await stage.AskAsync("close");
        await Waits.Until(
            stage.HeldAsync, static held => held.StartsWith(Servers.NoPeers, StringComparison.Ordinal), 20.Seconds(), "no peer is left");
        await Task.Delay(50);
        return await stage.HeldAsync();
    }
}
