using System.Globalization;

namespace Ioxide.Chaos;

/// <summary>How many descriptors this process may have. The .NET runtime has raised the soft limit to the hard one.</summary>
internal static class OpenFiles
{
    private const int Others = 500;

    /// <summary>Skips the test where so many sockets do not fit.</summary>
    internal static void Require(int sockets)
    {
        long limit = Limit();
        Assert.SkipUnless(limit >= sockets + Others, $"{sockets} sockets need a limit of open files above {limit}.");
    }

    private static long Limit()
    {
        const string Label = "Max open files";
        string line = File.ReadLines("/proc/self/limits").First(line => line.StartsWith(Label, StringComparison.Ordinal));
        string soft = line[Label.Length..].Split(' ', StringSplitOptions.RemoveEmptyEntries)[0];
        return soft == "unlimited" ? long.MaxValue : long.Parse(soft, CultureInfo.InvariantCulture);
    }
}
