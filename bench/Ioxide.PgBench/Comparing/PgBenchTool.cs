using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Ioxide.PgBench.Turns;

namespace Ioxide.PgBench.Comparing;

/// <summary>libpq by the server's own pgbench: one connection, prepared. A shell tells what CPU time it used.</summary>
internal sealed partial class PgBenchTool(string program, BenchWorkload workload, BenchOptions options) : ITurnTaker
{
    public string Name => "pgbench";

    public async Task<TurnResult> TakeTurnAsync()
    {
        string file = Path.GetTempFileName();
        try
        {
            string script = string.Create(
                CultureInfo.InvariantCulture,
                $"\\set first random(1, {Tables.ItemCount - workload.RowCount})\n")
                + string.Create(CultureInfo.InvariantCulture, $"{Tables.Items} where id between :first and :first + {workload.RowCount - 1};\n");
            await File.WriteAllTextAsync(file, script).ConfigureAwait(false);
            string text = await RunAsync(file).ConfigureAwait(false);

            long queries = long.Parse(Find(Count(), text).Groups[1].ValueSpan, CultureInfo.InvariantCulture);
            double seconds = options.Seconds;
            double cpu = Find(Times(), text).Groups.Values.Skip(1).Chunk(2).Sum(static pair =>
                (60 * double.Parse(pair[0].ValueSpan, CultureInfo.InvariantCulture)) + double.Parse(pair[1].ValueSpan, CultureInfo.InvariantCulture));

            return new TurnResult(
                Name, workload.Name, queries, seconds, cpu, cpu * 1e6 / queries, queries / seconds, null, null, null, null, 0);
        }
        finally
        {
            File.Delete(file);
        }
    }

    private async Task<string> RunAsync(string file)
    {
        string pin = options.ClientCpus is { } cpus ? $"taskset -c {cpus} " : "";
        string command = string.Create(
            CultureInfo.InvariantCulture,
            $"{pin}'{program}' -n -M prepared -c 1 -j 1 -T {Math.Max(1, options.Seconds):0} -f '{file}' -h '{options.Host}' ")
            + string.Create(CultureInfo.InvariantCulture, $"-p {options.Port} -U '{options.User}' '{options.Database}' && times");
        using Process process = Process.Start(new ProcessStartInfo("sh", ["-c", command])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        Task<string> error = process.StandardError.ReadToEndAsync();
        string text = await process.StandardOutput.ReadToEndAsync().ConfigureAwait(false);
        await process.WaitForExitAsync().ConfigureAwait(false);
        return process.ExitCode == 0 ? text : throw new WrongAnswerException($"pgbench failed: {await error.ConfigureAwait(false)}");
    }

    private static Match Find(Regex expression, string text)
        => expression.Match(text) is { Success: true } match ? match : throw new WrongAnswerException($"pgbench said: {text}");

    [GeneratedRegex(@"transactions actually processed: (\d+)")]
    private static partial Regex Count();

    // The second line is the children's: user, then system.
    [GeneratedRegex(@"m[\d.]+s\s+\d+m[\d.]+s\s+(\d+)m([\d.]+)s\s+(\d+)m([\d.]+)s")]
    private static partial Regex Times();
}
