using System.Diagnostics;

namespace Ioxide.Do;

/// <summary>A command with a log, and a limit at which it is ended with everything that it started.</summary>
/// <param name="Name">What the reports call it.</param>
/// <param name="Words">The program and its arguments.</param>
internal sealed record Job(string Name, params string[] Words)
{
    /// <summary>What both its outputs are added to; null: it prints to the caller's.</summary>
    internal string? Log { get; init; }

    internal TimeSpan Limit { get; init; } = TimeSpan.FromMinutes(10);

    /// <summary>0 to 19: what gives way to other programs.</summary>
    internal int Niceness { get; init; }

    /// <summary>For programs of tests: most of their code runs a few times, and to instrument it took a sixth of their processor time.</summary>
    internal static (string Name, string Value) WithoutProfiles { get; } = ("DOTNET_TieredPGO", "0");

    /// <summary>Variables beside those of this process.</summary>
    internal (string Name, string Value)[] Environment { get; init; } = [];

    /// <summary>Runs it, and returns its exit status: 124 or 137 at the limit, 143 where it was asked to end.</summary>
    internal async Task<int> RunAsync(CancellationToken stop)
    {
        if (stop.IsCancellationRequested)
        {
            return ExitStatus.Ended;
        }

        // timeout gives it a process group, and passes on the signal that ends it. A shell in the background ignores SIGINT, which tests send to
        // programs of theirs.
        var start = new ProcessStartInfo("timeout")
        {
            ArgumentList = { "--kill-after=20", $"{Math.Max(1, (long)Limit.TotalSeconds)}", "env", "--default-signal=INT", "nice", "-n", $"{Niceness}" },
        };
        if (Log is not null)
        {
            start.FileName = "bash";
            string[] before = ["-c", "exec \"$@\" >> \"$0\" 2>&1 < /dev/null", Log, "timeout"];
            for (int i = 0; i < before.Length; i++)
            {
                start.ArgumentList.Insert(i, before[i]);
            }
        }

        foreach (string word in Words)
        {
            start.ArgumentList.Add(word);
        }

        foreach ((string name, string value) in Environment)
        {
            start.Environment[name] = value;
        }

        using Process process = Process.Start(start) ?? throw new InvalidOperationException($"{Name} did not start.");
        await using CancellationTokenRegistration ending = stop.Register(() => Process.Start("kill", $"{process.Id}").Dispose());
        await process.WaitForExitAsync(CancellationToken.None);
        return process.ExitCode;
    }
}

/// <summary>Exit statuses with a meaning.</summary>
internal static class ExitStatus
{
    /// <summary>The check cannot be made here, and has said why.</summary>
    internal const int Skipped = 77;

    /// <summary>It was asked to end.</summary>
    internal const int Ended = 143;

    /// <summary>It was ended at its limit.</summary>
    internal static bool IsLimit(int status) => status is 124 or 137;
}
