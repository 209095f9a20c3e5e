using Ioxide.Mutation;

namespace Ioxide.Simulation;

/// <summary>The mutation run (eng/mutation.sh) takes long and is no part of the tests: its catalogue is kept fit here.</summary>
public sealed class FaultCatalogTests
{
    private const int LeastFaults = 150;

    [Fact]
    public void EveryFaultFitsItsSourceOnce() => Assert.Empty(CatalogCheck.FindProblems(Repository.FindRoot()));

    [Fact]
    public void ThereAreEnoughFaults() => Assert.True(FaultCatalog.Tested.Length >= LeastFaults, $"{FaultCatalog.Tested.Length} faults");
}
