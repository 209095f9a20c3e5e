using System.Text.Json;
using Ioxide.PgBench.Turns;

namespace Ioxide.PgBench.Comparing;

/// <summary>Starts all sides of a workload, lets them warm up one after the other, then gives them turns: A B C A B C.</summary>
internal static class Comparison
{
    internal static async Task RunAsync(BenchOptions options, IReadOnlyList<BenchWorkload> workloads)
    {
        ResultTable.PrintHead(Console.Out);
        foreach (BenchWorkload workload in workloads)
        {
            try
            {
                ResultTable.Print(Console.Out, workload, await RunAsync(options, workload).ConfigureAwait(false));
            }
            catch (WrongAnswerException exception)
            {
                Console.WriteLine($"| {workload.Title} | refused: {exception.Message} | | | | | | | |");
            }
        }
    }

    private static async Task<List<TurnResult>> RunAsync(BenchOptions options, BenchWorkload workload)
    {
        var sides = new List<ITurnTaker>();
        try
        {
            foreach (string name in options.Sides.Count > 0 ? options.Sides.Where(side => workload.Sides.Contains(ChildSide.NameOf(side))) : workload.Sides)
            {
                await StartAsync(sides, name, workload, options).ConfigureAwait(false);
            }

            var results = new List<TurnResult>();
            for (int round = 1; round <= options.RoundCount; round++)
            {
                foreach (ITurnTaker side in sides)
                {
                    TurnResult result = await side.TakeTurnAsync().ConfigureAwait(false);
                    Note(FormattableString.Invariant($"{workload.Name}, round {round}, {side.Name}: {result.CpuUs:0.00} us a query"));
                    results.Add(result);
                    if (options.Output is { } output)
                    {
                        string line = JsonSerializer.Serialize(result, TurnJson.Default.TurnResult);
                        await File.AppendAllTextAsync(output, $"{line}\n").ConfigureAwait(false);
                    }
                }
            }

            return results;
        }
        finally
        {
            foreach (IDisposable side in sides.OfType<IDisposable>())
            {
                side.Dispose();
            }
        }
    }

    private static async Task StartAsync(List<ITurnTaker> sides, string name, BenchWorkload workload, BenchOptions options)
    {
        try
        {
            if (name != "pgbench")
            {
                sides.Add(await ChildSide.StartAsync(name, workload, options).ConfigureAwait(false));
            }
            else if (options.PgBench is { } program)
            {
                sides.Add(new PgBenchTool(program, workload, options));
            }
            else
            {
                Note("pgbench is not installed; its side is left out.");
            }
        }
        catch (NotSupportedException exception)
        {
            Note($"{workload.Name}: {exception.Message} The side is left out.");
        }
    }

    /// <summary>Apart from the table, so that the table can be redirected alone.</summary>
    private static void Note(string text) => Console.Error.WriteLine($"# {text}");
}
