using System.Text.RegularExpressions;

namespace Ioxide.Mutation;

/// <summary>Whether the catalogue still fits the sources: cheap, so that it is checked with every run of the tests.</summary>
internal static partial class CatalogCheck
{
    /// <summary>What does not fit; empty where all is well.</summary>
    internal static List<string> FindProblems(string root)
    {
        List<string> problems = [];
        Dictionary<string, SourceTree> tested = new(StringComparer.Ordinal), simulated = new(StringComparer.Ordinal);
        foreach (Fault fault in FaultCatalog.All)
        {
            try
            {
                // One behind the other, as they are planted: two that quote the same code are a problem too.
                SourceTree.Plant(root, fault.IsSimulated ? simulated : tested, fault);
            }
            catch (InvalidOperationException exception)
            {
                problems.Add(exception.Message);
            }

            if (!Array.Exists(fault.Patches, static patch => patch.Mutated.Contains(SourceTree.Switch, StringComparison.Ordinal)))
            {
                problems.Add($"'{fault.Name}' is not switched");
            }
        }

        problems.AddRange(FaultCatalog.Tested.Where(static fault => fault.IsSimulated).Select(static fault => $"'{fault.Name}' names no test class"));
        problems.AddRange(FaultCatalog.All.CountBy(static fault => fault.Name)
            .Where(static named => named.Value > 1).Select(static named => $"{named.Value} faults are called '{named.Key}'"));
        problems.AddRange(FindMissingClasses(root));
        return problems;
    }

    /// <summary>A class that is not there runs no test and so notices nothing.</summary>
    private static IEnumerable<string> FindMissingClasses(string root)
    {
        Dictionary<string, string> projects = Directory.EnumerateFiles(Path.Combine(root, "tests"), "*.csproj", SearchOption.AllDirectories)
            .ToDictionary(static file => Path.GetFileNameWithoutExtension(file), static file => Path.GetDirectoryName(file)!); // It lies in a folder.
        return FaultCatalog.Tested.SelectMany(static fault => fault.ClassNames).Distinct().GroupBy(Fault.TestProjectOf).SelectMany(named =>
            projects.TryGetValue(named.Key, out string? folder)
                ? named.Except(ClassesIn(folder).Select(type => $"{named.Key}.{type}")).Select(name => $"{folder} has no public class {name}")
                : [$"no project under tests is called {named.Key}"]);
    }

    private static IEnumerable<string> ClassesIn(string folder)
        => Directory.EnumerateFiles(folder, "*.cs", SearchOption.AllDirectories)
            .SelectMany(static file => Class().Matches(File.ReadAllText(file)))
            .Select(static match => match.Groups[1].Value);

    [GeneratedRegex(@"^public (?:\w+ )*class (\w+)", RegexOptions.Multiline)]
    private static partial Regex Class();
}
