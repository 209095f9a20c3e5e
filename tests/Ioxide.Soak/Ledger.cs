using System.Globalization;

namespace Ioxide.Soak;

/// <summary>What the reactors of the server hold and what nobody handled, as one line of text between the processes.</summary>
/// <param name="Connections">Open connections.</param>
/// <param name="Operations">Operations in flight.</param>
/// <param name="Buffers">Receive buffers that the application holds.</param>
/// <param name="Queued">Posted work that waits.</param>
/// <param name="Unobserved">Exceptions of tasks that nobody awaited, and of code on reactors, since the start.</param>
/// <param name="CommittedBytes">What the collector has of the kernel, as of its last collection.</param>
/// <param name="HeapBytes">The managed heap.</param>
/// <param name="PooledBytes">What the reactors keep for receive buffers and blocks to send; part of the heap.</param>
/// <param name="Gen0">Collections of generation 0 and above.</param>
/// <param name="Gen1">Collections of generation 1 and above.</param>
/// <param name="Gen2">Full collections.</param>
internal readonly record struct Ledger(
    int Connections, int Operations, int Buffers, int Queued, long Unobserved, long CommittedBytes, long HeapBytes, long PooledBytes, int Gen0, int Gen1, int Gen2)
{
    /// <summary>What must be the same whenever nobody is connected.</summary>
    internal string Held => string.Create(
        CultureInfo.InvariantCulture,
        $"{Connections} connections, {Operations} operations, {Buffers} buffers, {Queued} queued");

    internal static Ledger Parse(string text)
    {
        long[] numbers = [.. text.Split(' ').Select(number => long.Parse(number, CultureInfo.InvariantCulture))];
        return new(
            (int)numbers[0], (int)numbers[1], (int)numbers[2], (int)numbers[3], numbers[4], numbers[5], numbers[6], numbers[7],
            (int)numbers[8], (int)numbers[9], (int)numbers[10]);
    }

    internal string Format() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Connections} {Operations} {Buffers} {Queued} {Unobserved} {CommittedBytes} {HeapBytes} {PooledBytes} {Gen0} {Gen1} {Gen2}");
}
