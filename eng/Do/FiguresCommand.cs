using System.Globalization;

namespace Ioxide.Do;

/// <summary>
/// Writes <c>docs/figures.json</c>, which README and docs/trust.md quote: the number of tests that the last whole run of continuous integration passed, rounded
/// down to hundreds, and what the command line names (<c>seeds=1000000</c>). The mutation run writes its own two. <c>FigureTests</c> compares the documents.
/// </summary>
internal static class FiguresCommand
{
    internal const string CountFile = "artifacts/test-results/passed.txt";

    private const int Rounding = 100;

    /// <exception cref="UsageException">An argument is no figure, or no run is there to count.</exception>
    internal static int Run(string[] arguments)
    {
        var figures = new FiguresFile(".");
        foreach (string argument in arguments)
        {
            figures.Set(NameOf(argument, figures), NumberOf(argument));
        }

        if (arguments.Length == 0)
        {
            figures.Set("tests", File.Exists(CountFile)
                ? int.Parse(File.ReadAllText(CountFile), CultureInfo.InvariantCulture) / Rounding * Rounding
                : throw new UsageException($"eng/do figures: {CountFile} is missing. Run .ci/run first."));
        }

        figures.Save();
        return 0;
    }

    private static string NameOf(string argument, FiguresFile figures)
        => argument.Split('=')[0] is var name && figures.Names.Contains(name) ? name
            : throw new UsageException($"eng/do figures: '{argument}' names none of {string.Join(", ", figures.Names)}.");

    private static long NumberOf(string argument)
        => argument.Split('=') is [_, var number] && long.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out long value) ? value
            : throw new UsageException($"eng/do figures: '{argument}' has no number. Write NAME=NUMBER.");
}
