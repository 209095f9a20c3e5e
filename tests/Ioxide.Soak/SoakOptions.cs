using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Ioxide.Soak;

/// <summary>What one run is asked for.</summary>
/// <param name="Duration">How long it loads, rests included.</param>
/// <param name="Seed">Every draw of loads and faults comes from it; the order in which they run is the machine's.</param>
/// <param name="Output">Where the samples and the plot go.</param>
internal sealed record SoakOptions(TimeSpan Duration, int Seed, string Output)
{
    internal static bool TryParse(string[] args, [NotNullWhen(true)] out SoakOptions? options)
    {
        options = null;
        string output = Path.Combine("artifacts", "soak");
        List<string> plain = [];
        for (int i = 0; i < args.Length; i++)
        {
            if (args[i] == "--output" && i + 1 < args.Length)
            {
                output = args[++i];
            }
            else
            {
                plain.Add(args[i]);
            }
        }

        int seed = Environment.TickCount & 0xFFFFFF;
        if (plain.Count is < 1 or > 2
            || !double.TryParse(plain[0], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double minutes)
            || minutes <= 0
            || (plain.Count == 2 && !int.TryParse(plain[1], NumberStyles.None, CultureInfo.InvariantCulture, out seed)))
        {
            return false;
        }

        options = new(TimeSpan.FromMinutes(minutes), seed, output);
        return true;
    }
}
