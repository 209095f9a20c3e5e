using Ioxide.Compare;

namespace Ioxide.Bench.Tests;

/// <summary>How a side is named on the command line.</summary>
public class SideCatalogTests
{
    private const string HostingLog = "Logging__LogLevel__Microsoft.AspNetCore.Hosting.Diagnostics";

    [Fact]
    public void AQuietSideIsTheSameSideWithoutTheLogOfTheHost()
    {
        Side quiet = SideCatalog.Parse("ioxide-quiet+A=1", SideCatalog.Http);

        Assert.Equal("ioxide-quiet+A=1", quiet.Name);
        Assert.Equal(SideCatalog.Ioxide.Arguments, quiet.Arguments);
        Assert.Equal(
            SideCatalog.Ioxide.Environment.Append(new(HostingLog, "None")).Append(new("A", "1")).OrderBy(static pair => pair.Key),
            quiet.Environment.OrderBy(static pair => pair.Key));
        Assert.DoesNotContain(HostingLog, SideCatalog.Parse("ioxide", SideCatalog.Http).Environment.Keys);
    }

    [Fact]
    public void AServerWithoutTheHostHasNoQuietSide()
        => Assert.Throws<ArgumentException>(() => SideCatalog.Parse("nginx-quiet", [.. SideCatalog.Http, SideCatalog.Nginx]));

    [Fact]
    public void EachWorkloadHasTheSidesThatAreRun()
        => Assert.All(WorkloadCatalog.All, static workload => Assert.Subset(
            workload.Sides.Select(static side => side.Name).ToHashSet(), workload.RunSides.ToHashSet()));
}
