namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// Why an answer is no pass: each case where Ioxide's is none, with the line of the RFC that allows it or that is broken. Over the ring, too,
/// HTTP/1.1 is Kestrel's, so that each but the last is stock Kestrel's answer.
/// </summary>
internal static class Http1Reasons
{
    private static readonly (string Reason, string[] Ids)[] s_groups =
    [
        // Allowed.
        ("OWS around a value is no part of it (RFC 9110, 5.5).",
            ["SMUG-CL-TRAILING-SPACE", "SMUG-CL-EXTRA-LEADING-SP", "MAL-CL-TAB-BEFORE-VALUE"]),
        ("Leading zeros are digits (RFC 9110, 8.6: 1*DIGIT), and the number is read as decimal.",
            ["SMUG-CL-LEADING-ZEROS", "SMUG-CL-LEADING-ZEROS-OCTAL", "SMUG-CL-DOUBLE-ZERO"]),
        ("Transfer-Encoding overrides Content-Length, and the connection ends behind the answer (RFC 9112, 6.1 and 6.3).",
            [
                "SMUG-CL-TE-BOTH", "SMUG-CLTE-PIPELINE", "SMUG-TECL-PIPELINE", "SMUG-TE-CASE-MISMATCH", "SMUG-TE-TRAILING-SPACE",
                "SMUG-TE-TAB-BEFORE-VALUE", "NORM-CASE-TE",
            ]),
        ("Empty elements of a list are ignored (RFC 9110, 5.6.1.2), and the connection ends behind the answer.",
            ["SMUG-TE-LEADING-COMMA", "SMUG-TE-TRAILING-COMMA"]),
        ("A single LF may end a line (RFC 9112, 2.2).",
            ["RFC9112-2.2-BARE-LF-REQUEST-LINE", "RFC9112-2.2-BARE-LF-HEADER"]),
        ("A body is framed whatever the method is; it is read and dropped where the application does not want it (RFC 9112, 6.3).",
            ["COMP-GET-WITH-CL-BODY", "SMUG-HEAD-CL-BODY", "SMUG-OPTIONS-CL-BODY", "SMUG-EXPECT-100-CL"]),
        ("What follows a body of no bytes begins the next request (RFC 9112, 6.3): 'XGET' is a method that the application does not have.",
            ["SMUG-CL0-BODY-POISON"]),
        ("Trailers are kept apart from the fields of the head (RFC 9110, 6.5.1), so that they frame, route and authorize nothing.",
            ["SMUG-TRAILER-CL", "SMUG-TRAILER-TE", "SMUG-TRAILER-HOST", "SMUG-TRAILER-AUTH", "SMUG-TRAILER-CONTENT-TYPE"]),
        ("'_' may stand in a name (RFC 9110, 5.6.2), which is then another field: the application gets it under the name that was sent.",
            ["NORM-UNDERSCORE-CL", "NORM-UNDERSCORE-TE", "SMUG-TRANSFER_ENCODING"]),
        ("An expectation that is not known may be answered with 417 (RFC 9110, 10.1.1); it need not.", ["COMP-EXPECT-UNKNOWN"]),
        ("Without a representation that is acceptable, the server may send the one it has (RFC 9110, 12.5.1).", ["COMP-ACCEPT-NONSENSE"]),
        ("A chunk extension is skipped without being kept; no limit is named (RFC 9112, 7.1.1).", ["MAL-CHUNK-EXT-64K"]),
        ("The application answers it, in which no such resource is found (RFC 9110, 15.5.5).",
            ["RFC9112-3.2-FRAGMENT-IN-TARGET", "MAL-URL-BACKSLASH", "MAL-URL-PERCENT-CRLF"]),
        ("Routing takes a method in any case, although methods are case-sensitive (RFC 9110, 9.1).", ["COMP-METHOD-CASE"]),
        ("A field that is no list comes twice (RFC 9110, 5.3); the application gets both values.", ["COMP-DUPLICATE-CT"]),
        ("The framework's WebSockets leave a version that they do not know to the application, which greets it (RFC 6455, 4.4 wants 426).",
            ["COMP-UPGRADE-INVALID-VER"]),
        ("The framework's static files compare entity-tags strongly (RFC 9110, 13.1.2 wants weak comparison).", ["CAP-ETAG-WEAK"]),
        ("The framework's static files heed If-Modified-Since beside If-None-Match (RFC 9110, 13.2.2 ignores it).", ["CAP-INM-PRECEDENCE"]),

        // Broken.
        ("Kestrel takes a sign before the digits of Content-Length (RFC 9110, 8.6: 1*DIGIT).", ["RFC9112-6.1-CL-PLUS-SIGN", "SMUG-CL-NEGATIVE-ZERO"]),
        ("Kestrel skips chunk extensions without a look at their grammar (RFC 9112, 7.1.1).",
            ["SMUG-CHUNK-BARE-SEMICOLON", "SMUG-CHUNK-EXT-INVALID-TOKEN", "SMUG-CHUNK-EXT-CTRL"]),
        ("Kestrel refuses it as an error of the server, and ends the connection (RFC 9112, 7.1 names overflows).", ["MAL-CHUNK-SIZE-OVERFLOW"]),
        ("Kestrel takes control characters but NUL, CR and LF in a value (RFC 9110, 5.5).", ["MAL-CONTROL-CHARS-HEADER", "COOK-CONTROL-CHARS"]),
        ("Kestrel takes names that are no token (RFC 9110, 5.6.2).", ["RFC9112-5-INVALID-HEADER-NAME"]),
        ("Kestrel takes a Host without a name (RFC 9110, 4.2.1).", ["COMP-HOST-EMPTY-VALUE"]),
        ("Kestrel refuses it with 405, and ends the connection; 400 is due (RFC 9112, 3.2.4).", ["COMP-ASTERISK-WITH-GET"]),
        ("Kestrel refuses it with 505, and ends the connection; 400 is due (RFC 9112, 2.3).", ["COMP-VERSION-CASE"]),
        ("Kestrel lets an HTTP/1.0 request change the protocol (RFC 9110, 7.8).", ["COMP-UPGRADE-HTTP10"]),
    ];

    // Ioxide.Files answers otherwise than the framework's static files.
    private static readonly (string Reason, string[] Ids)[] s_worse =
    [
        ("A date to come is a date (RFC 9110, 13.1.3), so that the file has not changed since; RFC 2616 called it invalid.", ["CAP-IMS-FUTURE"]),
    ];

    internal static IEnumerable<string> Ids => s_groups.Concat(s_worse).SelectMany(static group => group.Ids);

    internal static (string? Reason, bool MayBeWorse) Of(string id)
    {
        (string? reason, _) = s_groups.Concat(s_worse).SingleOrDefault(group => group.Ids.Contains(id));
        return (reason, s_worse.Any(group => group.Ids.Contains(id)));
    }
}
