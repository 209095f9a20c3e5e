namespace Ioxide.AspNetCore.Tests;

/// <summary>What a machine adds to a stretch of code, and what is known of it.</summary>
/// <param name="Shortage">The share of stretches that wait for a processor, 5 to 100 ms.</param>
/// <param name="Collections">The share of stretches that a collection stops, 1 to 20 ms.</param>
/// <param name="FirstCompilation">Microseconds that the first run of an endpoint compiles, at most.</param>
/// <param name="ChargesWaits">Whether runs on the pool are charged for waits, and all runs for compilation, as commit 5384037 did.</param>
internal sealed record SimulatedMachine(double Shortage, double Collections, int FirstCompilation, bool ChargesWaits = false)
{
    /// <summary>How long the stretch is on the clock, and how long it is for who judges it.</summary>
    internal (long Lasted, long Held) Time(Random random, long workUs, bool isFirst, bool isOnPool)
    {
        long waits = random.NextDouble() < Shortage ? random.Next(5_000, 100_000) : 0;
        long collects = random.NextDouble() < Collections ? random.Next(1_000, 20_000) : 0;
        long compiles = isFirst ? random.Next(1, FirstCompilation) : 0;
        long held = workUs + (ChargesWaits ? compiles + (isOnPool ? waits : 0) : 0);
        return (workUs + waits + collects + compiles, held);
    }
}
