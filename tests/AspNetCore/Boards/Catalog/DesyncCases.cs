using static Ioxide.AspNetCore.Tests.ProbeJudge;
using static Ioxide.AspNetCore.Tests.ProbeText;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Smuggling: after an ambiguous request the connection ends, and what a body hides is never taken as a request.</summary>
internal static class DesyncCases
{
    private const string LengthField = "Content-Length: {N}\r\n";
    private const string Five = "Content-Length: 5\r\n";

    // A chunk whose data is a request, behind a length that covers its size alone.
    private static readonly string s_hiddenInChunk = Get("/", "Content-Length: 7\r\n");

    // A request but for its empty line.
    private static readonly string s_withoutEnd = Get()[..^2];

    internal static ProbeCase[] All { get; } =
    [
        new("SMUG-CLTE-CONN-CLOSE", "RFC 9112, 6.1", EndsAfterwards, Post(Five + ChunkedField, LastChunk), Get()),
        new("SMUG-TECL-CONN-CLOSE", "RFC 9112, 6.1", EndsAfterwards, Post(ChunkedField + Five, LastChunk), Get()),
        new("SMUG-CLTE-DESYNC", "RFC 9112, 6.1", EndsAfterwards, Post("Content-Length: 6\r\n" + ChunkedField, LastChunk + "X"), Get()),
        new("SMUG-TECL-DESYNC", "RFC 9112, 6.1", EndsAfterwards, Post(ChunkedField + "Content-Length: 30\r\n", LastChunk + "X"), Get()),
        new("SMUG-OPTIONS-TE-OBS-FOLD", "RFC 9112, 5.2", EndsAfterwards,
            Line("OPTIONS / HTTP/1.1", "Transfer-Encoding:\r\n chunked\r\n" + Five) + LastChunk, Get()),
        new("SMUG-CHUNK-INVALID-SIZE-DESYNC", "RFC 9112, 7.1", EndsAfterwards, Chunked("+0\r\n\r\nX"), Get()),

        new("SMUG-CLTE-SMUGGLED-GET", "RFC 9112, 6.1", HidesNothing, Hiding(LengthField + ChunkedField, Get())),
        new("SMUG-CLTE-SMUGGLED-HEAD", "RFC 9112, 6.1", HidesNothing, Hiding(LengthField + ChunkedField, Line("HEAD / HTTP/1.1"))),
        new("SMUG-CLTE-SMUGGLED-GET-CL-PLUS", "RFC 9112, 6.1", HidesNothing, Hiding("Content-Length: +{N}\r\n" + ChunkedField, Get())),
        new("SMUG-CLTE-SMUGGLED-GET-CL-NON-NUMERIC", "RFC 9112, 6.1", HidesNothing, Hiding("Content-Length: {N}x\r\n" + ChunkedField, Get())),
        new("SMUG-CLTE-SMUGGLED-GET-TE-OBS-FOLD", "RFC 9112, 5.2", HidesNothing, Hiding("Transfer-Encoding:\r\n chunked\r\n" + LengthField, Get())),
        new("SMUG-CLTE-SMUGGLED-GET-TE-TRAILING-SPACE", "RFC 9112, 6.1", HidesNothing,
            Hiding(LengthField + "Transfer-Encoding: chunked \r\n", Get())),
        new("SMUG-CLTE-SMUGGLED-GET-TE-LEADING-COMMA", "RFC 9110, 5.6.1.2", HidesNothing,
            Hiding(LengthField + "Transfer-Encoding: , chunked\r\n", Get())),
        new("SMUG-CLTE-SMUGGLED-GET-TE-CASE-MISMATCH", "RFC 9112, 7", HidesNothing, Hiding(LengthField + "Transfer-Encoding: Chunked\r\n", Get())),
        new("SMUG-TE-DUPLICATE-HEADERS-SMUGGLED-GET", "RFC 9112, 6.3", HidesNothing,
            Hiding(ChunkedField + "Transfer-Encoding: identity\r\n" + LengthField, Get())),
        new("SMUG-TECL-SMUGGLED-GET", "RFC 9112, 6.1", HidesNothing,
            Post($"{ChunkedField}Content-Length: 4\r\n", $"{s_hiddenInChunk.Length:x2}\r\n{s_hiddenInChunk}\r\n{LastChunk}")),
        new("SMUG-DUPLICATE-CL-SMUGGLED-GET", "RFC 9112, 6.3", HidesNothing, Hiding("Content-Length: 4\r\n" + LengthField, Get(), "PING")),

        // A framing that is plain, and bodies that an application does not read.
        new("SMUG-PIPELINE-SAFE", "RFC 9112, 9.3.2", KeepsInStep, Get(), Get()) { IsScored = false },
        new("SMUG-CL0-BODY-POISON", "RFC 9112, 6.3", KeepsInStep, Post("Content-Length: 0\r\n", "X"), Get()) { IsScored = false },
        new("SMUG-GET-CL-BODY-DESYNC", "RFC 9110, 9.3.1", KeepsInStep, Get("/", Five) + "hello", Get()) { IsScored = false },
        new("SMUG-GET-CL-PREFIX-DESYNC", "RFC 9110, 9.3.1", KeepsInStep,
            Get("/", $"Content-Length: {s_withoutEnd.Length}\r\n") + s_withoutEnd, "\r\n" + Get()) { IsScored = false },
        new("SMUG-OPTIONS-CL-BODY-DESYNC", "RFC 9110, 9.3.7", KeepsInStep,
            Line("OPTIONS / HTTP/1.1", Five) + "hello", Get()) { IsScored = false },
        new("SMUG-EXPECT-100-CL-DESYNC", "RFC 9110, 10.1.1", KeepsInStep,
            Post(Five + "Expect: 100-continue\r\n", "hello"), Get()) { IsScored = false },
    ];
}
