namespace Ioxide.Mutation;

/// <summary>Whether the catalogue still fits the sources: cheap, so that it is checked with every run of the tests.</summary>
internal static class CatalogCheck
{
    /// <summary>What does not fit; empty where all is well.</summary>
    internal static List<string> FindProblems(string root)
    {
        List<string> problems = [];
        var names = new HashSet<string>(StringComparer.Ordinal);
        var trees = new Dictionary<string, SourceTree>(StringComparer.Ordinal);
        foreach (Fault fault in FaultCatalog.All)
        {
            try
            {
                // One behind the other, as they are planted: two that quote the same code are a problem too.
                SourceTree.Plant(root, trees, fault, number: 1);
            }
            catch (InvalidOperationException exception)
            {
                problems.Add(exception.Message);
            }

            if (!fault.Mutated.Contains(SourceTree.Switch, StringComparison.Ordinal))
            {
                problems.Add($"'{fault.Name}' is not switched");
            }

            if (!names.Add(fault.Name))
            {
                problems.Add($"two faults are called '{fault.Name}'");
            }

            if (fault.Classes.Length == 0)
            {
                problems.Add($"'{fault.Name}' names no test class");
            }
        }

        return problems;
    }
}
