using System.Text;

namespace Ioxide.Http2;

/// <summary>The static table (RFC 7541, appendix A). Threads: any.</summary>
internal static class HpackStaticTable
{
    /// <summary>Number of fields; indexes go from 1 to this.</summary>
    internal const int Count = 61;

    private static readonly (string Name, string Value)[] s_texts =
    [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"), (":scheme", "http"),
        (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"), (":status", "304"), (":status", "400"),
        (":status", "404"), (":status", "500"), ("accept-charset", ""), ("accept-encoding", "gzip, deflate"), ("accept-language", ""),
        ("accept-ranges", ""), ("accept", ""), ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""),
        ("cache-control", ""), ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
        ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""), ("etag", ""), ("expect", ""),
        ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
        ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""),
        ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""),
        ("server", ""), ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""),
        ("via", ""), ("www-authenticate", ""),
    ];

    private static readonly HpackField[] s_fields =
        [.. s_texts.Select(static text => new HpackField(Encoding.ASCII.GetBytes(text.Name), Encoding.ASCII.GetBytes(text.Value)))];

    private static readonly Dictionary<string, int> s_indexes = MakeIndexes();

    /// <param name="index">From 1 to <see cref="Count"/>.</param>
    internal static HpackField Get(int index) => s_fields[index - 1];

    /// <summary>The first field with the name, in lower case, or 0.</summary>
    internal static int IndexOf(string name) => s_indexes.GetValueOrDefault(name);

    /// <summary>The field with exactly this status, or 0.</summary>
    internal static int IndexOfStatus(int status) => status switch
    {
        200 => 8,
        204 => 9,
        206 => 10,
        304 => 11,
        400 => 12,
        404 => 13,
        500 => 14,
        _ => 0,
    };

    private static Dictionary<string, int> MakeIndexes()
    {
        Dictionary<string, int> indexes = new(StringComparer.Ordinal);
        for (int index = 0; index < s_texts.Length; index++)
        {
            _ = indexes.TryAdd(s_texts[index].Name, index + 1);
        }

        return indexes;
    }
}
