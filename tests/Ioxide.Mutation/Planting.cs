using System.Globalization;

namespace Ioxide.Mutation;

/// <summary>Plants switched faults in copies of source files.</summary>
internal static class Planting
{
    /// <summary>In a mutated text: true while this fault is the active one.</summary>
    internal const string Switch = "{active}";

    /// <summary>The content with one fault planted.</summary>
    /// <param name="content">The content of the file.</param>
    /// <param name="place">What to name in the error: the fault and its file.</param>
    /// <param name="text">What is replaced.</param>
    /// <param name="mutated">What takes its place.</param>
    /// <param name="number">The fault's number, from 1.</param>
    /// <exception cref="InvalidOperationException">The text does not occur exactly once.</exception>
    internal static string Plant(string content, string place, string text, string mutated, int number)
    {
        if (CountOf(text, content) != 1)
        {
            throw new InvalidOperationException($"{place}: this text must occur there once, and occurs {CountOf(text, content)} times: '{text}'");
        }

        string active = string.Create(CultureInfo.InvariantCulture, $"(global::Ioxide.Mutants.Active == {number})");
        return content.Replace(text, mutated.Replace(Switch, active, StringComparison.Ordinal), StringComparison.Ordinal);
    }

    /// <summary>Plants a fault of the catalogue.</summary>
    /// <param name="root">The repository.</param>
    /// <param name="fault">What to plant.</param>
    /// <param name="number">The fault's number, from 1.</param>
    /// <param name="planted">Files by their path in the repository, with the faults that were planted before.</param>
    /// <exception cref="InvalidOperationException">The fault's text does not occur exactly once.</exception>
    internal static void Plant(string root, Fault fault, int number, Dictionary<string, string> planted)
    {
        string file = $"src/{fault.Project}/{fault.File}";
        string content = planted.TryGetValue(file, out string? before) ? before : File.ReadAllText(Path.Combine(root, file));
        planted[file] = Plant(content, $"'{fault.Name}' in {file}", fault.Text, fault.Mutated, number);
    }

    /// <summary>How often the text occurs, overlaps included.</summary>
    private static int CountOf(string text, string content)
    {
        int count = 0;
        for (int at = content.IndexOf(text, StringComparison.Ordinal); at >= 0; at = content.IndexOf(text, at + 1, StringComparison.Ordinal))
        {
            count++;
        }

        return count;
    }
}
