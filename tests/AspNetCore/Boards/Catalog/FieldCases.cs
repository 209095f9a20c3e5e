using static Ioxide.AspNetCore.Tests.ProbeJudge;
using static Ioxide.AspNetCore.Tests.ProbeText;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Field lines, Host, and the fields that ask for another protocol or an interim response.</summary>
internal static class FieldCases
{
    private const string Upgrade = "Connection: Upgrade\r\n";
    private const string WebSocket = "Upgrade: websocket\r\nSec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==\r\nSec-WebSocket-Version: 13\r\n";

    internal static ProbeCase[] All { get; } =
    [
        // The form of a field line.
        new("RFC9112-5.1-OBS-FOLD", "RFC 9112, 5.2", Answers400, Get("/", "X-Test: value\r\n continued\r\n")),
        new("RFC9110-5.6.2-SP-BEFORE-COLON", "RFC 9112, 5.1", Answers400, Get("/", "X-Test : value\r\n")),
        new("RFC9112-5-EMPTY-HEADER-NAME", "RFC 9112, 5", Refuses, Get("/", ": empty-name\r\n")),
        new("RFC9112-5-INVALID-HEADER-NAME", "RFC 9110, 5.1", Refuses, Get("/", "Bad[Name: value\r\n")),
        new("RFC9112-5-HEADER-NO-COLON", "RFC 9112, 5", Refuses, Get("/", "NoColonHere\r\n")),
        new("COMP-DUPLICATE-CT", "RFC 9110, 5.3", RefusesOrTakes,
            Post("Content-Length: 5\r\nContent-Type: text/plain\r\nContent-Type: text/html\r\n", "hello")),

        // Host.
        new("RFC9112-7.1-MISSING-HOST", "RFC 9112, 3.2", Answers400, "GET / HTTP/1.1\r\n\r\n"),
        new("RFC9110-5.4-DUPLICATE-HOST", "RFC 9112, 3.2", Answers400, Get("/", "Host: other.example.com\r\n")),
        new("COMP-DUPLICATE-HOST-SAME", "RFC 9112, 3.2", Answers400, Get("/", Host)),
        new("COMP-HOST-WITH-USERINFO", "RFC 9112, 3.2", Refuses, "GET / HTTP/1.1\r\nHost: user@localhost\r\n\r\n"),
        new("COMP-HOST-WITH-PATH", "RFC 9112, 3.2", Refuses, "GET / HTTP/1.1\r\nHost: localhost/path\r\n\r\n"),
        new("COMP-HOST-EMPTY-VALUE", "RFC 9110, 4.2.1", Refuses, "GET / HTTP/1.1\r\nHost: \r\n\r\n"),

        // Other protocols.
        new("COMP-UPGRADE-POST", "RFC 6455, 4.1", Stays, Post(Upgrade + WebSocket)),
        new("COMP-UPGRADE-MISSING-CONN", "RFC 9110, 7.8", Stays, Get("/", WebSocket)),
        new("COMP-UPGRADE-UNKNOWN", "RFC 9110, 7.8", Stays, Get("/", Upgrade + "Upgrade: totally-made-up/1.0\r\n")),
        new("COMP-UPGRADE-INVALID-VER", "RFC 6455, 4.4", First(static answer =>
            answer.Status == 101 || answer.End == StepEnd.Silent ? Score.Fail : answer.IsTaken ? Score.Warn : Score.Pass),
            Get("/", Upgrade + WebSocket.Replace("13", "99", StringComparison.Ordinal))),
        new("COMP-UPGRADE-HTTP10", "RFC 9110, 7.8", Stays, Line("GET / HTTP/1.0", Upgrade + WebSocket)),

        // What else a client may ask for.
        new("COMP-EXPECT-UNKNOWN", "RFC 9110, 10.1.1", RefusesOrTakesWith(417), Get("/", "Expect: 200-ok\r\n")),
        new("COMP-CONNECTION-CLOSE", "RFC 9112, 9.6", MustTake(static answer => answer.End == StepEnd.Closed), Get("/", "Connection: close\r\n")),
        new("COMP-RANGE-POST", "RFC 9110, 14.2", MustTake(static answer => answer.Status != 206),
            Post("Content-Length: 5\r\nRange: bytes=0-10\r\n", "hello")),
        new("COMP-RANGE-INVALID", "RFC 9110, 14.2", ShouldTake(static response => response.Status != 206, 416),
            Get(FilePath, "Range: bytes=abc-xyz\r\n")) { IsScored = false },
        new("COMP-ACCEPT-NONSENSE", "RFC 9110, 12.5.1", RefusesOrTakesWith(406),
            Get("/", "Accept: application/x-nonsense\r\n")) { IsScored = false },
        new("COMP-POST-UNSUPPORTED-CT", "RFC 9110, 15.5.16", ShouldTake(null, 415),
            Post("Content-Length: 5\r\nContent-Type: application/x-nonsense\r\n", "hello")) { IsScored = false },
    ];
}
