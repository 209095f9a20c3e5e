using System.Diagnostics;

namespace Ioxide.TestKit;

/// <summary>One run of <c>Ioxide.BreachHost</c>, which is built beside the tests.</summary>
internal static class ChildProcess
{
    /// <summary>How a process ends that <c>abort</c> ended: 128 and the signal's number.</summary>
    internal const int Aborted = 128 + 6;

    /// <summary>Runs it to its end.</summary>
    /// <param name="name">What it does; see <see cref="Breaches"/>.</param>
    /// <param name="limits">A command and its arguments that start it with other limits or another user.</param>
    /// <returns>Its exit status and everything that it wrote.</returns>
    internal static async Task<(int Status, string Output)> RunAsync(string name, params string[] limits)
    {
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Name;
        string assembly = Path.GetFullPath(Path.Combine(
            AppContext.BaseDirectory, "../../Ioxide.BreachHost", configuration, "Ioxide.BreachHost.dll"));
        string[] command = [.. limits, "dotnet", assembly, name];
        var start = new ProcessStartInfo(command[0], command[1..])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = "/",
        };
        start.Environment["DOTNET_EnableDiagnostics"] = "0";
        start.Environment["DOTNET_DbgEnableMiniDump"] = "0";
        using Process process = Process.Start(start) ?? throw new InvalidOperationException($"{command[0]} did not start.");
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> error = process.StandardError.ReadToEndAsync();
        try
        {
            await process.WaitForExitAsync().Within(30.Seconds(), $"the end of {name}").ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            process.Kill();
            throw;
        }

        return (process.ExitCode, $"{await output.ConfigureAwait(false)}{await error.ConfigureAwait(false)}");
    }
}
