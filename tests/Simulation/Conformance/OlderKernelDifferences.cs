namespace Ioxide.Simulation;

/// <summary>The scripts in which a kernel older than the one that is simulated answers otherwise, and why the runtime may take either answer.</summary>
/// <remarks>The simulated kernel does what Linux 6.18 does. Found by <c>eng/do kernels</c>.</remarks>
internal static class OlderKernelDifferences
{
    private static readonly Dictionary<string, (Version Since, string Reason)> s_reasons = [];

    internal static IEnumerable<string> Names => s_reasons.Keys;

    /// <summary>Why this kernel may answer otherwise than the simulated one; null where it may not.</summary>
    internal static string? Of(string script)
        => s_reasons.TryGetValue(script, out (Version Since, string Reason) entry) && Environment.OSVersion.Version < entry.Since ? entry.Reason : null;
}
