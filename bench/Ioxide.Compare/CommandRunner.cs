using System.ComponentModel;
using System.Diagnostics;

namespace Ioxide.Compare;

/// <summary>Runs other programs.</summary>
internal static class CommandRunner
{
    /// <summary>Runs a program to its end.</summary>
    /// <param name="timeout">After it the program counts as hung and is killed.</param>
    /// <exception cref="RefusedException">The program is not there, or hung.</exception>
    /// <exception cref="OperationCanceledException">It was asked to stop; the program is killed.</exception>
    internal static async Task<CommandOutput> RunAsync(
        string program, IEnumerable<string> arguments, TimeSpan timeout, CancellationToken cancellation)
    {
        using Process process = Start(new ProcessStartInfo(program, arguments));
        Task<string> output = process.StandardOutput.ReadToEndAsync(CancellationToken.None);
        Task<string> error = process.StandardError.ReadToEndAsync(CancellationToken.None);
        try
        {
            await process.WaitForExitAsync(cancellation).WaitAsync(timeout, cancellation);
        }
        catch (Exception exception) when (exception is OperationCanceledException or TimeoutException)
        {
            process.Kill();
            if (exception is TimeoutException)
            {
                throw new RefusedException($"{program} did not end within {timeout.TotalSeconds:0} s.");
            }

            throw;
        }

        return new CommandOutput(process.ExitCode, await output, await error);
    }

    /// <returns>Where a program lies. Null where the path has none of that name.</returns>
    internal static string? Find(string program)
        => Environment.GetEnvironmentVariable("PATH")?.Split(':').Select(folder => Path.Combine(folder, program)).FirstOrDefault(File.Exists);

    /// <summary>Starts a program with both its outputs redirected.</summary>
    /// <exception cref="RefusedException">The program is not there.</exception>
    internal static Process Start(ProcessStartInfo start)
    {
        start.RedirectStandardOutput = true;
        start.RedirectStandardError = true;
        try
        {
            return Process.Start(start) ?? throw new RefusedException($"{start.FileName} did not start.");
        }
        catch (Win32Exception exception)
        {
            throw new RefusedException($"{start.FileName} cannot be started: {exception.Message}");
        }
    }
}
