using System.Text.Json;

namespace Ioxide.Docs.Tests;

/// <summary>The files of deploy/ fit the programs and projects that they name.</summary>
public class DeployTests
{
    private static readonly string s_unit = Read("deploy/ioxide.service");

    /// <summary>What the unit starts is made by a sample, which <see cref="HelloTests"/> starts under a socket that was passed.</summary>
    [Fact]
    public void TheUnitStartsAProgramThatTakesTheSocket()
    {
        string program = s_unit.Split('\n').Single(static line => line.StartsWith("ExecStart=", StringComparison.Ordinal)).Split('/')[^1];
        Assert.Contains("UseSystemd()", Read($"samples/{program}/Program.cs"), StringComparison.Ordinal);
        Assert.Contains($"dotnet publish samples/{program} ", s_unit, StringComparison.Ordinal);
    }

    [Fact]
    public void TheUnitNeedsItsSocket()
    {
        Assert.True(File.Exists(Path.Combine(Repository.Root, "deploy/ioxide.socket")));
        Assert.Contains("Requires=ioxide.socket", s_unit, StringComparison.Ordinal);
    }

    /// <summary>What getting-started packs is each project that makes a package, and the templates.</summary>
    [Fact]
    public void EachPackageIsPacked()
    {
        using JsonDocument filter = JsonDocument.Parse(Read("Packages.slnf"));
        Assert.Equal(
            Directory.EnumerateFiles(Path.Combine(Repository.Root, "src"), "*.csproj", SearchOption.AllDirectories)
                .Where(static path => !File.ReadAllText(path).Contains("<IsPackable>false<", StringComparison.Ordinal))
                .Select(static path => Path.GetRelativePath(Repository.Root, path))
                .Append("templates/Ioxide.Templates.csproj")
                .Order(StringComparer.Ordinal),
            filter.RootElement.GetProperty("solution").GetProperty("projects").EnumerateArray()
                .Select(static project => project.GetString()!).Order(StringComparer.Ordinal)); // They are strings.
    }

    private static string Read(string file) => File.ReadAllText(Path.Combine(Repository.Root, file));
}
