namespace Ioxide.Pg.Tests;

/// <summary>Where the two drivers first answer differently, and not for a reason that lets the comparison go on.</summary>
/// <param name="Program">What ran.</param>
/// <param name="Index">The step; the number of steps for the rows that are left.</param>
/// <param name="Theirs">Npgsql's answers up to there.</param>
/// <param name="Ours">The facade's.</param>
internal sealed record AdoDifference(AdoProgram Program, int Index, IReadOnlyList<AdoAnswer> Theirs, IReadOnlyList<AdoAnswer> Ours)
{
    internal AdoStep? Step => Index < Program.Steps.Count ? Program.Steps[Index] : null;

    internal string Expected => Theirs[Index].Text;

    internal string Actual => Ours[Index].Text;

    /// <summary>How the facade found the step.</summary>
    internal AdoAnswer Found => Ours[Index];

    internal IEnumerable<AdoStep> Before => Program.Steps.Take(Index);

    internal string Kind => $"{(Step is { } step ? step.Verb : "rows left")}: {Expected} / {Actual}";

    public override string ToString()
    {
        IEnumerable<string> lines = Program.Steps.Take(Index + 1).Select((step, index)
            => Theirs[index].Text == Ours[index].Text
                ? $"  {step} -> {Ours[index].Text}"
                : $"  {step} -> Npgsql: {Theirs[index].Text}, ours: {Ours[index].Text}");
        string left = Step is null ? $"\n  rows left -> Npgsql: {Expected}, ours: {Actual}" : "";
        return $"program {Program.Seed}:\n{string.Join('\n', lines)}{left}";
    }
}
