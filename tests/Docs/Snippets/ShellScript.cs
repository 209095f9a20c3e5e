namespace Ioxide.Docs.Tests;

/// <summary>Runs or checks a script of the shell.</summary>
internal static class ShellScript
{
    /// <returns>Its exit status, and what it printed on both streams.</returns>
    internal static async Task<(int Status, string Output)> RunAsync(string text, bool checkOnly = false, string? folder = null)
    {
        (int status, string output, string error) = await Tool.TryRunAsync(
            ["bash", checkOnly ? "-n" : "-eu", "/dev/stdin"], text, 60.Seconds(), folder ?? Repository.Root);
        return (status, output + error);
    }
}
