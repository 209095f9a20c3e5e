using System.Diagnostics;

namespace Ioxide.Http2.Tests;

/// <summary>Runs a program of the machine as a client.</summary>
internal static class Tool
{
    /// <summary>What it printed. It must end by itself, with 0.</summary>
    internal static async Task<string> RunAsync(string path, params IEnumerable<string> arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo(path, arguments) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        Task<string> errors = process.StandardError.ReadToEndAsync();
        string text = await process.StandardOutput.ReadToEndAsync().Within(60.Seconds());
        await process.WaitForExitAsync().Within(30.Seconds());
        Assert.True(process.ExitCode == 0, $"{path} ended with {process.ExitCode}: {await errors}\n{text}");
        return text;
    }
}
