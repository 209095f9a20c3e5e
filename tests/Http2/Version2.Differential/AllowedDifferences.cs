using System.Text.RegularExpressions;

namespace Ioxide.Http2.Tests;

/// <summary>Where the engine answers otherwise than Kestrel: the case, both answers, and the paragraph that allows the engine's.</summary>
internal sealed class AllowedDifferences
{
    private const string Malformed = "RST ProtocolError";

    private static readonly (string Case, string Kestrel, string Engine, string Paragraph)[] s_all =
    [
        // A malformed request is an error of its stream; Kestrel ends the connection.
        (@"^fields (\+:method=GET|\+:status=200|\+:other=1|\+early=1|Upper=1|=1|utf=\u00ff\u00fe)$", "GOAWAY .*", Malformed, "RFC 9113, section 8.1.1"),
        (@"^fields (nul=a\0b|cr=a\rb|lf=a\nb)$", "GOAWAY .*", Malformed, "RFC 9113, section 8.1.1"),
        (@"^fields (connection=close|te=gzip|content-length=(x|-1|0;content-length=0))$", "GOAWAY .*", Malformed, "RFC 9113, section 8.1.1"),
        ("^trailers (without an end|with a pseudo-header field)$", "GOAWAY ProtocolError", Malformed, "RFC 9113, section 8.1.1"),
        ("^(HEADERS|trailers)(, of another length)? [0-9a-f]+, open$", "GOAWAY ProtocolError", Malformed, "RFC 9113, section 8.1.1"),

        // Kestrel lets these pass.
        ("^fields (-:path;\\+:path=/a b)$", ":status: .*", Malformed, "RFC 3986, section 3.3"),
        ("^fields (sp ace=1|lead= a|trail=a )$", ":status: .*", Malformed, "RFC 9113, section 8.2.1"),
        ("^fields (transfer-encoding=chunked|upgrade=h2c|keep-alive=1|proxy-connection=1)$", ":status: .*", Malformed, "RFC 9113, section 8.2.2"),

        ("^a block that cannot be decoded$", "GOAWAY InternalError", "GOAWAY CompressionError", "RFC 9113, section 4.3"),

        // A frame breaks two rules, each of which ends the connection. Kestrel looks at the stream before the length and the block.
        ("^.*, of another length .*$", "GOAWAY (ProtocolError|StreamClosed|FrameSizeError)$", "GOAWAY (ProtocolError|FrameSizeError|CompressionError)", "RFC 9113, section 5.4.1"),

        // Padding may be all that a frame holds; Kestrel wants at least a byte beside it.
        ("^HEADERS of nothing but padding$", "GOAWAY ProtocolError", ":status: 200.*", "RFC 9113, section 6.2"),

        // The stream alone ends; Kestrel ends the connection.
        ("^DATA.*, (half closed|closed|reset by the client)$", "GOAWAY StreamClosed", "(:status: 204.*; )?RST StreamClosed", "RFC 9113, section 6.1"),

        // The peer sent it before it knew of the reset, or of the end.
        ("^(DATA|HEADERS|trailers).*, reset by the server$", "GOAWAY StreamClosed", Malformed, "RFC 9113, section 5.1, closed"),
        ("^WINDOW_UPDATE.*, (reset by the client|reset by the server|closed)$", "(.*; )?RST (StreamClosed|FlowControlError)", "(RST ProtocolError|:status: 204.*)?", "RFC 9113, section 5.1, closed"),

        // Any stream has a priority, open or not, and unknown frames are ignored; Kestrel refuses the numbers that a server would open.
        ("^PRIORITY .*, even$", "GOAWAY ProtocolError", "", "RFC 9113, section 6.3"),
        ("^an unknown frame.*, even$", "GOAWAY ProtocolError", "", "RFC 9113, section 5.5"),
    ];

    private readonly HashSet<string> _seen = [];

    /// <summary>Ends of connections at which the engine's GOAWAY, and not Kestrel's, was lost.</summary>
    internal int Lost { get; private set; }

    internal bool Has(string name, string kestrel, string engine)
    {
        if (IsSameEnd(kestrel, engine))
        {
            Lost += engine == Player.Lost ? 1 : 0;
            return true;
        }

        string[] rules =
        [
            .. s_all.Where(rule => Regex.IsMatch(name, rule.Case) && IsWhole(kestrel, rule.Kestrel) && IsWhole(engine.TrimEnd(' ', '|'), rule.Engine))
                .Select(static rule => rule.Case),
        ];
        _seen.UnionWith(rules);
        return rules.Length > 0;
    }

    /// <summary>The rules for these cases that no answer needed.</summary>
    internal IEnumerable<string> Unneeded(IEnumerable<string> cases)
        => s_all.Select(static rule => rule.Case).Where(rule => !_seen.Contains(rule) && cases.Any(name => Regex.IsMatch(name, rule)));

    /// <summary>A server that ends a connection while bytes are on their way to it resets it, and its GOAWAY may be lost.</summary>
    private static bool IsSameEnd(string kestrel, string engine)
        => kestrel.StartsWith("GOAWAY", StringComparison.Ordinal) && engine.StartsWith("GOAWAY", StringComparison.Ordinal)
            && (kestrel == Player.Lost || engine == Player.Lost);

    private static bool IsWhole(string text, string pattern) => Regex.IsMatch(text, $"^({pattern})$", RegexOptions.Singleline);
}
