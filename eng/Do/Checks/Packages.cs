using System.IO.Compression;
using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;

namespace Ioxide.Do.Checks;

/// <summary>The packages: what is in them, that a second build agrees, and that they work where they are used.</summary>
internal static partial class Packages
{
    private const string Folder = "artifacts/packages";

    // What the feed takes.
    private const int MaxNotes = 35_000;

    // Those that packages carry code for: AheadRuntime in Directory.Build.targets.
    private static readonly string[] s_runtimes = ["linux-x64", "linux-arm64"];

    private static readonly string[] s_outputs = ["dll", "pdb", "xml"];

    /// <summary>
    /// Each project under src/ gives a package and its symbols, with the assembly (portable, and compiled ahead), its documentation and a README inside.
    /// </summary>
    internal static Check Pack => new("packages", static async log =>
    {
        if (Directory.Exists(Folder))
        {
            Directory.Delete(Folder, recursive: true);
        }

        int status = await log.RunAsync(600, "dotnet", "pack", "Packages.slnf", "-c", "Release", "--no-build", "-v", "quiet", "-o", Folder);
        string[] faults = status == 0 ? [.. Projects().SelectMany(FaultsOf)] : [];
        foreach (string fault in faults)
        {
            log.Say(fault);
        }

        return status != 0 ? status : faults.Length > 0 ? 1 : 0;
    });

    /// <summary>A clean build in a copy of the tree, at another path, gives the bytes that the Release run tested.</summary>
    internal static Check Reproducible => new("the same Release build elsewhere is identical", static async log =>
    {
        DirectoryInfo work = Directory.CreateTempSubdirectory("ioxide-copy-");
        try
        {
            string copy = Path.Combine(work.FullName, "another/copy"), packages = Path.Combine(work.FullName, "packages");
            const string Copy = """
                mkdir -p "$0"
                git ls-files -coz --exclude-standard | while IFS= read -r -d '' file; do [[ ! -e $file ]] || printf '%s\0' "$file"; done |
                    tar --create --null --files-from=- | tar --extract --directory="$0"
                cp -a .git "$0/.git"
                """;
            int status = await log.RunAsync(60, "bash", "-euo", "pipefail", "-c", Copy, copy);
            status = status != 0 ? status
                : await log.RunBesideAsync(900, "dotnet", "build", $"{copy}/Packages.slnf", "-c", "Release", "-v", "quiet", "-p:RunAnalyzers=false");
            status = status != 0 ? status
                : await log.RunBesideAsync(300, "dotnet", "pack", $"{copy}/Packages.slnf", "-c", "Release", "--no-build", "-v", "quiet", "-o", packages);
            if (status != 0)
            {
                return status;
            }

            IEnumerable<(string, string)> outputs =
                from project in Projects()
                from end in s_outputs
                let file = $"artifacts/bin/{project}/release/{project}.{end}"
                select (file, Path.Combine(copy, file));
            IEnumerable<(string, string)> packed = Directory.EnumerateFiles(Folder, "*.*nupkg")
                .Select(file => (file, Path.Combine(packages, Path.GetFileName(file))));
            foreach ((string one, string other) in outputs.Concat(packed))
            {
                status |= await log.RunAsync(60, "cmp", one, other) == 0 ? 0 : 1;
            }

            return status;
        }
        finally
        {
            work.Delete(recursive: true);
        }
    });

    /// <summary>Publishes a trimmed, self-contained host, which serves itself requests. A warning of the trimmer is an error.</summary>
    internal static Check Trimmed => new("trimmed host", static log => PublishAsync(log, "trimmed", "-p:PublishTrimmed=true"));

    /// <summary>The same host by NativeAOT.</summary>
    internal static Check Native => new("native host", static async log =>
    {
        foreach (string linker in (string[])["clang", "gcc"])
        {
            if (await log.RunAsync(60, "bash", "-c", "command -v \"$0\" > /dev/null", linker) == 0)
            {
                return await PublishAsync(log, "native", "-p:PublishAot=true", $"-p:CppCompilerAndLinker={linker}");
            }
        }

        log.Say("no clang and no gcc here: nothing can be linked");
        return ExitStatus.Skipped;
    });

    private static async Task<int> PublishAsync(CheckLog log, string name, params string[] how)
    {
        string output = $"artifacts/smoke-{name}";
        if (Directory.Exists(output))
        {
            Directory.Delete(output, recursive: true);
        }

        // In a folder of its own: hosts that are published otherwise are published beside it.
        string runtime = $"linux-{(RuntimeInformation.OSArchitecture == Architecture.Arm64 ? "arm64" : "x64")}";
        int status = await log.RunBesideAsync(
            900,
            [
                "dotnet", "publish", "tests/Hosts/TrimSmoke", "-c", "Release", "-r", runtime, "--self-contained", "-v", "quiet", "-o", output,
                $"-p:ArtifactsPath={Path.GetFullPath($"artifacts/publish-{name}")}", "-p:RunAnalyzers=false", .. how,
            ]);
        return status != 0 ? status : await log.RunAsync(60, $"{output}/Ioxide.TrimSmoke");
    }

    internal static IEnumerable<string> Projects() => Directory.EnumerateFiles("src", "*.csproj", SearchOption.AllDirectories)
        .Where(static file => !File.ReadAllText(file).Contains("<IsPackable>false", StringComparison.Ordinal))
        .Select(static file => Path.GetFileNameWithoutExtension(file));

    private static IEnumerable<string> FaultsOf(string project)
    {
        if (!File.ReadLines($"src/{project}/README.md").Contains("## What it changes in the process"))
        {
            yield return $"src/{project}/README.md does not say what the package changes in the process";
        }

        string[] packages = [.. Directory.EnumerateFiles(Folder, $"{project}.*.nupkg").Where(file => Version().IsMatch(Path.GetFileName(file)[project.Length..]))];
        if (packages.Length != 1)
        {
            yield return $"{project} has {packages.Length} packages";
            yield break;
        }

        if (!File.Exists(Path.ChangeExtension(packages[0], ".snupkg")))
        {
            yield return $"{packages[0]} has no symbols";
        }

        using ZipArchive package = ZipFile.OpenRead(packages[0]);
        string[] parts = [.. package.Entries.Select(static entry => entry.FullName)];
        foreach (string part in PartsOf(project).Except(parts))
        {
            yield return $"{packages[0]} has no {part}";
        }

        foreach (ZipArchiveEntry entry in package.Entries.Where(static entry => entry.FullName.StartsWith("runtimes/", StringComparison.Ordinal)))
        {
            if (!IsCompiledAhead(entry))
            {
                yield return $"{packages[0]}: {entry.FullName} has no compiled code";
            }
        }

        using var reader = new StreamReader(package.Entries.Single(static entry => entry.FullName.EndsWith(".nuspec", StringComparison.Ordinal)).Open());
        string specification = reader.ReadToEnd();

        // Packages use each other's internals: none works with another version of its neighbour.
        foreach (Match dependency in Neighbour().Matches(specification))
        {
            if (!dependency.Groups[2].Value.StartsWith('[') || dependency.Groups[2].Value.Contains(','))
            {
                yield return $"{packages[0]} takes {dependency.Groups[1].Value} in other versions than its own";
            }
        }

        int notes = Notes().Match(specification).Groups[1].Length;
        if (notes is 0 or > MaxNotes)
        {
            yield return $"{packages[0]} has {notes} characters of release notes, the first section of CHANGELOG.md";
        }
    }

    private static bool IsCompiledAhead(ZipArchiveEntry entry)
    {
        using var bytes = new MemoryStream();
        using (Stream packed = entry.Open())
        {
            packed.CopyTo(bytes);
        }

        bytes.Position = 0;
        using var image = new PEReader(bytes);
        return image.PEHeaders.CorHeader is { ManagedNativeHeaderDirectory.Size: > 0 };
    }

    private static IEnumerable<string> PartsOf(string project)
    {
        IEnumerable<string> parts =
        [
            $"lib/net10.0/{project}.dll", $"lib/net10.0/{project}.xml", "README.md", "icon.png",
            .. s_runtimes.Select(runtime => $"runtimes/{runtime}/lib/net10.0/{project}.dll"),
        ];
        if (project == "Ioxide.AspNetCore")
        {
            parts = parts.Concat(["analyzers/dotnet/cs/Ioxide.Analyzers.dll", "analyzers/dotnet/cs/Ioxide.Analyzers.CodeFixes.dll"]);
        }

        return Directory.Exists($"src/{project}/buildTransitive") ? parts.Append($"buildTransitive/{project}.targets") : parts;
    }

    [GeneratedRegex(@"^\.\d.*\.nupkg$")]
    private static partial Regex Version();

    [GeneratedRegex("<dependency id=\"(Ioxide[^\"]*)\" version=\"([^\"]*)\"")]
    private static partial Regex Neighbour();

    [GeneratedRegex("<releaseNotes>(.*?)</releaseNotes>", RegexOptions.Singleline)]
    private static partial Regex Notes();
}
