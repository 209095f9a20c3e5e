using System.Globalization;
using Ioxide.Mutation;

namespace Ioxide.Simulation;

/// <summary>A copy of the runtime with every mutant in it, chosen when it starts, and the simulation beside it.</summary>
internal sealed class MutantBuild
{
    private const string Project = """
        <Project Sdk="Microsoft.NET.Sdk">
          <PropertyGroup>
            <TargetFramework>net10.0</TargetFramework>
            <OutputType>Exe</OutputType>
            <AssemblyName>Ioxide.Mutants</AssemblyName>
            <LangVersion>latest</LangVersion>
            <Nullable>enable</Nullable>
            <ImplicitUsings>enable</ImplicitUsings>
            <AllowUnsafeBlocks>true</AllowUnsafeBlocks>
            <InvariantGlobalization>true</InvariantGlobalization>
            <TreatWarningsAsErrors>false</TreatWarningsAsErrors>
            <NoWarn>$(NoWarn);CS0162;CS1591;IOX1001</NoWarn>
          </PropertyGroup>
          <ItemGroup>
        USINGS
          </ItemGroup>
        </Project>
        """;

    private const string Program = """
        using Ioxide.Simulation;

        Ioxide.Mutants.Active = int.Parse(args[0]);
        for (ulong seed = 1; seed <= ulong.Parse(args[1]); seed++)
        {
            using var world = new World(seed);
            world.Run();
            if (world.Violation is { } violation)
            {
                Console.WriteLine($"seed {seed}: {violation.ReplaceLineEndings(" ")}");
                return 1;
            }
        }

        return 0;
        """;

    private const string Switch = """
        namespace Ioxide;

        internal static class Mutants
        {
            internal static int Active;
        }
        """;

    private static readonly TimeSpan s_runLimit = TimeSpan.FromSeconds(60);

    private readonly string _program;

    private MutantBuild(string program) => _program = program;

    /// <summary>Copies, changes and builds the sources. Throws where a change does not fit them any more.</summary>
    internal static MutantBuild Make()
    {
        string root = Repository.FindRoot();
        string folder = Path.Combine(root, "artifacts", "mutants", $"run-{Environment.ProcessId}");
        Directory.CreateDirectory(folder);
        string source = Path.Combine(folder, "src");
        Copy(
            Path.Combine(root, "tests", "Ioxide.Simulation"),
            Path.Combine(folder, "simulation"),
            static path => path.StartsWith("Kernel", StringComparison.Ordinal)
                || path.StartsWith("World", StringComparison.Ordinal)
                || path.StartsWith("Application", StringComparison.Ordinal));
        foreach ((string path, string content) in Plant(new SourceTree(Path.Combine(root, "src", "Ioxide"))).Files)
        {
            Directory.CreateDirectory(Path.GetDirectoryName(Path.Combine(source, path))!);
            File.WriteAllText(Path.Combine(source, path), content);
        }

        IEnumerable<string> usings = File.ReadLines(Path.Combine(root, "src", "Ioxide", "Ioxide.csproj"))
            .Where(static line => line.Contains("<Using ", StringComparison.Ordinal));
        File.WriteAllText(
            Path.Combine(folder, "Ioxide.Mutants.csproj"), Project.Replace("USINGS", string.Join('\n', usings), StringComparison.Ordinal));
        File.WriteAllText(Path.Combine(folder, "Program.cs"), Program);
        File.WriteAllText(Path.Combine(folder, "Mutants.cs"), Switch);

        // The repository's own rules are for its sources, not for broken copies of them.
        File.WriteAllText(Path.Combine(folder, "Directory.Build.props"), "<Project />");
        File.WriteAllText(Path.Combine(folder, "Directory.Build.targets"), "<Project />");
        File.WriteAllText(Path.Combine(folder, "Directory.Packages.props"), "<Project />");
        File.WriteAllText(Path.Combine(folder, ".editorconfig"), "root = true\n");
        string output = Path.Combine(folder, "out");
        (int status, string text) = ChildProcess.Run(
            "dotnet", ["build", folder, "-c", "Release", "-v", "quiet", "-o", output], TimeSpan.FromMinutes(5), null, ("MSBUILDDISABLENODEREUSE", "1"));
        Assert.True(status == 0, text);
        return new MutantBuild(Path.Combine(output, "Ioxide.Mutants"));
    }

    /// <summary>What killed the mutant, or null where it lived through all seeds.</summary>
    /// <param name="number">From 1; 0 is the runtime as it is.</param>
    /// <param name="seeds">How many seeds it has to live through.</param>
    internal string? Kill(int number, int seeds)
    {
        (int status, string text) = ChildProcess.Run(
            _program, [number.ToString(CultureInfo.InvariantCulture), seeds.ToString(CultureInfo.InvariantCulture)], s_runLimit);
        return status == 0 ? null : text.Trim() is { Length: > 0 } said ? said : $"ended with status {status}";
    }

    internal void Delete() => Directory.Delete(Path.GetDirectoryName(Path.GetDirectoryName(_program)!)!, recursive: true);

    /// <summary>Plants every mutant; a mutant's number is its place in the list, from 1.</summary>
    internal static SourceTree Plant(SourceTree sources)
    {
        for (int number = 1; number <= MutantCatalog.All.Length; number++)
        {
            Mutant mutant = MutantCatalog.All[number - 1];
            foreach ((string member, string code, string mutated) in mutant.Patches)
            {
                sources.Plant(mutant.Name, member, code, mutated, number);
            }
        }

        return sources;
    }

    private static void Copy(string from, string to, Func<string, bool> isWanted)
    {
        foreach (string path in Directory.EnumerateFiles(from, "*.cs", SearchOption.AllDirectories))
        {
            string relative = Path.GetRelativePath(from, path);
            if (isWanted(relative))
            {
                string target = Path.Combine(to, relative);
                Directory.CreateDirectory(Path.GetDirectoryName(target)!);
                File.Copy(path, target, overwrite: true);
            }
        }
    }
}
