using System.Globalization;

namespace Ioxide.Tls.Tests;

/// <summary>What the kernel says of its TLS: /proc/net/tls_stat.</summary>
internal static class KernelTlsStatistics
{
    private const string Path = "/proc/net/tls_stat";

    /// <summary>Whether there is TLS in this kernel.</summary>
    internal static bool IsThere => File.Exists(Path);

    /// <summary>Everything, for the message of a failed assertion.</summary>
    internal static string Text => File.ReadAllText(Path);

    internal static void SkipWithoutKernelTls() => Assert.SkipUnless(IsThere, "This kernel has no TLS (eng/ktls-tests.sh has).");

    /// <summary>Whether this kernel has such a counter.</summary>
    internal static bool Has(string counter) => Counters().Any(pair => pair.Name == counter);

    internal static long Read(string counter) => Counters().Single(pair => pair.Name == counter).Value;

    private static IEnumerable<(string Name, long Value)> Counters()
        => File.ReadLines(Path)
            .Select(line => line.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries))
            .Select(parts => (parts[0], long.Parse(parts[1], CultureInfo.InvariantCulture)));
}
