namespace Ioxide.Pg.Tests;

/// <summary>Takes out of a script what a difference does not need.</summary>
internal sealed class ScriptShrinker(ScriptRun run, ScriptPlace place)
{
    private const int MaxAttempts = 60;

    private int _attempts;

    /// <summary>The same difference of the smallest script that was found; null where the script alone does not show it.</summary>
    internal async Task<ScriptDifference?> ShrinkAsync(ScriptDifference difference)
    {
        List<ScriptStep> steps = [.. difference.Script.Steps.Take(difference.StepNumber + 1)];
        ScriptDifference? smallest = await TryAsync(difference, steps);
        if (smallest is null)
        {
            return null;
        }

        for (int index = steps.Count - 1; index >= 0 && _attempts < MaxAttempts; index--)
        {
            List<ScriptStep> fewer = [.. steps.Where((_, number) => number != index)];
            if (await TryAsync(difference, fewer) is { } shrunk)
            {
                (steps, smallest) = (fewer, shrunk);
                continue;
            }

            for (int statement = steps[index].Statements.Count - 1; statement >= 0 && steps[index].Statements.Count > 1; statement--)
            {
                List<ScriptStep> shorter = [.. steps];
                shorter[index] = steps[index] with { Statements = [.. steps[index].Statements.Where((_, number) => number != statement)] };
                if (_attempts < MaxAttempts && await TryAsync(difference, shorter) is { } found)
                {
                    (steps, smallest) = (shorter, found);
                }
            }
        }

        return smallest;
    }

    private async Task<ScriptDifference?> TryAsync(ScriptDifference difference, IReadOnlyList<ScriptStep> steps)
    {
        _attempts++;
        await using ScriptTargets targets = await ScriptTargets.OpenAsync(
            place, !difference.Target.EndsWith(ScriptTargets.Undeclared, StringComparison.Ordinal), difference.Target);
        GeneratedScript script = difference.Script with { Steps = steps };
        return (await run.DifferencesAsync(targets, script))
            .Find(found => found.Mismatch.What == difference.Mismatch.What && found.Mismatch.Type == difference.Mismatch.Type);
    }
}
