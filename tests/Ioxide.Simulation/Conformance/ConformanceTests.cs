using System.Text;

namespace Ioxide.Simulation;

/// <summary>
/// The simulated kernel answers as Linux does. Short scripts run on a ring of each, through the shipped classes, and
/// what they see must be the same, line by line.
/// </summary>
public class ConformanceTests
{
    private const int LeastScripts = 60;
    private const int Always = 1000;
    private const int LinesBefore = 12;
    private const int LinesBehind = 20;
    private const int LineWidth = 48;

    public static TheoryData<string> Names => [.. Script.All.Select(static script => script.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void BothKernelsAnswerTheSame(string name)
    {
        SkipWhereNothingCanBeCompared();
        string real = Run(new RealStage(), name);
        string simulated = Run(new SimulatedStage(), name);

        Assert.True(real == simulated, $"{name}\n{SideBySide(real, simulated)}");
    }

    [Fact]
    public void ThereAreEnoughScripts() => Assert.True(Script.All.Count >= LeastScripts, $"{Script.All.Count} scripts");

    [Fact]
    public void AKernelThatKeepsBytesBackIsNoticed()
        => AssertIsNoticed(
            nameof(ReceiveScripts.DataIsThereBeforeTheReceive), new KernelFaults { ShortReceive = Always });

    [Fact]
    public void AKernelThatEndsMultishotsIsNoticed()
        => AssertIsNoticed(
            nameof(ReceiveScripts.SeveralSendsAreReceivedOneByOne), new KernelFaults { EndWithResult = Always });

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

    /// <summary>The lines from shortly before the first difference on.</summary>
    private static string SideBySide(string real, string simulated)
    {
        string[] left = real.Split('\n');
        string[] right = simulated.Split('\n');
        int first = left.Zip(right).TakeWhile(static pair => pair.First == pair.Second).Count();
        var text = new StringBuilder($"  {"Linux",-LineWidth} | simulated\n");
        int end = Math.Min(Math.Max(left.Length, right.Length), first + LinesBehind);
        for (int index = Math.Max(0, first - LinesBefore); index < end; index++)
        {
            string one = left.ElementAtOrDefault(index) ?? "";
            string other = right.ElementAtOrDefault(index) ?? "";
            text.Append(one == other ? "  " : "! ").Append(one.PadRight(LineWidth)).Append(" | ").AppendLine(other);
        }

        return text.ToString();
    }

    private static void SkipWhereNothingCanBeCompared()
    {
        RingUnavailableException? refusal = RingProbe.Explain();
        Assert.SkipWhen(refusal is not null, $"This host has no rings to compare with: {refusal?.Message}");
        using Ring ring = Ring.Create(new RingOptions(SqEntries: 8, CqEntries: 16));
        Assert.SkipUnless(
            ring.Features.HasFlag(RingFeatureFlags.NoIoWait),
            "The simulated kernel does what Linux 6.18 does; this one is older than Linux 6.15.");
    }
}
