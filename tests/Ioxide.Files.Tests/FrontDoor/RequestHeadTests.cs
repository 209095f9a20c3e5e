using System.Text;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Files.Tests;

/// <summary>
/// The front door answers only what it understands wholly. Every head that is unusual is the server's; where its end is not
/// beyond doubt, so is all that follows it.
/// </summary>
public class RequestHeadTests
{
    private static readonly KestrelServerLimits s_limits = new();

    [Theory]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "/")]
    [InlineData("HEAD /a.css HTTP/1.1\r\nhost:a:80\r\n\r\n", "/a.css")]
    [InlineData("GET /a.css?v=1&w=/../ HTTP/1.1\r\nHost: a\r\n\r\n", "/a.css")]
    [InlineData("GET /a HTTP/1.1\r\nHost: [::1]:8080\r\nConnection: Keep-Alive\r\nX-Any: \t\"text\" \r\nCookie:\r\n\r\n", "/a")]
    [InlineData("GET /%2e%2e/a HTTP/1.1\r\nHost: a_b.c-d:1\r\nX: ~\r\n\r\n", "/%2e%2e/a")]
    public void APlainRequestIsRead(string text, string path)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(text);
        Assert.Equal(HeadKind.Plain, RequestHead.Read([.. bytes, .. "GET"u8], s_limits, out RequestHead head));
        Assert.Equal(path, Encoding.Latin1.GetString(head.Path));
        Assert.Equal(bytes.Length, head.LengthBytes);
        Assert.Equal(text.StartsWith("HEAD", StringComparison.Ordinal), head.Request.IsHead);
    }

    [Theory]
    [InlineData("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n", 12)]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", 0)]
    [InlineData("DELETE /a HTTP/1.1\r\nHost: a\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost:\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost: a/\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost: h:h\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost: h:\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost: h:123456\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost: :80\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost: [:]\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost: [::g]\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost: [::1]h\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost: a]\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\nX: \u00e9\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\nX: \u007f\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\nContent-Type: a\r\n\r\n", 0)]
    [InlineData("GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\nRange: bytes=0-1\r\nRange: bytes=2-3\r\n\r\n", 0)]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: br\r\nAccept-Encoding: gzip\r\n\r\n", 0)]
    public void WhatIsTheServersToAnswerHasAnEndAllTheSame(string text, long bodyBytes)
    {
        Assert.Equal(HeadKind.Bounded, RequestHead.Read(Encoding.Latin1.GetBytes(text), s_limits, out RequestHead head));
        Assert.Equal((text.Length, bodyBytes), (head.LengthBytes, head.BodyBytes));
    }

    [Theory]
    [InlineData("GET / HTTP/1.0\r\nHost: a\r\n\r\n")]
    [InlineData("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")]
    [InlineData("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n")]
    [InlineData("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")]
    [InlineData("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n")]
    [InlineData("CONNECT /a HTTP/1.1\r\nHost: a\r\n\r\n")]
    [InlineData("GET  / HTTP/1.1\r\nHost: a\r\n\r\n")]
    [InlineData("GET / a HTTP/1.1\r\nHost: a\r\n\r\n")]
    [InlineData("GET /\t HTTP/1.1\r\nHost: a\r\n\r\n")]
    [InlineData("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n")]
    [InlineData("GET /\u00e9 HTTP/1.1\r\nHost: a\r\n\r\n")]
    [InlineData("G ET / HTTP/1.1\r\nHost: a\r\n\r\n")]
    [InlineData("GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n")]
    [InlineData("GET /a\nX: / HTTP/1.1\r\nHost: a\r\n\r\n")]
    [InlineData("GET /\r HTTP/1.1\r\nHost: a\r\n\r\n")]
    [InlineData("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")]
    [InlineData("GET / HTTP/1.1\nHost: a\r\n\r\n")]
    [InlineData("GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n")]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\nX: y\rZ: z\r\n\r\n")]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n")]
    [InlineData("GET / HTTP/1.1\r\nHost : a\r\n\r\n")]
    [InlineData("GET / HTTP/1.1\r\nHost\r\n\r\n")]
    [InlineData("GET / HTTP/1.1\r\n: a\r\n\r\n")]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n")]
    [InlineData("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")]
    [InlineData("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n")]
    [InlineData("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n")]
    [InlineData("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n")]
    [InlineData("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\n")]
    [InlineData("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\n")]
    [InlineData("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999999999999\r\n\r\n")]
    [InlineData("POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n")]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n")]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, te\r\n\r\n")]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\nTrailer: x\r\n\r\n")]
    public void WhatLeavesDoubtShutsTheDoor(string text)
        => Assert.Equal(HeadKind.Unbounded, RequestHead.Read(Encoding.Latin1.GetBytes(text), s_limits, out _));

    [Fact]
    public void AHeadMayBeAsLargeAsTheServersLimitsAllowAndNotLarger()
    {
        byte[] bytes = Encoding.ASCII.GetBytes("GET /a HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n");
        Assert.Equal(HeadKind.Plain, Kind(new() { MaxRequestLineSize = 17, MaxRequestHeadersTotalSize = 15, MaxRequestHeaderCount = 2 }));
        Assert.Equal(HeadKind.Unbounded, Kind(new() { MaxRequestLineSize = 16 }));
        Assert.Equal(HeadKind.Unbounded, Kind(new() { MaxRequestHeadersTotalSize = 14 }));
        Assert.Equal(HeadKind.Unbounded, Kind(new() { MaxRequestHeaderCount = 1 }));

        HeadKind Kind(KestrelServerLimits limits) => RequestHead.Read(bytes, limits, out _);
    }

    [Fact]
    public void AHeadIsIncompleteUntilItsLastByteAndTooLargeAtItsLimit()
    {
        byte[] whole = Encoding.ASCII.GetBytes("GET /a HTTP/1.1\r\nHost: a\r\nRange: bytes=0-1\r\n\r\n");
        for (int length = 0; length < whole.Length; length++)
        {
            Assert.Equal(HeadKind.Incomplete, RequestHead.Read(whole.AsSpan(0, length), s_limits, out _));
        }

        Assert.Equal(HeadKind.Plain, RequestHead.Read(whole, s_limits, out _));
        byte[] large = [.. whole.AsSpan(0, whole.Length - 2), .. new byte[RequestHead.MaxBytes]];
        large.AsSpan(whole.Length - 2).Fill((byte)'x');
        Assert.Equal(HeadKind.Unbounded, RequestHead.Read(large, s_limits, out _));
    }

    [Fact]
    public void KeepsTheConditions()
    {
        Assert.Equal(HeadKind.Plain, RequestHead.Read(
            "GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: br \r\nif-none-match:\"a\"\r\nIf-Modified-Since: b\r\nIf-Match: c\r\nIF-UNMODIFIED-SINCE: d\r\nRange: e\r\nIf-Range: f\r\n\r\n"u8,
            s_limits,
            out RequestHead head));
        Assert.Equal("br", Encoding.ASCII.GetString(head.Request.AcceptEncoding));
        Assert.Equal("\"a\"", Encoding.ASCII.GetString(head.Request.IfNoneMatch));
        Assert.Equal("b", Encoding.ASCII.GetString(head.Request.IfModifiedSince));
        Assert.Equal("c", Encoding.ASCII.GetString(head.Request.IfMatch));
        Assert.Equal("d", Encoding.ASCII.GetString(head.Request.IfUnmodifiedSince));
        Assert.Equal("e", Encoding.ASCII.GetString(head.Request.Range));
        Assert.Equal("f", Encoding.ASCII.GetString(head.Request.IfRange));
    }
}
