namespace Ioxide.Docs.Tests;

/// <summary>Every block of C# in the documents compiles without a warning, as the program that it says it is.</summary>
public class SnippetTests
{
    public static TheoryData<string, int> Snippets => Fence.Rows("csharp");

    [Theory, MemberData(nameof(Snippets))]
    public async Task ABlockOfCSharpCompiles(string file, int line)
    {
        (_, string[] problems) = await SnippetCompiler.CompileAsync(Fence.At(file, line));
        Assert.True(problems.Length == 0, string.Join('\n', problems));
    }

    [Fact]
    public void EveryBlockNamesItsLanguage()
    {
        string[] known = ["csharp", "sh", "json", "yaml", "xml", "ini", "nginx", "text"];
        Assert.DoesNotContain(
            Fence.All.Where(fence => !known.Contains(fence.Language)).Select(static fence => $"{fence.File}:{fence.Line}: '{fence.Language}'"),
            static _ => true);
    }

    [Fact]
    public async Task AMistakeIsFoundWithTheLineOfItsDocument()
    {
        Fence fence = Assert.Single(Fence.Read("page.md", ["Text", "<!-- compile: app", "int known = 1;", "-->", "```csharp", "known++;", "int x = unknown;", "```"]));
        (_, string[] problems) = await SnippetCompiler.CompileAsync(fence);
        Assert.Contains(problems, static problem => problem.StartsWith("page.md:7: CS0103:", StringComparison.Ordinal));
    }

    [Fact]
    public async Task ACallThatOnlyLinuxHasIsFoundWhereTheProgramNamesNoPlatform()
    {
        Fence fence = Assert.Single(Fence.Read("page.md", ["<!-- compile: console -->", "```csharp", "Ioxide.ReactorGroup.Start();", "```"]));
        (_, string[] problems) = await SnippetCompiler.CompileAsync(fence);
        Assert.Contains(problems, static problem => problem.StartsWith("page.md:3: CA1416:", StringComparison.Ordinal));
    }

    [Fact]
    public void AnUnknownContextIsRefused()
    {
        Fence fence = Assert.Single(Fence.Read("page.md", ["<!-- compile: elsewhere -->", "```csharp", "```"]));
        Assert.Contains("page.md:3", Assert.Throws<FormatException>(() => Snippet.Sources(fence)).Message, StringComparison.Ordinal);
    }
}
