namespace Ioxide.Pg.Tests;

/// <summary>A script that a seed makes: steps that succeed, fail, leave transactions open, and change tables under statements.</summary>
/// <param name="Seed">Makes the same script again.</param>
/// <param name="Steps">In order.</param>
/// <param name="NeedsSession">It keeps something in its session between transactions.</param>
internal sealed record GeneratedScript(ulong Seed, IReadOnlyList<ScriptStep> Steps, bool NeedsSession)
{
    private const int MaxSteps = 12;

    internal int StatementCount => Steps.Sum(static step => Math.Max(1, step.Statements.Count));

    internal static GeneratedScript Of(ulong seed)
    {
        var dice = new FaultDice(seed);
        bool needsSession = dice.Below(2) == 0;
        var writer = new ScriptWriter(dice, needsSession);
        int count = 3 + dice.Below(MaxSteps - 2);
        while (writer.Steps.Count < count)
        {
            writer.Add();
        }

        writer.AddProbe();
        return new GeneratedScript(seed, writer.Steps, needsSession);
    }

    public override string ToString() => string.Join('\n', Steps.Select(static (step, number) => $"  {number}. {step}"));
}
