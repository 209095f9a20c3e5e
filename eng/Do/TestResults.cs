using System.Globalization;
using System.Xml;
using System.Xml.Linq;

namespace Ioxide.Do;

/// <summary>What a project's tests came to: xunit's result file, or what the program said before it died.</summary>
internal sealed record TestResults(
    int Passed,
    int Failed,
    IReadOnlyList<(string Test, string Reason)> Skipped,
    IReadOnlyList<string> Failures,
    IReadOnlyList<(string Test, double Seconds)> Times)
{
    private const int LastLines = 60;

    /// <summary>What never started.</summary>
    internal static TestResults Dead(string why) => new(0, 1, [], [why], []);

    /// <summary>Reads the result file. A crash or the limit leaves none or a part, and an error outside a test may leave one without a failure.</summary>
    internal static TestResults Read(string name, string resultFile, string log, int status, string howItEnded)
    {
        TestResults results = new(0, 0, [], [], []);
        bool isWhole = false;
        try
        {
            if (File.Exists(resultFile))
            {
                results = Parse(XDocument.Load(resultFile));
                isWhole = true;
            }
        }
        catch (XmlException exception)
        {
            howItEnded += $", and its result file is not whole ({exception.Message})";
        }

        if (results.Failed > 0 || (status == 0 && isWhole))
        {
            return results;
        }

        IEnumerable<string> said = File.Exists(log) ? File.ReadLines(log).TakeLast(LastLines).Select(static line => $"    {line}") : [];
        string death = string.Join('\n', [$"{name} {howItEnded}. What it said last:", .. said]);
        return results with { Failed = results.Failed + 1, Failures = [.. results.Failures, death] };
    }

    private static TestResults Parse(XDocument document)
    {
        XElement[] assemblies = [.. document.Descendants("assembly")];
        XElement[] tests = [.. document.Descendants("test")];
        return new TestResults(
            assemblies.Sum(static assembly => Number(assembly, "passed")),
            assemblies.Sum(static assembly => Number(assembly, "failed") + Number(assembly, "errors")),
            [
                .. tests.Where(static test => Text(test, "result") == "Skip")
                    .Select(static test => ($"{Text(test, "type")}.{Text(test, "method")}", FirstLine(test.Element("reason")?.Value))),
            ],
            [.. document.Descendants("failure").Select(Describe)],
            [
                .. tests.Select(static test
                    => (Text(test, "name"), double.Parse(Text(test, "time") is { Length: > 0 } time ? time : "0", CultureInfo.InvariantCulture))),
            ]);
    }

    /// <summary>The test's full name, or the kind of what failed outside a test; below it the message and the stack trace.</summary>
    private static string Describe(XElement failure)
    {
        XElement failed = failure.Parent!; // A failure is a part of what failed.
        string name = failed.Name == "error" ? $"{Text(failed, "name")} ({Text(failed, "type")})" : Text(failed, "name");
        IEnumerable<string> lines = failure.Elements()
            .SelectMany(static part => part.Value.Trim('\n', '\r').Split('\n'))
            .Select(static line => $"    {line.TrimEnd()}");
        return string.Join('\n', [name, .. lines]);
    }

    private static int Number(XElement element, string name) => (int?)element.Attribute(name) ?? 0;

    private static string Text(XElement element, string name) => (string?)element.Attribute(name) ?? "";

    private static string FirstLine(string? text) => (text ?? "").Trim().Split('\n')[0];
}
