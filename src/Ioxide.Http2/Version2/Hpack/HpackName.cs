using System.Collections.Frozen;
using System.Text;

namespace Ioxide.Http2;

/// <summary>A field's name as the encoder writes it.</summary>
/// <param name="Bytes">Lower case.</param>
/// <param name="StaticIndex">The static table's field with that name, or 0.</param>
/// <param name="Indexing">How its values are written.</param>
internal sealed record HpackName(byte[] Bytes, int StaticIndex, HpackIndexing Indexing)
{
    // Names with few values each, in most applications. Everything else would evict these from the table.
    private static readonly string[] s_added =
    [
        "accept-ranges", "access-control-allow-credentials", "access-control-allow-headers", "access-control-allow-methods",
        "access-control-allow-origin", "access-control-expose-headers", "alt-svc", "cache-control", "content-encoding",
        "content-language", "content-security-policy", "content-type", "date", "grpc-accept-encoding", "grpc-encoding", "grpc-status",
        "permissions-policy", "pragma", "referrer-policy", "server", "strict-transport-security", "vary", "via",
        "x-content-type-options", "x-frame-options", "x-powered-by", "x-xss-protection",
    ];

    private static readonly string[] s_never =
    [
        "authentication-info", "authorization", "content-disposition", "proxy-authenticate", "proxy-authorization", "set-cookie",
        "www-authenticate",
    ];

    private static readonly string[] s_others =
    [
        "age", "allow", "content-length", "content-location", "content-range", "etag", "expires", "grpc-message", "last-modified", "link",
        "location", "refresh", "retry-after",
    ];

    private static readonly FrozenDictionary<string, HpackName> s_known = MakeKnown();

    /// <summary>Finds a name in any case; creates an unknown one. Threads: any.</summary>
    internal static HpackName Of(string name)
        => s_known.TryGetValue(name, out HpackName? known) ? known : Make(name.ToLowerInvariant(), HpackIndexing.None);

    private static FrozenDictionary<string, HpackName> MakeKnown()
    {
        Dictionary<string, HpackName> known = new(StringComparer.OrdinalIgnoreCase);
        AddAll(s_added, HpackIndexing.Added);
        AddAll(s_never, HpackIndexing.Never);
        AddAll(s_others, HpackIndexing.None);
        return known.ToFrozenDictionary(StringComparer.OrdinalIgnoreCase);

        void AddAll(string[] names, HpackIndexing indexing)
        {
            foreach (string name in names)
            {
                known.Add(name, Make(name, indexing));
            }
        }
    }

    private static HpackName Make(string name, HpackIndexing indexing)
        => new(Encoding.Latin1.GetBytes(name), HpackStaticTable.IndexOf(name), indexing);
}
