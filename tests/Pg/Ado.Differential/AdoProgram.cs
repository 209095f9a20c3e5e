using System.Globalization;

namespace Ioxide.Pg.Tests;

/// <summary>Calls of ADO.NET in an order that a seed draws: sensible ones, and those that no document shows.</summary>
/// <param name="Seed">Where it comes from.</param>
/// <param name="Steps">In order.</param>
internal sealed record AdoProgram(int Seed, IReadOnlyList<AdoStep> Steps)
{
    internal const int ConnectionCount = 2;
    internal const int CommandCount = 3;
    internal const int TransactionCount = 2;

    private static readonly (AdoVerb Verb, int Weight)[] s_weights =
    [
        (AdoVerb.Open, 6), (AdoVerb.Close, 3), (AdoVerb.DisposeConnection, 1), (AdoVerb.AskConnection, 5), (AdoVerb.ChangeConnection, 1), (AdoVerb.Kill, 1),
        (AdoVerb.Begin, 8), (AdoVerb.Commit, 4), (AdoVerb.Rollback, 3), (AdoVerb.Save, 2), (AdoVerb.RollbackTo, 2), (AdoVerb.Release, 1),
        (AdoVerb.DisposeTransaction, 3), (AdoVerb.AskTransaction, 3), (AdoVerb.NewCommand, 14), (AdoVerb.SetText, 4), (AdoVerb.SetTransaction, 5),
        (AdoVerb.SetTimeout, 1), (AdoVerb.SetParameter, 4), (AdoVerb.Prepare, 4), (AdoVerb.NonQuery, 10), (AdoVerb.Scalar, 8), (AdoVerb.Reader, 12),
        (AdoVerb.Cancel, 1), (AdoVerb.CancelRunning, 1), (AdoVerb.AskCommand, 1), (AdoVerb.DisposeCommand, 2), (AdoVerb.Read, 12), (AdoVerb.NextResult, 6),
        (AdoVerb.Value, 6), (AdoVerb.AskReader, 6), (AdoVerb.Schema, 2), (AdoVerb.CloseReader, 8), (AdoVerb.NewBatch, 3), (AdoVerb.BatchNonQuery, 2),
        (AdoVerb.BatchReader, 3), (AdoVerb.DisposeBatch, 1),
    ];

    private static readonly int s_total = s_weights.Sum(static pair => pair.Weight);

    internal static AdoProgram Of(int seed)
    {
#pragma warning disable CA5394 // A seed draws the same program each time.
        var random = new Random(seed);
        var steps = new List<AdoStep> { new(AdoVerb.Open, 0, 0, random.Next(2) == 0), new(AdoVerb.NewCommand, 0, random.Next(AdoTexts.Count), false) };
        for (int count = random.Next(4, 22); count > 0; count--)
        {
            int drawn = random.Next(s_total);
            AdoVerb verb = s_weights.First(pair => (drawn -= pair.Weight) < 0).Verb;

            // Mostly the first of each, so that steps meet.
            int slot = random.Next(4) < 3 ? 0 : random.Next(CommandCount);
            steps.Add(new AdoStep(verb, slot, random.Next(1000), random.Next(2) == 0));
        }
#pragma warning restore CA5394

        return new AdoProgram(seed, steps);
    }

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"program {Seed}:\n  {string.Join("\n  ", Steps)}");
}
