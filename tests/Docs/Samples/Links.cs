using System.Text.RegularExpressions;

namespace Ioxide.Docs.Tests;

/// <summary>What the first page of a sample links to.</summary>
internal static partial class Links
{
    internal static async Task<string[]> OfAsync(HttpClient client)
    {
        string page = await client.GetStringAsync(new Uri("/", UriKind.Relative)).Within(60.Seconds());
        return [.. Link().Matches(page).Select(static match => match.Groups[1].Value.Replace("&amp;", "&", StringComparison.Ordinal))];
    }

    [GeneratedRegex("href=\"([^\"]+)\"")]
    private static partial Regex Link();
}
