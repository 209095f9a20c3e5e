using System.Reflection;
using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Ioxide.Pg.Tests;

/// <summary>
/// The table of docs/postgres-options.md is the one in the code: keywords and variables are those of <see cref="OptionTable"/>, and what an option
/// does is the summary of its property.
/// </summary>
[Once]
public partial class OptionTableTests
{
    private const string Head = "| option | keywords | variable | what it does |\n|---|---|---|---|\n";

    private static readonly string s_path = Path.Combine(Repository.Root, "docs", "postgres-options.md");

    [Fact]
    public void ThePageHasTheTableOfTheCode()
    {
        string page = File.ReadAllText(s_path);
        string expected = string.Concat(Rows().Select(static row => row + "\n"));
        string actual = TableOf(Approval.Read(s_path, page.Replace(Head + TableOf(page), Head + expected, StringComparison.Ordinal)));
        string[] missing = [.. expected.Split('\n').Except(actual.Split('\n'))];
        Assert.True(expected == actual, $"""
            The options of docs/postgres-options.md are not those of the code. Missing:
            {string.Join('\n', missing)}
            {Approval.Variable}=1 ./test.sh OptionTable writes them; commit docs/postgres-options.md.
            """);
    }

    private static string TableOf(string page)
    {
        int start = page.IndexOf(Head, StringComparison.Ordinal) + Head.Length;
        return page[start..(page.IndexOf("\n\n", start - 1, StringComparison.Ordinal) + 1)];
    }

    private static IEnumerable<string> Rows()
    {
        Dictionary<string, string> summaries = XDocument.Load(Path.Combine(AppContext.BaseDirectory, "Ioxide.Pg.xml")).Descendants("member")
            .Where(static member => member.Element("summary") is not null)
            .ToDictionary(static member => member.Attribute("name")!.Value, static member => Markdown(member.Element("summary")!)); // Each has a name.
        string[] all = [.. typeof(PgDataSourceOptions).GetProperties(BindingFlags.Instance | BindingFlags.Public).Select(static property => property.Name)];
        foreach (string option in OptionTable.Entries.Select(static entry => entry.Property).OfType<string>().Union(all))
        {
            OptionEntry[] entries = [.. OptionTable.Entries.Where(entry => entry.Property == option)];
            string keywords = entries.Length == 0 ? "none" : Code(entries.SelectMany(static entry => entry.Names));
            string variables = Code(entries.Select(static entry => entry.Variable).OfType<string>());
            yield return $"| `{option}` | {keywords} | {variables} | {summaries[$"P:{typeof(PgDataSourceOptions).FullName}.{option}"]} |";
        }
    }

    private static string Code(IEnumerable<string> names) => string.Join(", ", names.Select(static name => $"`{name}`"));

    /// <summary>References become the last part of their names.</summary>
    private static string Markdown(XElement summary) => Spaces().Replace(string.Concat(summary.Nodes().Select(static node => node switch
    {
        XElement { Name.LocalName: "see" } see => $"`{see.Attribute("cref")!.Value.Split('(')[0].Split('.')[^1]}`", // The compiler resolved it.
        XElement element => $"`{element.Value}`",
        _ => node.ToString(),
    })), " ").Trim();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Spaces();
}
