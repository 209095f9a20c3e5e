using System.Globalization;
using System.Text;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The parser of every suite's client of HTTP/1: it takes a response as soon as it is whole, no byte less and no byte more.</summary>
public class RawResponseTests
{
    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfour", "four")]
    [InlineData("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", "")]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\na\r\n\r\n12345678\r\n0\r\n\r\n", "a\r\n12345678")]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nSum: 1\r\nX: 2\r\n\r\n", "", "Sum: 1", "X: 2")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n!\r\n0\r\n\r\n", "!")]
    [InlineData("HTTP/1.0 204 No Content\r\nContent-Length: 4\r\n\r\n", "")]
    [InlineData("HTTP/1.1 304 Not Modified\r\nX: a:b \r\n\r\n", "")]
    [InlineData("HTTP/1.1 100 Continue\r\n\r\n", "")]
    [InlineData("HTTP/1.1 1000 \r\nContent-Length: 1\r\n\r\n ", " ")]
    [InlineData("HTTP/1.1 103 Early Hints\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n!\r\n0\r\n\r\n", "!")]
    public void AResponseIsReadWhenItsLastByteIsThere(string text, string body, params string[] trailers)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(text + "HTTP/1.1 200 OK\r\n");
        for (int count = 0; count < text.Length; count++)
        {
            Assert.Null(RawResponse.TryRead(bytes.AsSpan(0, count), isHead: false, hasEnded: true, out int none));
            Assert.Equal(0, none);
        }

        for (int count = text.Length; count <= bytes.Length; count++)
        {
            RawResponse? response = RawResponse.TryRead(bytes.AsSpan(0, count), isHead: false, hasEnded: false, out int lengthBytes);
            Assert.Equal((text.Length, int.Parse(text.Split(' ')[1], CultureInfo.InvariantCulture), body), (lengthBytes, response?.Status, response?.Text));
            Assert.Equal(trailers, response!.Trailers);
        }
    }

    [Fact]
    public void WithoutALengthTheEndOfTheConnectionEndsTheBody()
    {
        ReadOnlySpan<byte> bytes = "HTTP/1.1 200 OK\r\n\r\nall\r\n\r\nof it"u8;
        Assert.Null(RawResponse.TryRead(bytes, isHead: false, hasEnded: false, out _));
        Assert.Equal("all\r\n\r\nof it", RawResponse.TryRead(bytes, isHead: false, hasEnded: true, out int lengthBytes)?.Text);
        Assert.Equal(bytes.Length, lengthBytes);
    }

    [Fact]
    public void AnAnswerToHeadHasALengthAndNoBody()
    {
        RawResponse? response = RawResponse.TryRead("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nHTTP"u8, isHead: true, hasEnded: false, out int lengthBytes);
        Assert.Equal(("4", 0, 38), (response?.Headers["content-length"], response?.Body.Length, lengthBytes));
    }

    [Fact]
    public void FieldsKeepTheirOrderAndTheLastOfANameCounts()
    {
        RawHead head = RawHead.TryRead("GET / HTTP/1.1\r\nB: 1\r\na: 2\r\nb:  3 \r\n\r\nbody"u8, out int lengthBytes)!;
        Assert.Equal(("GET / HTTP/1.1", "3", null, 38), (head.FirstLine, head["B"], head["c"], lengthBytes));
        Assert.Equal(["B=1", "a=2", "b=3"], head.Fields.Select(static field => $"{field.Key}={field.Value}"));
    }

    [Theory, Each(
        "HTTP/2", "x", "HTTP/1.1 200 OK\r\nno field\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nHTTP/1.1 200 OK\r\n")]
    public void WhatIsNoResponseIsRefused(string text)
        => Assert.Throws<InvalidDataException>(() => RawResponse.TryRead(Encoding.Latin1.GetBytes(text), isHead: false, hasEnded: false, out _));
}
