using System.Globalization;

namespace Ioxide.Do.Kernels;

/// <summary>What a unit came to on a kernel: a line of <c>docs/kernels/KERNEL/results.tsv</c>.</summary>
/// <param name="Unit">Its name.</param>
/// <param name="Release">The kernel's release.</param>
/// <param name="Commit">What was tested.</param>
/// <param name="Seconds">How long it took, with the start of the machine.</param>
internal sealed record KernelResult(string Unit, string Release, string Commit, int Passed, int Failed, int Skipped, int Seconds, DateOnly Day)
{
    /// <summary>Reads a file of lines.</summary>
    internal static Dictionary<string, KernelResult> ReadAll(string file)
        => File.Exists(file) ? File.ReadLines(file).Select(Parse).ToDictionary(static result => result.Unit) : [];

    /// <summary>It needs no other run on that release.</summary>
    internal bool HasPassedOn(string release) => Failed == 0 && Passed > 0 && Release == release;

    internal string Line() => string.Create(
        CultureInfo.InvariantCulture, $"{Unit}\t{Release}\t{Commit}\t{Passed}\t{Failed}\t{Skipped}\t{Seconds}\t{Day:yyyy-MM-dd}");

    private static KernelResult Parse(string line)
    {
        string[] parts = line.Split('\t');
        return new(
            parts[0], parts[1], parts[2], Number(parts[3]), Number(parts[4]), Number(parts[5]), Number(parts[6]),
            DateOnly.ParseExact(parts[7], "yyyy-MM-dd", CultureInfo.InvariantCulture));
    }

    private static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);
}
