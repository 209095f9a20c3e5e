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
        // It chooses its kernel for itself, whatever the suite runs on.
        (int status, string output, string error) = await Tool.TryRunAsync(
            [.. limits, .. HostProcess.CommandOf("Ioxide.BreachHost"), name],
            limit: 60.Seconds(),
            variables: [(TestKernel.Variable, null), ("DOTNET_EnableDiagnostics", "0"), ("DOTNET_DbgEnableMiniDump", "0")]).ConfigureAwait(false);
        return (status, output + error);
    }
}
