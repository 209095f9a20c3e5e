using System.Globalization;

namespace Ioxide.Mutation;

/// <summary>A copy of the runtime with every fault in it that the simulation must notice, and the simulation beside it; a variable switches one on.</summary>
internal sealed class SimulatedCopy : IDisposable
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

        // A world takes milliseconds.
        const int LimitSeconds = 15;
        ulong current = 0, before = 0;
        using var watch = new Timer(
            _ =>
            {
                ulong seed = Volatile.Read(ref current);
                if (seed == before)
                {
                    Console.WriteLine($"seed {seed}: it hangs for {LimitSeconds} s");
                    Environment.Exit(1);
                }

                before = seed;
            },
            null,
            TimeSpan.FromSeconds(LimitSeconds),
            TimeSpan.FromSeconds(LimitSeconds));
        for (ulong seed = 1; seed <= ulong.Parse(args[0]); seed++)
        {
            Volatile.Write(ref current, seed);
            using var world = new World(seed);
            world.Run();
            if (HasFailed(world.Violation))
            {
                return 1;
            }

            // A whole group takes as long as ten of them.
            if (seed <= 500)
            {
                using var group = new GroupWorld(seed);
                group.Run();
                if (HasFailed(group.Violation))
                {
                    return 1;
                }
            }
        }

        return 0;

        bool HasFailed(string? violation)
        {
            if (violation is not null)
            {
                Console.WriteLine($"seed {current}: {violation.ReplaceLineEndings(" ")}");
            }

            return violation is not null;
        }
        """;

    private const string Prefix = "run-";
    private const int Seeds = 2000;

    // The program sees by itself that a world hangs. The runtime as it is may be slow on a busy machine.
    private static readonly TimeSpan s_soundLimit = TimeSpan.FromMinutes(10);

    private readonly string _program;

    /// <summary>When a run with a fault counts as one that hangs.</summary>
    internal static TimeSpan RunLimit { get; } = TimeSpan.FromMinutes(2);

    private SimulatedCopy(string program) => _program = program;

    /// <summary>Copies, changes and builds the sources. Throws where a change does not fit them any more.</summary>
    internal static SimulatedCopy Make()
    {
        string root = Repository.FindRoot();
        string all = Path.Combine(root, "artifacts", "mutants"), folder = Path.Combine(all, $"{Prefix}{Environment.ProcessId}");
        DeleteLeft(all);
        Directory.CreateDirectory(folder);
        string source = Path.Combine(folder, "src");
        Copy(
            Path.Combine(root, "tests", "Simulation"),
            Path.Combine(folder, "simulation"),
            static path => path.StartsWith("Kernel", StringComparison.Ordinal)
                || path.StartsWith("World", StringComparison.Ordinal)
                || path.StartsWith("Group", StringComparison.Ordinal)
                || path.StartsWith("Application", StringComparison.Ordinal));
        var trees = new Dictionary<string, SourceTree>(StringComparer.Ordinal);
        foreach (Fault fault in FaultCatalog.Simulated)
        {
            SourceTree.Plant(root, trees, fault);
        }

        foreach ((string path, string content) in trees["Ioxide"].Files)
        {
            Directory.CreateDirectory(Path.GetDirectoryName(Path.Combine(source, path))!);
            File.WriteAllText(Path.Combine(source, path), content);
        }

        IEnumerable<string> usings = File.ReadLines(Path.Combine(root, "src", "Ioxide", "Ioxide.csproj"))
            .Where(static line => line.Contains("<Using ", StringComparison.Ordinal));
        File.WriteAllText(
            Path.Combine(folder, "Ioxide.Mutants.csproj"), Project.Replace("USINGS", string.Join('\n', usings), StringComparison.Ordinal));
        File.WriteAllText(Path.Combine(folder, "Program.cs"), Program);
        File.WriteAllText(Path.Combine(folder, "Mutants.cs"), SourceTree.SwitchFile);

        // The repository's own rules are for its sources, not for broken copies of them.
        File.WriteAllText(Path.Combine(folder, "Directory.Build.props"), "<Project />");
        File.WriteAllText(Path.Combine(folder, "Directory.Build.targets"), "<Project />");
        File.WriteAllText(Path.Combine(folder, "Directory.Packages.props"), "<Project />");
        File.WriteAllText(Path.Combine(folder, ".editorconfig"), "root = true\n");
        string output = Path.Combine(folder, "out");
        (int status, string text) = ChildProcess.Run(
            "dotnet", ["build", folder, "-c", "Release", "-v", "quiet", "-o", output], TimeSpan.FromMinutes(5), null, ("MSBUILDDISABLENODEREUSE", "1"));
        return status == 0
            ? new SimulatedCopy(Path.Combine(output, "Ioxide.Mutants"))
            : throw new InvalidOperationException($"the faulty copy does not build:\n{text}");
    }

    /// <summary>What noticed the fault, or null where it lived through all seeds.</summary>
    /// <param name="number">From 1; 0 is the runtime as it is.</param>
    internal string? Run(int number)
    {
        (int status, string text) = ChildProcess.Run(
            _program, [Seeds.ToString(CultureInfo.InvariantCulture)], number == 0 ? s_soundLimit : RunLimit, null,
            (SourceTree.Variable, number.ToString(CultureInfo.InvariantCulture)));
        return status == 0 ? null : text.Trim() is { Length: > 0 } said ? said : $"ended with status {status}";
    }

    public void Dispose() => Directory.Delete(Path.GetDirectoryName(Path.GetDirectoryName(_program)!)!, recursive: true);

    /// <summary>Deletes what ended processes left.</summary>
    private static void DeleteLeft(string folder)
    {
        foreach (string left in Directory.Exists(folder) ? Directory.GetDirectories(folder, $"{Prefix}*") : [])
        {
            if (!Directory.Exists($"/proc/{Path.GetFileName(left)[Prefix.Length..]}"))
            {
                Directory.Delete(left, recursive: true);
            }
        }
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
