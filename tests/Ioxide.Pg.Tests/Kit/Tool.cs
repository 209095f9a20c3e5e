using System.Diagnostics;

namespace Ioxide.Pg.Tests;

/// <summary>Runs one program to its end.</summary>
internal static class Tool
{
    /// <summary>The program's path, or null where it is not installed.</summary>
    internal static string? Find(string name)
        => (Environment.GetEnvironmentVariable("PATH") ?? "").Split(':').Append("/usr/sbin").Append("/sbin")
            .Where(folder => folder.Length > 0)
            .Select(folder => Path.Combine(folder, name))
            .FirstOrDefault(File.Exists);

    /// <summary>What it wrote to its output.</summary>
    /// <param name="command">The program and its arguments.</param>
    /// <param name="input">What it reads.</param>
    /// <param name="limit">Longer, and it is killed and the call fails. Defaults to three minutes.</param>
    /// <exception cref="ToolFailedException">It ended with another status than 0.</exception>
    internal static async Task<string> RunAsync(string[] command, string input = "", TimeSpan? limit = null)
    {
        using Process process = Start(command);
        try
        {
            Task<string> output = process.StandardOutput.ReadToEndAsync();
            Task<string> error = process.StandardError.ReadToEndAsync();
            await WriteAsync(process, input).ConfigureAwait(false);
            await process.WaitForExitAsync().Within(limit ?? 180.Seconds(), string.Join(' ', command)).ConfigureAwait(false);
            string said = await error.ConfigureAwait(false);
            return process.ExitCode == 0
                ? await output.ConfigureAwait(false)
                : throw new ToolFailedException(command, process.ExitCode, said);
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill();
            }
        }
    }

    /// <summary>Starts one with redirected streams, without any variable of the environment that libpq reads.</summary>
    internal static Process Start(string[] command)
    {
        var start = new ProcessStartInfo(command[0], command[1..])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = "/",
        };
        foreach (string name in start.Environment.Keys.Where(name => name.StartsWith("PG", StringComparison.Ordinal)).ToArray())
        {
            start.Environment.Remove(name);
        }

        start.Environment["LC_ALL"] = "C";
        start.Environment["PGCLIENTENCODING"] = "UTF8";
        return Process.Start(start) ?? throw new InvalidOperationException($"{command[0]} did not start.");
    }

    private static async Task WriteAsync(Process process, string input)
    {
        try
        {
            await process.StandardInput.WriteAsync(input).ConfigureAwait(false);
            process.StandardInput.Close();
        }
        catch (IOException)
        {
            // It ended before it read all; its status tells why.
        }
    }
}
