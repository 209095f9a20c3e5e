using System.Text.RegularExpressions;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// The alert rules in <c>deploy/prometheus-rules.yml</c>, run by Prometheus's own tool over series that raise each of them and over others that do not.
/// </summary>
/// <remarks>That instruments of these names exist is checked with the board: GrafanaBoardTests.</remarks>
[Once]
public sealed partial class AlertRuleTests
{
    private static readonly string s_tests = Path.Combine(Repository.Root, "tests/AspNetCore/Dashboard/prometheus-rules-test.yml");

    [Fact]
    public async Task EachAlertFiresWhenItShouldAndNotBefore()
    {
        Assert.SkipWhen(Tool.Find("promtool") is null, "promtool is missing (on Debian: apt-get install prometheus)");
        DirectoryInfo folder = Directory.CreateTempSubdirectory("ioxide-rules-");
        try
        {
            await File.WriteAllTextAsync(Path.Combine(folder.FullName, "prometheus-rules.yml"), GrafanaBoard.ReadRules());
            File.Copy(s_tests, Path.Combine(folder.FullName, "test.yml"));
            (int status, string output, string error) = await Tool.TryRunAsync(["promtool", "test", "rules", "test.yml"], folder: folder.FullName);

            Assert.True(status == 0, output + error);
            Assert.Contains("SUCCESS", output, StringComparison.Ordinal);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task EachAlertIsTestedHasASeverityAndAnEntryOfTheRunbook()
    {
        string tests = await File.ReadAllTextAsync(s_tests);
        string[] fired = [.. Fired().Matches(tests).Select(static match => match.Groups[1].Value).Distinct().Order(StringComparer.Ordinal)];
        string[] entries = [.. (await File.ReadAllLinesAsync(Path.Combine(Repository.Root, "docs/runbook.md")))
            .Where(static line => line.StartsWith("## ", StringComparison.Ordinal)).Select(static line => line[3..]).Order(StringComparer.Ordinal)];
        string[] rules = GrafanaBoard.ReadRules().Split("- alert: ")[1..];
        string[] alerts = [.. rules.Select(static rule => rule[..rule.IndexOf('\n', StringComparison.Ordinal)]).Order(StringComparer.Ordinal)];

        Assert.True(alerts.Length >= 12);
        Assert.Equal(alerts, fired);
        Assert.Equal(alerts, entries);
        Assert.All(rules, static rule =>
        {
            string alert = rule[..rule.IndexOf('\n', StringComparison.Ordinal)];
            Assert.Matches("severity: (critical|warning|info)\n", rule);
            Assert.Contains($"runbook: docs/runbook.md#{alert.ToLowerInvariant()}\n", rule, StringComparison.Ordinal);
        });
    }

    /// <summary>An alert that is expected, with at least one set of labels.</summary>
    [GeneratedRegex(@"alertname: (\w+)\n\s+exp_alerts:\n\s+- exp_labels:")]
    private static partial Regex Fired();
}
