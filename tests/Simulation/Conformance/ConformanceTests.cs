using System.Text;

namespace Ioxide.Simulation;

/// <summary>
/// The simulated kernel answers as Linux does, and so does a ring that is played over epoll. Short scripts run on a ring of each, through
/// the shipped classes, and what they see must be the same, line by line; for epoll, but for the lines that <see cref="EpollDifferences"/> lists.
/// </summary>
/// <remarks>Takes 47 s, of which epoll has 40: scripts that show what does not happen wait for it.</remarks>
public class ConformanceTests
{
    private const int LeastScripts = 60;
    private const int Always = 1000;
    private const int LinesBefore = 12;
    private const int LinesBehind = 20;
    private const int LineWidth = 48;

    public static TheoryData<string> Names => [.. Script.All.Select(static script => script.Name)];

    [Theory, MemberData(nameof(Names))]
    public void BothKernelsAnswerTheSame(string name)
    {
        SkipWhereNothingCanBeCompared();
        string real = Run(new RealStage(Kernel.Linux), name);
        string simulated = Run(new SimulatedStage(), name);
        AssertIsSound(real, simulated);

        string? reason = OtherKernelDifferences.Of(name);
        Assert.True(
            real == simulated == reason is null,
            reason is null ? $"{name}\n{SideBySide("Linux", real, "simulated", simulated)}" : $"{name} is listed as different ({reason}), and agrees");
    }

    /// <summary>Compared with Linux's ring; where this host refuses that, or its own is told to answer otherwise, with the simulated one.</summary>
    [Theory, MemberData(nameof(Names))]
    public void EpollAnswersAsTheRingDoes(string name)
    {
        bool hasRing = WhyNothingCanBeCompared() is null && OtherKernelDifferences.Of(name) is null;
        string ring = hasRing ? Run(new RealStage(Kernel.Linux), name) : Run(new SimulatedStage(), name);
        string epoll = Run(new RealStage(new EpollKernel()), name);
        AssertIsSound(ring, epoll);

        string[] expected = EpollDifferences.Of(name);
        Assert.True(
            EpollDifferences.IsRace(name) || expected.SequenceEqual(Difference(ring, epoll)),
            $"{name}{(expected.Length == 0 ? "" : $" is listed with another difference: {EpollDifferences.WhyOf(name)}")}\n"
                + SideBySide(hasRing ? "Linux" : "simulated", ring, "epoll", epoll));
    }

    [Fact]
    public void EveryListedDifferenceIsAScript()
        => Assert.Empty(EpollDifferences.Names.Concat(OtherKernelDifferences.Names).Except(Script.All.Select(static script => script.Name)));

    [Fact]
    public void ThereAreEnoughScripts() => Assert.True(Script.All.Count >= LeastScripts, $"{Script.All.Count} scripts");

    [Fact]
    public void AKernelThatKeepsBytesBackIsNoticed()
        => AssertIsNoticed(nameof(ReceiveScripts.DataIsThereBeforeTheReceive), new KernelFaults { ShortReceive = Always });

    [Fact]
    public void AKernelThatEndsMultishotsIsNoticed()
        => AssertIsNoticed(nameof(ReceiveScripts.SeveralSendsAreReceivedOneByOne), new KernelFaults { EndWithResult = Always });

    private static void AssertIsNoticed(string name, KernelFaults faults)
    {
        string script = $"{nameof(ReceiveScripts)}.{name}";

        Assert.NotEqual(Run(new SimulatedStage(), script), Run(new SimulatedStage(faults), script));
    }

    private static string Run(Stage stage, string name)
    {
        using Stage disposed = stage;
        Script.Named(name).Run(stage);
        IReadOnlyList<string> left = stage.End();
        return string.Join('\n', [.. stage.Transcript, .. left.Select(static what => $"LEFT: {what}")]);
    }

    /// <summary>Whatever else may differ: no kernel gives wrong bytes, and none keeps anything.</summary>
    private static void AssertIsSound(params string[] transcripts)
        => Assert.All(transcripts, static transcript =>
        {
            Assert.DoesNotContain("LEFT:", transcript, StringComparison.Ordinal);
            Assert.DoesNotContain("wrong", transcript, StringComparison.Ordinal);
        });

    /// <summary>The lines of each side, without those that both begin with and those that both end with.</summary>
    private static string[] Difference(string ring, string epoll)
    {
        string[] left = ring.Split('\n');
        string[] right = epoll.Split('\n');
        int first = left.Zip(right).TakeWhile(static pair => pair.First == pair.Second).Count();
        int behind = left.Skip(first).Reverse().Zip(right.Skip(first).Reverse()).TakeWhile(static pair => pair.First == pair.Second).Count();
        return [.. left[first..^behind].Select(static line => $"- {line}"), .. right[first..^behind].Select(static line => $"+ {line}")];
    }

    private static string SideBySide(string leftName, string one, string rightName, string other)
    {
        string[] left = one.Split('\n');
        string[] right = other.Split('\n');
        int first = left.Zip(right).TakeWhile(static pair => pair.First == pair.Second).Count();
        var text = new StringBuilder($"  {leftName,-LineWidth} | {rightName}\n");
        int end = Math.Min(Math.Max(left.Length, right.Length), first + LinesBehind);
        for (int index = Math.Max(0, first - LinesBefore); index < end; index++)
        {
            string leftLine = left.ElementAtOrDefault(index) ?? "";
            string rightLine = right.ElementAtOrDefault(index) ?? "";
            text.Append(leftLine == rightLine ? "  " : "! ").Append(leftLine.PadRight(LineWidth)).Append(" | ").AppendLine(rightLine);
        }

        return text.ToString();
    }

    private static void SkipWhereNothingCanBeCompared()
    {
        string? reason = WhyNothingCanBeCompared();
        Assert.SkipWhen(reason is not null, reason ?? "");
    }

    private static string? WhyNothingCanBeCompared()
        => RingProbe.Explain() is { } refusal ? $"This host has no rings to compare with: {refusal.Message}" : null;
}
