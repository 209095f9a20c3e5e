namespace Ioxide.Chaos;

/// <summary>What a test measured, as lines of its output.</summary>
internal static class Figures
{
    internal static void Print(string line) => TestContext.Current.TestOutputHelper?.WriteLine(line);

    internal static string KiB(double bytes) => $"{bytes / 1024:F2} KiB";

    internal static string MiB(double bytes) => $"{bytes / (1024 * 1024):F1} MiB";
}
