using System.Diagnostics;

namespace Ioxide.TestKit;

/// <summary>Runs programs of the machine, in the root folder and in the C locale, without the variables that libpq reads.</summary>
internal static class Tool
{
    /// <summary>The program's path, or null where it is not installed.</summary>
    internal static string? Find(string name)
        => (Environment.GetEnvironmentVariable("PATH") ?? "").Split(':').Append("/usr/sbin").Append("/sbin")
            .Where(folder => folder.Length > 0)
            .Select(folder => Path.Combine(folder, name))
            .FirstOrDefault(File.Exists);

    /// <summary>What a program wrote to its output by its end.</summary>
    /// <param name="command">The program and its arguments.</param>
    /// <param name="input">What it reads.</param>
    /// <param name="limit">Longer, and it is killed and the call fails. Defaults to three minutes.</param>
    /// <param name="variables">Variables of its environment; null removes one.</param>
    /// <exception cref="ToolFailedException">It ended with another status than 0.</exception>
    internal static async Task<string> RunAsync(
        string[] command, string input = "", TimeSpan? limit = null, params (string Name, string? Value)[] variables)
    {
        (int status, string output, string error) = await TryRunAsync(command, input, limit, null, variables).ConfigureAwait(false);
        return status == 0 ? output : throw new ToolFailedException(command, status, $"{output}\n{error}".Trim());
    }

    /// <summary>The same, whatever its exit status is, and in a folder.</summary>
    internal static async Task<(int Status, string Output, string Error)> TryRunAsync(
        string[] command, string input = "", TimeSpan? limit = null, string? folder = null, params (string Name, string? Value)[] variables)
    {
        using Process process = Start(command, folder, variables);
        try
        {
            Task<string> output = process.StandardOutput.ReadToEndAsync();
            Task<string> error = process.StandardError.ReadToEndAsync();
            await WriteAsync(process, input).ConfigureAwait(false);
            await process.WaitForExitAsync().Within(limit ?? 180.Seconds(), string.Join(' ', command)).ConfigureAwait(false);
            return (process.ExitCode, await output.ConfigureAwait(false), await error.ConfigureAwait(false));
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill();
            }
        }
    }

    /// <summary>Starts one with redirected streams.</summary>
    internal static Process Start(string[] command, string? folder = null, params (string Name, string? Value)[] variables)
    {
        var start = new ProcessStartInfo(command[0], command[1..])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = folder ?? "/",
        };
        foreach (string name in start.Environment.Keys.Where(name => name.StartsWith("PG", StringComparison.Ordinal)).ToArray())
        {
            start.Environment.Remove(name);
        }

        foreach ((string name, string? value) in (IEnumerable<(string, string?)>)[("LC_ALL", "C"), ("PGCLIENTENCODING", "UTF8"), .. variables])
        {
            start.Environment.Remove(name);
            if (value is not null)
            {
                start.Environment[name] = value;
            }
        }

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
