using System.Diagnostics;

namespace Ioxide.Mutation;

/// <summary>Runs programs to their end, or to a limit of time.</summary>
internal static class ChildProcess
{
    /// <summary>The status of a program that was killed at its limit.</summary>
    internal const int TimedOut = -1;

    /// <summary>Runs a program and returns its exit status and what it printed.</summary>
    /// <param name="program">The program.</param>
    /// <param name="arguments">Its arguments.</param>
    /// <param name="limit">When it is killed, with everything that it started.</param>
    /// <param name="folder">Its working directory; this program's by default.</param>
    /// <param name="variables">Environment variables to set.</param>
    internal static (int Status, string Text) Run(
        string program, IEnumerable<string> arguments, TimeSpan limit, string? folder = null, params (string Name, string Value)[] variables)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = folder ?? "",
        };
        foreach ((string name, string value) in variables)
        {
            start.Environment[name] = value;
        }

        using Process process = Process.Start(start)!;
        process.StandardInput.Close();
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> error = process.StandardError.ReadToEndAsync();
        if (!process.WaitForExit(limit))
        {
            process.Kill(entireProcessTree: true);
            return (TimedOut, $"it hangs for {limit.TotalSeconds:0} s");
        }

        // What it started may live on and hold the pipes open.
        Task.WaitAll([output, error], TimeSpan.FromSeconds(5));
        return (process.ExitCode, TextOf(output) + TextOf(error));
    }

    private static string TextOf(Task<string> output) => output.IsCompletedSuccessfully ? output.Result : "";
}
