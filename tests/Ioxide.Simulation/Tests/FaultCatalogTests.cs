using Ioxide.Mutation;

namespace Ioxide.Simulation;

/// <summary>The mutation run (eng/mutation.sh) takes long and is no part of the tests: its catalogue is kept fit here.</summary>
public sealed class FaultCatalogTests
{
    private const int LeastFaults = 150;

    [Fact]
    public void EveryFaultFitsItsSourceOnce() => Assert.Empty(CatalogCheck.FindProblems(Repository.FindRoot()));

    /// <summary>Without a build: that takes minutes.</summary>
    [Fact]
    public void EveryMutantOfTheSimulatorFitsItsSourceOnce()
        => Assert.NotEmpty(MutantBuild.Plant(new SourceTree(Path.Combine(Repository.FindRoot(), "src", "Ioxide"))).Changed);

    [Fact]
    public void ThereAreEnoughFaults()
        => Assert.True(FaultCatalog.All.Length >= LeastFaults, $"{FaultCatalog.All.Length} faults");
}
