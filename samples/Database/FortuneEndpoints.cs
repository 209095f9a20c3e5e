using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Unicode;
using Ioxide.Pg;

namespace Database;

/// <summary>A table as a page: one row is added, all are sorted and escaped.</summary>
internal static class FortuneEndpoints
{
    private static readonly PgStatement s_all = PgStatement.Create("select id, message from fortune"u8);

    // Letters of other languages stay as they are.
    private static readonly HtmlEncoder s_encoder = HtmlEncoder.Create(UnicodeRanges.All);

    internal static void MapFortunes(this IEndpointRouteBuilder routes)
        => routes.MapGet("/fortunes", static async (PgDataSource db, CancellationToken cancellation) =>
        {
            List<Fortune> fortunes = await db.Query(s_all).ListAsync(Fortune.Reader, cancellation);
            fortunes.Add(new Fortune(0, "Additional fortune added at request time."));
            fortunes.Sort(static (left, right) => string.CompareOrdinal(left.Message, right.Message));
            return TypedResults.Content(Page(fortunes), "text/html; charset=utf-8");
        });

    private static string Page(List<Fortune> fortunes)
    {
        var page = new StringBuilder(
            "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>");
        foreach (Fortune fortune in fortunes)
        {
            page.Append(CultureInfo.InvariantCulture, $"<tr><td>{fortune.Id}</td><td>{s_encoder.Encode(fortune.Message)}</td></tr>");
        }

        return page.Append("</table></body></html>").ToString();
    }
}
