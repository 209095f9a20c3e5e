using System.Text.Json;
using System.Text.RegularExpressions;
using Ioxide.AspNetCore;
using Ioxide.Pg;

namespace Ioxide.Docs.Tests;

/// <summary>Blocks of the shell parse, files of this repository that they name exist, and blocks of settings say what the files of deploy/ say.</summary>
public partial class ShellTests
{
    private static readonly string[] s_folders = ["bench/", "deploy/", "eng/", "samples/", "src/", "tests/"];

    /// <summary>What the section <c>Ioxide</c> has: the transport's options, and the section of the database.</summary>
    private static readonly string[] s_options = [.. typeof(IoxideTransportOptions).GetProperties().Select(static option => option.Name), "Pg"];

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
    public void ABlockOfSettingsParsesAndItsKeysExist(string file, int line)
    {
        using JsonDocument settings = JsonDocument.Parse(Fence.At(file, line).Text);
        if (settings.RootElement.TryGetProperty("Ioxide", out JsonElement section))
        {
            AssertKnown(section, s_options);
            if (section.TryGetProperty("Pg", out JsonElement pg))
            {
                AssertKnown(pg, [.. typeof(PgDataSourceOptions).GetProperties().Select(static option => option.Name)]);
            }
        }

        static void AssertKnown(JsonElement section, string[] options)
            => Assert.DoesNotContain(section.EnumerateObject().Select(static setting => setting.Name), name => !options.Contains(name));
    }

    /// <summary>Keys in running text, as <c>Ioxide:ReactorCount</c> and <c>Ioxide__ReactorCount</c>.</summary>
    [Fact]
    public void EveryKeyThatTheTextNamesExists()
    {
        Assert.DoesNotContain(
            Fence.Documents.Concat(["deploy/kubernetes.yaml", "deploy/ioxide.service"])
                .SelectMany(static file => Key().Matches(File.ReadAllText(Path.Combine(Repository.Root, file))).Select(match => $"{file}: {match.Groups[1].Value}")),
            key => !s_options.Contains(key.Split(' ')[1].Split("__")[0]));
    }

    [Theory, MemberData(nameof(Yaml))]
    public void ABlockOfYamlHasTheLinesOfTheManifest(string file, int line)
    {
        string[] manifest = [.. File.ReadLines(Path.Combine(Repository.Root, "deploy/kubernetes.yaml")).Select(static text => text.Trim())];
        Assert.DoesNotContain(Fence.At(file, line).Text.Split('\n').Select(static text => text.Trim()), text => !manifest.Contains(text));
    }

    [GeneratedRegex(@"\bIoxide(?::|__)([A-Za-z]\w*)")]
    private static partial Regex Key();
}
