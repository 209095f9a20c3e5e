using System.Diagnostics;

namespace Ioxide.Docs.Tests;

/// <summary>Runs or checks a script of the shell.</summary>
internal static class ShellScript
{
    /// <returns>Its exit status, and what it printed on both streams.</returns>
    internal static async Task<(int Status, string Output)> RunAsync(string text, bool checkOnly = false, string? folder = null)
    {
        var start = new ProcessStartInfo("bash", checkOnly ? ["-n", "/dev/stdin"] : ["-eu", "/dev/stdin"])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = folder ?? Repository.Root,
        };
        using Process process = Process.Start(start)!; // A new process.
        await process.StandardInput.WriteAsync(text);
        process.StandardInput.Close();
        Task<string> errors = process.StandardError.ReadToEndAsync();
        string output = await process.StandardOutput.ReadToEndAsync().Within(60.Seconds());
        output += await errors.Within(60.Seconds());
        await process.WaitForExitAsync().Within(60.Seconds());
        return (process.ExitCode, output);
    }
}
