using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Unicode;
using Microsoft.AspNetCore.Http.HttpResults;

namespace Ioxide.LoadHost;

/// <summary>A row of fortunes; with others it makes a page, the same for both drivers.</summary>
internal sealed record Fortune(int Id, string Message)
{
    internal const string Sql = "select id, message from fortunes";

    // Letters of other languages stay as they are.
    private static readonly HtmlEncoder s_encoder = HtmlEncoder.Create(UnicodeRanges.All);

    /// <summary>One row is added, all are sorted and escaped.</summary>
    internal static ContentHttpResult Page(List<Fortune> fortunes)
    {
        fortunes.Add(new Fortune(0, "Additional fortune added at request time."));
        fortunes.Sort(static (left, right) => string.CompareOrdinal(left.Message, right.Message));
        var page = new StringBuilder(
            "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>");
        foreach (Fortune fortune in fortunes)
        {
            page.Append(CultureInfo.InvariantCulture, $"<tr><td>{fortune.Id}</td><td>{s_encoder.Encode(fortune.Message)}</td></tr>");
        }

        return TypedResults.Content(page.Append("</table></body></html>").ToString(), "text/html; charset=utf-8");
    }
}
