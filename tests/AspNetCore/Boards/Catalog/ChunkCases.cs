using static Ioxide.AspNetCore.Tests.ProbeJudge;
using static Ioxide.AspNetCore.Tests.ProbeText;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Smuggling: chunks whose size or end two parsers may read in two ways, and trailers that must not count.</summary>
internal static class ChunkCases
{
    private const string Hello = "\r\nhello\r\n" + LastChunk;

    /// <summary>Where LF ends no line, the trailer is not whole: the server may wait, until a timeout.</summary>
    private static readonly ProbeJudge s_waitsForLine = new(
        static answers => answers[0].End == StepEnd.Silent ? Score.Pass : RefusesOrTakesWith(400, 408).Of(answers), AllowsSilence: true);

    internal static ProbeCase[] All { get; } =
    [
        // Sizes.
        new("SMUG-CHUNK-HEX-PREFIX", "RFC 9112, 7.1", Refuses, Chunked("0x5" + Hello)),
        new("SMUG-CHUNK-SIZE-PLUS", "RFC 9112, 7.1", Refuses, Chunked("+5" + Hello)),
        new("SMUG-CHUNK-SIZE-TRAILING-OWS", "RFC 9112, 7.1", Refuses, Chunked("5 " + Hello)),
        new("SMUG-CHUNK-LEADING-SP", "RFC 9112, 7.1", Refuses, Chunked(" 5" + Hello)),
        new("SMUG-CHUNK-NEGATIVE", "RFC 9112, 7.1", Refuses, Chunked("-1" + Hello)),
        new("SMUG-CHUNK-UNDERSCORE", "RFC 9112, 7.1", Refuses, Chunked("1_0\r\nhello world!!!!!\r\n" + LastChunk)),

        // Where the data ends.
        new("SMUG-CHUNK-MISSING-TRAILING-CRLF", "RFC 9112, 7.1", Refuses, Chunked("5\r\nhello" + LastChunk)),
        new("SMUG-CHUNK-SPILL", "RFC 9112, 7.1", Refuses, Chunked("5\r\nhello!!\r\n" + LastChunk)),
        new("SMUG-CHUNK-LF-TERM", "RFC 9112, 2.2", RefusesOrTakes, Chunked("5\r\nhello\n" + LastChunk)),
        new("SMUG-CHUNK-LF-TRAILER", "RFC 9112, 2.2", s_waitsForLine, Chunked("5\r\nhello\r\n0\r\n\n")),
        new("SMUG-CHUNK-BARE-CR-TERM", "RFC 9112, 2.2", Refuses, Chunked("5\rhello\r\n" + LastChunk)),

        // Extensions.
        new("SMUG-CHUNK-BARE-SEMICOLON", "RFC 9112, 7.1.1", Refuses, Chunked("5;" + Hello)),
        new("SMUG-CHUNK-EXT-INVALID-TOKEN", "RFC 9112, 7.1.1", Refuses, Chunked("5;bad[=x" + Hello)),
        new("SMUG-CHUNK-EXT-LF", "RFC 9112, 2.2", RefusesOrTakes, Chunked("5;\nhello\r\n" + LastChunk)),
        new("SMUG-CHUNK-EXT-CR", "RFC 9112, 2.2", Refuses, Chunked("5;a\rX" + Hello)),
        new("SMUG-CHUNK-EXT-CTRL", "RFC 9112, 7.1.1", Refuses, Chunked("5;\0ext" + Hello)),

        // Trailers that frame, route or authorize.
        Trailer("SMUG-TRAILER-CL", "Content-Length: 50"),
        Trailer("SMUG-TRAILER-TE", "Transfer-Encoding: chunked"),
        Trailer("SMUG-TRAILER-HOST", "Host: evil.example.com"),
        Trailer("SMUG-TRAILER-AUTH", "Authorization: Bearer evil"),
        Trailer("SMUG-TRAILER-CONTENT-TYPE", "Content-Type: text/evil"),
    ];

    private static ProbeCase Trailer(string id, string line)
        => new(id, "RFC 9110, 6.5.1", RefusesOrTakes, Chunked($"5\r\nhello\r\n0\r\n{line}\r\n\r\n")) { IsScored = false };
}
