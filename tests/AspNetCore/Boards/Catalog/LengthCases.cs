using static Ioxide.AspNetCore.Tests.ProbeJudge;
using static Ioxide.AspNetCore.Tests.ProbeText;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Smuggling: lengths, codings and hosts that two parsers may read in two ways.</summary>
internal static class LengthCases
{
    private const string Five = "Content-Length: 5\r\n";

    /// <summary>400 or 501, or the end of the connection: the length is not known.</summary>
    private static readonly ProbeJudge s_refusesCoding = RefusesWith(400, 501);

    /// <summary>Refused is best. Taken is allowed where the connection ends behind the answer, as both fields demand.</summary>
    private static readonly ProbeJudge s_refusesOrEnds = First(static answer =>
        answer.Status is 400 or 501 || answer.IsCut ? Score.Pass : answer.IsTaken && answer.End == StepEnd.Closed ? Score.Warn : Score.Fail);

    internal static ProbeCase[] All { get; } =
    [
        // Content-Length.
        new("SMUG-DUPLICATE-CL", "RFC 9112, 6.3", Refuses, Post("Content-Length: 5\r\nContent-Length: 10\r\n", "helloworld")),
        new("SMUG-CL-COMMA-DIFFERENT", "RFC 9112, 6.3", Refuses, Post("Content-Length: 5, 10\r\n", "hello")),
        new("SMUG-CL-COMMA-SAME", "RFC 9110, 8.6", RefusesOrTakes, Post("Content-Length: 5, 5\r\n", "hello")) { IsScored = false },
        new("SMUG-CL-COMMA-TRIPLE", "RFC 9110, 8.6", RefusesOrTakes, Post("Content-Length: 5, 5, 5\r\n", "hello")) { IsScored = false },
        new("SMUG-CL-LEADING-ZEROS", "RFC 9110, 8.6", RefusesOrTakes, Post("Content-Length: 005\r\n", "hello")),
        new("SMUG-CL-LEADING-ZEROS-OCTAL", "RFC 9110, 8.6", RefusesOrTakes, Post("Content-Length: 0200\r\n", new string('A', 200))),
        new("SMUG-CL-DOUBLE-ZERO", "RFC 9110, 8.6", RefusesOrTakes, Post("Content-Length: 00\r\n")),
        new("SMUG-CL-NEGATIVE", "RFC 9110, 8.6", Refuses, Post("Content-Length: -1\r\n")),
        new("SMUG-CL-NEGATIVE-ZERO", "RFC 9110, 8.6", Refuses, Post("Content-Length: -0\r\n")),
        new("SMUG-CL-UNDERSCORE", "RFC 9110, 8.6", Refuses, Post("Content-Length: 1_0\r\n", "helloworld")),
        new("SMUG-CL-OCTAL", "RFC 9110, 8.6", Refuses, Post("Content-Length: 0o5\r\n", "hello")),
        new("SMUG-CL-HEX-PREFIX", "RFC 9110, 8.6", Refuses, Post("Content-Length: 0x5\r\n", "hello")),
        new("SMUG-CL-INTERNAL-SPACE", "RFC 9110, 8.6", Refuses, Post("Content-Length: 1 0\r\n", "hello12345")),
        new("SMUG-CL-TRAILING-SPACE", "RFC 9110, 5.5", RefusesOrTakes, Post("Content-Length: 5 \r\n", "hello")),
        new("SMUG-CL-EXTRA-LEADING-SP", "RFC 9110, 5.5", RefusesOrTakes, Post("Content-Length:  5\r\n", "hello")),

        // Transfer-Encoding.
        new("SMUG-CL-TE-BOTH", "RFC 9112, 6.1", RefusesOrTakes, Post("Content-Length: 22\r\n" + ChunkedField, "C\r\nhello-banana\r\n" + LastChunk)),
        new("SMUG-TE-XCHUNKED", "RFC 9112, 6.1", s_refusesCoding, Post("Transfer-Encoding: xchunked\r\n" + Five, "hello")),
        new("SMUG-TE-IDENTITY", "RFC 9112, 7", s_refusesCoding, Post("Transfer-Encoding: identity\r\n" + Five, "hello")),
        new("SMUG-TE-TRAILING-SPACE", "RFC 9112, 6.1", s_refusesOrEnds, Post("Transfer-Encoding: chunked \r\n" + Five, LastChunk)),
        new("SMUG-TE-SP-BEFORE-COLON", "RFC 9112, 5.1", Refuses, Post("Transfer-Encoding : chunked\r\n" + Five, "hello")),
        new("SMUG-TE-DOUBLE-CHUNKED", "RFC 9112, 6.1", RefusesOrTakes, Post("Transfer-Encoding: chunked, chunked\r\n" + Five, "hello")),
        new("SMUG-TE-CASE-MISMATCH", "RFC 9112, 7", RefusesOrTakes, Post("Transfer-Encoding: Chunked\r\n" + Five, LastChunk)),
        new("SMUG-TE-NOT-FINAL-CHUNKED", "RFC 9112, 6.3", Refuses, Post("Transfer-Encoding: chunked, gzip\r\n", LastChunk)),
        new("SMUG-TE-HTTP10", "RFC 9112, 6.1", Refuses, Line("POST / HTTP/1.0", ChunkedField + Five) + "hello"),
        new("SMUG-TE-EMPTY-VALUE", "RFC 9112, 6.1", Refuses, Post("Transfer-Encoding: \r\n" + Five, "hello")),
        new("SMUG-TE-LEADING-COMMA", "RFC 9110, 5.6.1.2", RefusesOrTakes, Post("Transfer-Encoding: , chunked\r\n" + Five, LastChunk)),
        new("SMUG-TE-TRAILING-COMMA", "RFC 9110, 5.6.1.2", RefusesOrTakes, Post("Transfer-Encoding: chunked,\r\n" + Five, LastChunk)),
        new("SMUG-TE-DUPLICATE-HEADERS", "RFC 9112, 6.3", Refuses, Post(ChunkedField + "Transfer-Encoding: identity\r\n" + Five, "hello")),
        new("SMUG-TE-VTAB", "RFC 9110, 5.6.2", Refuses, Post("Transfer-Encoding: \vchunked\r\n" + Five, "hello")),
        new("SMUG-TE-FORMFEED", "RFC 9110, 5.6.2", Refuses, Post("Transfer-Encoding: \fchunked\r\n" + Five, "hello")),
        new("SMUG-TE-NULL", "RFC 9110, 5.5", Refuses, Post("Transfer-Encoding: chunked\0\r\n" + Five, "hello")),
        new("SMUG-TE-OBS-FOLD", "RFC 9112, 5.2", s_refusesOrEnds, Post("Transfer-Encoding:\r\n chunked\r\n" + Five, LastChunk)),
        new("SMUG-TE-TAB-BEFORE-VALUE", "RFC 9110, 5.6.3", RefusesOrTakes,
            Post("Transfer-Encoding:\tchunked\r\n" + Five, LastChunk)) { IsScored = false },
        new("SMUG-TRANSFER_ENCODING", "RFC 9110, 5.1", RefusesOrTakes, Post("Transfer_Encoding: chunked\r\n" + Five, "hello")) { IsScored = false },
        new("SMUG-CHUNKED-WITH-PARAMS", "RFC 9112, 7.1", RefusesOrTakes,
            Post("Transfer-Encoding: chunked;ext=val\r\n" + Five, LastChunk)) { IsScored = false },
        new("SMUG-CLTE-PIPELINE", "RFC 9112, 6.1", s_refusesOrEnds, Post("Content-Length: 4\r\n" + ChunkedField, LastChunk)),
        new("SMUG-TECL-PIPELINE", "RFC 9112, 6.1", s_refusesOrEnds, Post(ChunkedField + "Content-Length: 30\r\n", LastChunk)),

        // Bodies where few expect one.
        new("SMUG-EXPECT-100-CL", "RFC 9110, 10.1.1", RefusesOrTakes, Post(Five + "Expect: 100-continue\r\n", "hello")) { IsScored = false },
        new("SMUG-HEAD-CL-BODY", "RFC 9110, 9.3.2", RefusesOrTakes, Line("HEAD / HTTP/1.1", Five) + "hello") { IsScored = false },
        new("SMUG-OPTIONS-CL-BODY", "RFC 9110, 9.3.7", RefusesOrTakes, Line("OPTIONS / HTTP/1.1", Five) + "hello") { IsScored = false },

        // Which host is meant.
        new("SMUG-MULTIPLE-HOST-COMMA", "RFC 9112, 3.2", Refuses, "GET / HTTP/1.1\r\nHost: localhost, other.example.com\r\n\r\n"),
        new("SMUG-ABSOLUTE-URI-HOST-MISMATCH", "RFC 9112, 3.2.2", RefusesOrTakes, Get("http://other.example.com/")) { IsScored = false },
        new("SMUG-BARE-CR-HEADER-VALUE", "RFC 9112, 2.2", Refuses, Post(Five + "X-Test: val\rue\r\n", "hello")),
    ];
}
