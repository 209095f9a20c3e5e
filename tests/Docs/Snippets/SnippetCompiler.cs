using System.Collections.Immutable;
using System.Reflection;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Ioxide.Docs.Tests;

/// <summary>
/// Compiles against the framework and the packages of this repository, with the compiler and the platform analyzer of the SDK, whose
/// warnings a reader's build prints.
/// </summary>
internal static class SnippetCompiler
{
    // A local function that a fragment only declares.
    private static readonly string[] s_allowed = ["CS8321"];

    // The framework's reference assemblies, which say where an API is supported, and the packages as they were built with these tests.
    private static readonly ImmutableArray<MetadataReference> s_references =
    [
        .. Pack("Microsoft.NETCore.App.Ref")
            .Concat(Pack("Microsoft.AspNetCore.App.Ref"))
            .Concat(Directory.EnumerateDirectories(Path.Combine(Repository.Root, "src"))
                .Select(static folder => Path.Combine(AppContext.BaseDirectory, $"{Path.GetFileName(folder)}.dll"))
                .Where(File.Exists))
            .Concat(Directory.EnumerateFiles(AppContext.BaseDirectory, "OpenTelemetry*.dll"))
            .Select(static path => MetadataReference.CreateFromFile(path)),
    ];

    private static readonly ImmutableArray<DiagnosticAnalyzer> s_analyzers = [PlatformAnalyzer()];

    internal static async Task<(CSharpCompilation Compilation, string[] Problems)> CompileAsync(Fence fence)
    {
        CSharpCompilation compilation = CSharpCompilation.Create(
            "Snippet",
            Snippet.Sources(fence).Select(static source => CSharpSyntaxTree.ParseText(source, new CSharpParseOptions(LanguageVersion.Latest))),
            s_references,
            new CSharpCompilationOptions(OutputKind.ConsoleApplication, nullableContextOptions: NullableContextOptions.Enable, allowUnsafe: false));
        ImmutableArray<Diagnostic> diagnostics = await compilation
            .WithAnalyzers(s_analyzers, new AnalyzerOptions([], new ProjectProperties())).GetAllDiagnosticsAsync().ConfigureAwait(false);
        return (compilation, [.. diagnostics.Where(IsProblem).Select(Describe).Distinct()]);
    }

    private static bool IsProblem(Diagnostic diagnostic)
        => diagnostic.Severity >= DiagnosticSeverity.Warning && !diagnostic.IsSuppressed && !s_allowed.Contains(diagnostic.Id);

    private static string Describe(Diagnostic diagnostic)
    {
        FileLinePositionSpan at = diagnostic.Location.GetMappedLineSpan();
        return $"{at.Path}:{at.StartLinePosition.Line + 1}: {diagnostic.Id}: {diagnostic.GetMessage()}";
    }

    private static IEnumerable<string> Pack(string name)
        => Directory.EnumerateFiles(
            Directory.EnumerateDirectories(Path.Combine(Built("TargetingPacks"), name)).Select(static version => Path.Combine(version, "ref", "net10.0"))
                .Last(Directory.Exists),
            "*.dll");

    // What the project knows when it is built.
    private static string Built(string key) => typeof(SnippetCompiler).Assembly
        .GetCustomAttributes<AssemblyMetadataAttribute>().Single(metadata => metadata.Key == key).Value!; // The project sets it.

    // CA1416: what only Linux has is called where the program may run elsewhere.
    private static DiagnosticAnalyzer PlatformAnalyzer()
    {
        Type analyzer = Assembly.LoadFrom(Path.Combine(Built("Analyzers"), "Microsoft.CodeAnalysis.NetAnalyzers.dll"))
            .GetType("Microsoft.NetCore.Analyzers.InteropServices.PlatformCompatibilityAnalyzer", throwOnError: true)!; // Throws otherwise.
        return (DiagnosticAnalyzer)Activator.CreateInstance(analyzer)!; // It has a constructor without parameters.
    }
}
