using System.Diagnostics;
using System.Text.Json;
using Ioxide.PgBench.Turns;

namespace Ioxide.PgBench.Comparing;

/// <summary>A side in a process of its own, which is warm and waits for its turn.</summary>
internal sealed class ChildSide : ITurnTaker, IDisposable
{
    private readonly Process _process;

    private ChildSide(string name, Process process)
    {
        Name = name;
        _process = process;
    }

    public string Name { get; }

    /// <param name="side">Its name; behind an @ the program of another build that plays it, such as that of the commit before.</param>
    /// <param name="workload">What it is asked.</param>
    /// <param name="options">As the program got them.</param>
    /// <exception cref="NotSupportedException">The side cannot run the workload.</exception>
    internal static async Task<ChildSide> StartAsync(string side, BenchWorkload workload, BenchOptions options)
    {
        string program = side.Contains('@', StringComparison.Ordinal) ? side[(side.IndexOf('@', StringComparison.Ordinal) + 1)..] : Environment.ProcessPath!;
        List<string> arguments = [.. options.ChildArguments(NameOf(side), workload)];
        if (options.ClientCpus is { } cpus)
        {
            // It replaces itself with the program, so that the process is the side.
            arguments.InsertRange(0, ["-c", cpus, program]);
            program = "taskset";
        }

        Process process = Process.Start(new ProcessStartInfo(program, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        }) ?? throw new NotSupportedException($"{program} did not start.");
        var child = new ChildSide(side, process);
        if (await process.StandardOutput.ReadLineAsync().ConfigureAwait(false) != "ready")
        {
            child.Dispose();
            throw new NotSupportedException($"{side} did not start.");
        }

        return child;
    }

    /// <summary>The name of a side without its program.</summary>
    internal static string NameOf(string side) => side.Split('@')[0];

    public async Task<TurnResult> TakeTurnAsync()
    {
        await _process.StandardInput.WriteLineAsync("turn").ConfigureAwait(false);
        string line = await _process.StandardOutput.ReadLineAsync().ConfigureAwait(false)
            ?? throw new WrongAnswerException($"{Name} ended.");
        return JsonSerializer.Deserialize(line, TurnJson.Default.TurnResult)! with { Side = Name };
    }

    public void Dispose()
    {
        _process.StandardInput.Close();
        if (!_process.WaitForExit(TimeSpan.FromSeconds(5)))
        {
            _process.Kill();
        }

        _process.Dispose();
    }
}
