namespace Ioxide.Mutation;

/// <summary>Whether the catalogue still fits the sources: cheap, so that it is checked with every run of the tests.</summary>
internal static class CatalogCheck
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
        return problems;
    }
}
