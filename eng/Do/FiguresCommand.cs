using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Ioxide.Do;

/// <summary>
/// Writes <c>docs/figures.json</c>, which README and docs/trust.md quote: the number of tests that the last whole run of continuous integration passed, rounded
/// down to hundreds, and what the command line names (<c>seeds=1000000</c>). The mutation run writes its own two. <c>FigureTests</c> compares the documents.
/// </summary>
internal static class FiguresCommand
{
    internal const string CountFile = "artifacts/test-results/passed.txt";

    private const string Figures = "docs/figures.json";
    private const int Rounding = 100;

    private static readonly JsonSerializerOptions s_indented = new() { WriteIndented = true };

    /// <exception cref="UsageException">An argument is no figure, or no run is there to count.</exception>
    internal static int Run(string[] arguments)
    {
        JsonObject figures = JsonNode.Parse(File.ReadAllText(Figures))!.AsObject(); // It is an object.
        foreach (string argument in arguments)
        {
            figures[NameOf(argument, figures)] = NumberOf(argument);
        }

        if (arguments.Length == 0)
        {
            figures["tests"] = File.Exists(CountFile)
                ? int.Parse(File.ReadAllText(CountFile), CultureInfo.InvariantCulture) / Rounding * Rounding
                : throw new UsageException($"eng/do figures: {CountFile} is missing. Run .ci/run first.");
        }

        File.WriteAllText(Figures, figures.ToJsonString(s_indented) + "\n");
        Console.WriteLine($"{Figures}: {figures.ToJsonString()}");
        return 0;
    }

    private static string NameOf(string argument, JsonObject figures)
        => argument.Split('=')[0] is var name && figures.ContainsKey(name) ? name
            : throw new UsageException($"eng/do figures: '{argument}' names none of {string.Join(", ", figures.Select(static each => each.Key))}.");

    private static long NumberOf(string argument)
        => argument.Split('=') is [_, var number] && long.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out long value) ? value
            : throw new UsageException($"eng/do figures: '{argument}' has no number. Write NAME=NUMBER.");
}
