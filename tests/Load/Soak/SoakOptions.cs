namespace Ioxide.Soak;

/// <summary>What one run is asked for.</summary>
/// <param name="Output">The folder of the samples and the plot.</param>
/// <param name="Duration">How long it loads, rests included.</param>
/// <param name="Seed">Every draw of loads and faults comes from it; the order in which they run is the machine's.</param>
internal sealed record SoakOptions(string Output, TimeSpan Duration, int Seed);
