using System.Text.Json;

namespace Ioxide.Docs.Tests;

/// <summary>Blocks of the shell parse, files of this repository that they name exist, and blocks of settings say what the files of deploy/ say.</summary>
public class ShellTests
{
    private static readonly string[] s_folders = ["bench/", "deploy/", "eng/", "samples/", "src/", "tests/"];

    public static TheoryData<string, int> Shell => Fence.Rows("sh");

    public static TheoryData<string, int> Json => Fence.Rows("json");

    public static TheoryData<string, int> Yaml => Fence.Rows("yaml");

    [Theory, MemberData(nameof(Shell))]
    public async Task ABlockOfTheShellParses(string file, int line)
    {
        (int status, string output) = await ShellScript.RunAsync(Fence.At(file, line).Text, checkOnly: true);
        Assert.True(status == 0, output);
    }

    [Theory, MemberData(nameof(Shell))]
    public void WhatItNamesOfTheRepositoryExists(string file, int line)
        => Assert.DoesNotContain(
            Fence.At(file, line).Text
                .Split([' ', '\n', '\t', '\'', '"', '=', '@'], StringSplitOptions.RemoveEmptyEntries)
                .Where(static word => s_folders.Any(folder => word.StartsWith(folder, StringComparison.Ordinal))),
            static word => !Path.Exists(Path.Combine(Repository.Root, word)));

    [Theory, MemberData(nameof(Json))]
    public void ABlockOfJsonParses(string file, int line)
        => JsonDocument.Parse(Fence.At(file, line).Text, new() { CommentHandling = JsonCommentHandling.Skip }).Dispose();

    [Theory, MemberData(nameof(Yaml))]
    public void ABlockOfYamlHasTheLinesOfTheManifest(string file, int line)
    {
        string[] manifest = [.. File.ReadLines(Path.Combine(Repository.Root, "deploy/kubernetes.yaml")).Select(static text => text.Trim())];
        Assert.DoesNotContain(Fence.At(file, line).Text.Split('\n').Select(static text => text.Trim()), text => !manifest.Contains(text));
    }
}
