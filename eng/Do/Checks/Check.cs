namespace Ioxide.Do.Checks;

/// <summary>One check of the repository: 0 says that all is well, <see cref="ExitStatus.Skipped"/> that it cannot be made here.</summary>
/// <param name="Name">What it checks.</param>
/// <param name="Run">Runs it, and writes down what it finds.</param>
internal sealed record Check(string Name, Func<CheckLog, Task<int>> Run);

/// <summary>What a check says, in a file, because its commands write there too.</summary>
internal sealed class CheckLog(string file, CancellationToken stop)
{
    private const int LastLines = 30;
    private const int LinesBelowFailure = 12;

    /// <summary>The run is asked to end.</summary>
    internal CancellationToken Stop => stop;

    internal void Say(string line) => File.AppendAllText(file, $"{line}\n");

    /// <summary>Runs a command for at most so many seconds.</summary>
    internal Task<int> RunAsync(int seconds, params string[] words) => RunAsync(new Job(words[0], words) { Limit = TimeSpan.FromSeconds(seconds) });

    /// <summary>Runs a command that gives way to what runs beside it.</summary>
    internal Task<int> RunBesideAsync(int seconds, params string[] words)
        => RunAsync(new Job(words[0], words) { Limit = TimeSpan.FromSeconds(seconds), Niceness = 19 });

    internal async Task<int> RunAsync(Job job)
    {
        int status = await (job with { Log = file }).RunAsync(stop);
        if (ExitStatus.IsLimit(status))
        {
            Say($"ended at the limit of {job.Limit.TotalSeconds:0} s: {string.Join(' ', job.Words)}");
        }

        return status;
    }

    /// <summary>A command's output, which is not written down.</summary>
    /// <exception cref="InvalidOperationException">It failed.</exception>
    internal async Task<string> AskAsync(params string[] words)
    {
        string answer = $"{file}.{Guid.NewGuid():N}";
        int status = await new Job(words[0], words) { Log = answer, Limit = TimeSpan.FromMinutes(1) }.RunAsync(stop);
        string text = await File.ReadAllTextAsync(answer, CancellationToken.None);
        return status == 0 ? text : throw new InvalidOperationException($"{string.Join(' ', words)} ended with status {status}: {text}");
    }

    internal string Text() => File.Exists(file) ? File.ReadAllText(file) : "";

    /// <summary>Failed tests with what stands below them; else the last lines.</summary>
    internal string Essence()
    {
        string[] lines = Text().Split('\n');
        string[] failed =
        [
            .. Enumerable.Range(0, lines.Length)
                .Where(i => lines[i].EndsWith(" [FAIL]", StringComparison.Ordinal))
                .SelectMany(i => lines.Skip(i).Take(LinesBelowFailure)),
        ];
        return string.Join('\n', failed.Length > 0 ? failed : lines.TakeLast(LastLines));
    }
}
