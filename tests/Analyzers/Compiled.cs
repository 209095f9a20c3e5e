using System.Collections.Immutable;
using Ioxide.Rules;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Simplification;
using Microsoft.CodeAnalysis.Formatting;

namespace Ioxide.Analyzers.Tests;

/// <summary>A program that is compiled with the analyzer, against the frameworks and packages that these tests run on.</summary>
internal static class Compiled
{
    private const string Usings =
        """
        global using System;
        global using System.IO;
        global using System.Threading;
        global using System.Threading.Tasks;
        global using Microsoft.AspNetCore.Builder;
        global using Microsoft.AspNetCore.Hosting;
        global using Microsoft.AspNetCore.Http;
        global using Microsoft.AspNetCore.Mvc;
        """;

    private static readonly Lazy<Task<Project>> s_empty = new(MakeEmptyAsync);

    /// <summary>The rules that a program breaks, each with the text that it marks. The program must compile.</summary>
    internal static async Task<string[]> WarningsAsync(string source)
    {
        (_, ImmutableArray<Diagnostic> found) = await AnalyzeAsync(await AddAsync(source));
        return [.. found.Select(diagnostic => $"{diagnostic.Id} {diagnostic.Location.SourceTree!.GetText().ToString(diagnostic.Location.SourceSpan)}")];
    }

    /// <summary>The rules of the packages' own code that a package breaks.</summary>
    internal static async Task<string[]> BreachesAsync(string source)
    {
        Project project = (await s_empty.Value).WithAssemblyName("Ioxide.Sample");
        (_, ImmutableArray<Diagnostic> found) = await AnalyzeAsync(project.AddDocument("Program.cs", source), new BoundaryAnalyzer());
        return [.. found.Select(diagnostic => $"{diagnostic.Id} {diagnostic.Location.SourceTree!.GetText().ToString(diagnostic.Location.SourceSpan)}")];
    }

    /// <summary>The program after the fix of its first warning; null where none is offered. What comes out must compile.</summary>
    internal static async Task<string?> FixedAsync(string source)
    {
        Document document = await AddAsync(source);
        (_, ImmutableArray<Diagnostic> found) = await AnalyzeAsync(document);
        var actions = new List<CodeAction>();
        await new BlockingCallFixes().RegisterCodeFixesAsync(
            new CodeFixContext(document, found[0], (action, _) => actions.Add(action), CancellationToken.None));
        if (actions.Count == 0)
        {
            return null;
        }

        ImmutableArray<CodeActionOperation> operations = await actions[0].GetOperationsAsync(CancellationToken.None);
        Document after = operations.OfType<ApplyChangesOperation>().Single().ChangedSolution.GetDocument(document.Id)!;
        after = await Formatter.FormatAsync(await Simplifier.ReduceAsync(after), Formatter.Annotation);
        (string text, _) = await AnalyzeAsync(after);
        return text;
    }

    private static async Task<Document> AddAsync(string source) => (await s_empty.Value).AddDocument("Program.cs", source);

    /// <summary>Compiled once: programs that are made of it share what it has read of the frameworks.</summary>
    private static async Task<Project> MakeEmptyAsync()
    {
        Project project = new AdhocWorkspace().AddProject("Program", LanguageNames.CSharp)
            .WithCompilationOptions(new CSharpCompilationOptions(OutputKind.ConsoleApplication))
            .WithMetadataReferences(((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
                .Select(static path => MetadataReference.CreateFromFile(path)))
            .AddDocument("Usings.cs", Usings).Project;
        _ = (await project.GetCompilationAsync())!.GetDiagnostics();
        return project;
    }

    private static async Task<(string Text, ImmutableArray<Diagnostic> Found)> AnalyzeAsync(Document document, DiagnosticAnalyzer? analyzer = null)
    {
        Compilation compilation = (await document.Project.GetCompilationAsync())!;
        string text = (await document.GetTextAsync()).ToString();
        Assert.True(!compilation.GetDiagnostics().Any(static diagnostic => diagnostic.Severity == DiagnosticSeverity.Error),
            string.Join('\n', compilation.GetDiagnostics().Where(static diagnostic => diagnostic.Severity == DiagnosticSeverity.Error)) + "\n" + text);
        var options = new CompilationWithAnalyzersOptions(
            new AnalyzerOptions([]), onAnalyzerException: static (exception, _, _) => throw exception, concurrentAnalysis: true, logAnalyzerExecutionTime: false);
        ImmutableArray<Diagnostic> found = await compilation.WithAnalyzers([analyzer ?? new BlockingCallAnalyzer()], options).GetAnalyzerDiagnosticsAsync();
        return (text, found.Sort(static (left, right) => left.Location.SourceSpan.Start - right.Location.SourceSpan.Start));
    }
}
