namespace Ioxide.Pg.Tests;

/// <summary>Where the two drivers first answer differently, and not for a reason that lets the comparison go on.</summary>
/// <param name="Program">What ran.</param>
/// <param name="Index">The step; the number of steps for the rows that are left.</param>
/// <param name="Theirs">Npgsql's answers up to there.</param>
/// <param name="Ours">The facade's.</param>
internal sealed record AdoDifference(AdoProgram Program, int Index, IReadOnlyList<string> Theirs, IReadOnlyList<string> Ours)
{
    internal AdoStep? Step => Index < Program.Steps.Count ? Program.Steps[Index] : null;

    internal string Expected => Theirs[Index];

    internal string Actual => Ours[Index];

    internal string Kind => $"{(Step is { } step ? step.Verb : "rows left")}: {Expected} / {Actual}";

    public override string ToString()
    {
        IEnumerable<string> lines = Program.Steps.Take(Index + 1).Select((step, index)
            => Theirs[index] == Ours[index] ? $"  {step} -> {Ours[index]}" : $"  {step} -> Npgsql: {Theirs[index]}, ours: {Ours[index]}");
        string left = Step is null ? $"\n  rows left -> Npgsql: {Expected}, ours: {Actual}" : "";
        return $"program {Program.Seed}:\n{string.Join('\n', lines)}{left}";
    }
}
