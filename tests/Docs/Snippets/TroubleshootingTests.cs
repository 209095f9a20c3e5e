using System.Globalization;
using System.Reflection;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Logging;

namespace Ioxide.Docs.Tests;

/// <summary>docs/troubleshooting.md has each warning and error of the packages' log, by id and in the words that are logged, and no other.</summary>
public partial class TroubleshootingTests
{
    private const string Page = "docs/troubleshooting.md";

    private static readonly string s_text = File.ReadAllText(Path.Combine(Repository.Root, Page));

    private static readonly Dictionary<int, LoggerMessageAttribute> s_logged = Directory.EnumerateFiles(AppContext.BaseDirectory, "Ioxide*.dll")
        .Where(static path => Directory.Exists(Path.Combine(Repository.Root, "src", Path.GetFileNameWithoutExtension(path))))
        .Where(static path => !Path.GetFileName(path).StartsWith("Ioxide.Analyzers", StringComparison.Ordinal))
        .SelectMany(static path => Assembly.LoadFrom(path).GetTypes())
        .SelectMany(static type => type.GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
        .Select(static method => method.GetCustomAttribute<LoggerMessageAttribute>())
        .OfType<LoggerMessageAttribute>()
        .ToDictionary(static message => message.EventId);

    public static TheoryData<int> Warnings
        => [.. s_logged.Values.Where(static message => message.Level >= LogLevel.Warning).Select(static message => message.EventId).Order()];

    public static TheoryData<string> Exceptions => [.. Exception().Matches(s_text).Select(static match => match.Groups[1].Value)];

    [Theory, MemberData(nameof(Warnings))]
    public void EachWarningIsThereInItsOwnWords(int id)
    {
        Match row = Assert.Single(Row().Matches(s_text), match => int.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture) == id);
        string logged = Format().Replace(s_logged[id].Message, "}").Replace('\n', ' ');
        Assert.Contains(row.Groups[2].Value, logged, StringComparison.Ordinal);
    }

    [Fact]
    public void NoOtherIsThere()
        => Assert.DoesNotContain(
            Row().Matches(s_text).Select(static match => int.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture)),
            static id => !s_logged.TryGetValue(id, out LoggerMessageAttribute? message) || message.Level < LogLevel.Warning);

    /// <summary>What a start ends with stands in the sources, or is the framework's own.</summary>
    [Theory, MemberData(nameof(Exceptions))]
    public void TheMessageOfAnExceptionExists(string message)
        => Assert.True(
            message == "Failed to convert configuration value"
            || Directory.EnumerateFiles(Path.Combine(Repository.Root, "src"), "*.cs", SearchOption.AllDirectories)
                .Any(path => File.ReadAllText(path).Contains(message, StringComparison.Ordinal)),
            message);

    [GeneratedRegex(@"^\| (\d{2,4}) \| `([^`]+)` \|", RegexOptions.Multiline)]
    private static partial Regex Row();

    [GeneratedRegex(@"^\| `([^`]+)` \|(?=.*\|.*\|$)", RegexOptions.Multiline)]
    private static partial Regex Exception();

    [GeneratedRegex(@"(?<=\{\w+):\w+\}")]
    private static partial Regex Format();
}
