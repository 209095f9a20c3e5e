using System.Globalization;

namespace Ioxide;

/// <summary>How short of processors the machine is.</summary>
/// <remarks>Source: Documentation/accounting/psi.rst (Linux 4.20, where the kernel was built with it and it was not switched off).</remarks>
internal static class CpuPressure
{
    /// <summary>The share of the last ten seconds in which some task waited for a processor, from 0 to 1; 0 where the kernel does not say.</summary>
    internal static double Recent(string path = "/proc/pressure/cpu")
    {
        // some avg10=32.76 avg60=51.33 avg300=60.18 total=17282866081
        const string Start = "some avg10=";
        string text = KernelFile.Text(path);
        int end = text.IndexOf(' ', Math.Min(text.Length, Start.Length));
        return text.StartsWith(Start, StringComparison.Ordinal) && end > 0
            && double.TryParse(text.AsSpan(Start.Length, end - Start.Length), CultureInfo.InvariantCulture, out double percent)
                ? percent / 100
                : 0;
    }
}
