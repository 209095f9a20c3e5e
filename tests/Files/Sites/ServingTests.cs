using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Files.Tests;

/// <summary>
/// Files arrive whole, with their fields, in every way and over every protocol; where there is a fast way, a counter shows that it
/// was taken.
/// </summary>
public class ServingTests
{
    [Theory, Each(0, 1, 4095, 8191, 8192, 8193, 300_000, 8 * 1024 * 1024)]
    public async Task AFileArrivesWholeInEveryWay(int lengthBytes)
    {
        byte[] content = Payload.Of(lengthBytes);
        using TestFolder folder = new TestFolder().With("a/file.bin", content);
        foreach (Way way in Enum.GetValues<Way>())
        {
            await using FileServer server = await FileServer.StartAsync(way, folder);
            using RawClient client = await server.ConnectAsync();
            for (int round = 0; round < 2; round++)
            {
                RawResponse response = await client.GetAsync("/a/file.bin");
                Assert.Equal(200, response.Status);
                Payload.AssertSame(content, response.Body);
                Assert.Equal(("application/octet-stream", "bytes"), (response.Headers["Content-Type"], response.Headers["Accept-Ranges"]));
                Assert.Equal("no-cache", response.Headers["Cache-Control"]);
                Assert.Equal("Mon, 06 May 2024 07:08:09 GMT", response.Headers["Last-Modified"]);
                Assert.Matches("^\"[A-Za-z0-9_-]{22}\"$", response.Headers["ETag"]);
                Assert.DoesNotContain("Content-Encoding", response.Headers.Keys);
                Assert.DoesNotContain("Vary", response.Headers.Keys);
                DateTimeOffset date = DateTimeOffset.ParseExact(response.Headers["Date"], "r", CultureInfo.InvariantCulture);
                Assert.InRange(date, DateTimeOffset.UtcNow.AddSeconds(-60), DateTimeOffset.UtcNow.AddSeconds(1));
            }

            Assert.Equal(2, server.Statistics.Hits);
            Assert.Equal(way != Way.Sockets && lengthBytes > 8192 ? 2 : 0, server.Statistics.ByReference);
        }
    }

    [Theory]
    [InlineData("1.1", false)]
    [InlineData("1.1", true)]
    [InlineData("2.0", false)]
    [InlineData("2.0", true)]
    public async Task AFileArrivesWholeOverEveryProtocol(string version, bool isHttps)
    {
        byte[] content = Payload.Of(300_000);
        using TestFolder folder = new TestFolder().With("file.bin", content);
        foreach (Way way in Enum.GetValues<Way>())
        {
            await using FileServer server = await FileServer.StartAsync(new FileServerSetup
            {
                Way = way,
                Folder = folder.Path,
                IsHttps = isHttps,
                Protocols = isHttps ? HttpProtocols.Http1AndHttp2 : version == "2.0" ? HttpProtocols.Http2 : HttpProtocols.Http1,
            });
            using HttpClient client = server.CreateClient(Version.Parse(version));
            for (int round = 0; round < 2; round++)
            {
                using HttpResponseMessage response = await client.GetAsync(new Uri("/file.bin", UriKind.Relative));
                Assert.Equal((HttpStatusCode.OK, Version.Parse(version)), (response.StatusCode, response.Version));
                Payload.AssertSame(content, await response.Content.ReadAsByteArrayAsync());
            }

            Assert.Equal(version == "1.1" && !isHttps && way != Way.Sockets ? 2 : 0, server.Statistics.ByReference);
        }
    }

    [Fact]
    public async Task HeadHasTheFieldsOfGetAndNoBody()
    {
        using TestFolder folder = new TestFolder().With("a.txt", Payload.Of(20_000)).With("a.txt.br", Payload.Of(1000));
        foreach (Way way in Enum.GetValues<Way>())
        {
            await using FileServer server = await FileServer.StartAsync(way, folder);
            using RawClient client = await server.ConnectAsync();
            RawResponse get = await client.GetAsync("/a.txt", "Accept-Encoding: br\r\n");
            RawResponse head = await client.AskAsync(RawClient.Request("HEAD /a.txt", "Accept-Encoding: br\r\n"));

            Assert.Equal(200, head.Status);
            Assert.Equal(Without(get, "Date"), Without(head, "Date"));
            Assert.Equal("1000", head.Headers["Content-Length"]);

            // Nothing of a body is in the way of the next answer.
            Assert.Equal(200, (await client.GetAsync("/a.txt")).Status);
        }
    }

    [Fact]
    public async Task NotModifiedHasTheValidatorsAndNoBody()
    {
        using TestFolder folder = new TestFolder().With("a.txt", Payload.Of(20_000)).With("a.txt.gz", Payload.Of(1000));
        foreach (Way way in Enum.GetValues<Way>())
        {
            await using FileServer server = await FileServer.StartAsync(way, folder);
            using RawClient client = await server.ConnectAsync();
            RawResponse get = await client.GetAsync("/a.txt", "Accept-Encoding: gzip\r\n");
            RawResponse again = await client.GetAsync("/a.txt", $"Accept-Encoding: gzip\r\nIf-None-Match: {get.Headers["ETag"]}\r\n");

            Assert.Equal(304, again.Status);
            foreach (string name in new[] { "ETag", "Last-Modified", "Vary", "Cache-Control" })
            {
                Assert.Equal(get.Headers[name], again.Headers[name]);
            }

            Assert.DoesNotContain("Content-Type", again.Headers.Keys);
            Assert.DoesNotContain("Content-Encoding", again.Headers.Keys);
            Assert.DoesNotContain("Content-Length", again.Headers.Keys);
            Assert.Equal(1, server.Statistics.NotModified);
        }
    }

    /// <summary>RFC 9110, section 15.4.5: a cache would else update what it has by less than a 200 says.</summary>
    [Fact]
    public async Task NotModifiedRepeatsWhatTheOptionsSayToCaches()
    {
        const string Expires = "Thu, 01 Jan 2026 00:00:00 GMT";
        using TestFolder folder = new TestFolder().With("a.txt", "a");
        foreach (Way way in Enum.GetValues<Way>())
        {
            await using FileServer server = await FileServer.StartAsync(way, folder, static options =>
            {
                options.Headers["cache-control"] = "max-age=60";
                options.Headers["Expires"] = Expires;
                options.Headers["Content-Location"] = "/b.txt";
                options.Headers["X-Other"] = "other";
            });
            using RawClient client = await server.ConnectAsync();
            RawResponse get = await client.GetAsync("/a.txt");
            RawResponse again = await client.GetAsync("/a.txt", "If-None-Match: *\r\n");
            foreach ((RawResponse response, int status) in new[] { (get, 200), (again, 304) })
            {
                Assert.Equal(
                    (status, "max-age=60", Expires, "/b.txt"),
                    (response.Status, response.Headers["Cache-Control"], response.Headers["Expires"], response.Headers["Content-Location"]));
            }

            Assert.Equal((true, false), (get.Headers.ContainsKey("X-Other"), again.Headers.ContainsKey("X-Other")));
        }
    }

    /// <summary>A cache would keep it for the URL, whatever the next request asks for.</summary>
    [Theory]
    [InlineData("If-Match: \"other\"\r\n", 412)]
    [InlineData("Range: bytes=5000-\r\n", 416)]
    public async Task AnErrorIsNotToBeKept(string headers, int status)
    {
        using TestFolder folder = new TestFolder().With("a.txt", Payload.Of(1000));
        foreach (Way way in Enum.GetValues<Way>())
        {
            await using FileServer server = await FileServer.StartAsync(way, folder, static options =>
            {
                options.IsImmutable = static _ => true;
                options.Headers["Expires"] = "Thu, 01 Jan 2099 00:00:00 GMT";
            });
            using RawClient client = await server.ConnectAsync();
            RawResponse response = await client.GetAsync("/a.txt", headers);
            Assert.Equal(status, response.Status);
            Assert.DoesNotContain("Cache-Control", response.Headers.Keys);
            Assert.DoesNotContain("Expires", response.Headers.Keys);
        }
    }

    [Fact]
    public async Task EachCodingIsARepresentationOfItsOwn()
    {
        byte[][] contents = [Payload.Of(20_000), Payload.Of(9_000), Payload.Of(8_000), Payload.Of(10_000)];
        using TestFolder folder = new TestFolder().With("a.css", contents[0]).With("a.css.gz", contents[1])
            .With("a.css.br", contents[2]).With("a.css.zst", contents[3]);
        string?[] codings = [null, "gzip", "br", "zstd"];
        foreach (Way way in Enum.GetValues<Way>())
        {
            await using FileServer server = await FileServer.StartAsync(way, folder);
            using RawClient client = await server.ConnectAsync();
            HashSet<string> tags = [];
            for (int index = 0; index < codings.Length; index++)
            {
                RawResponse response = await client.GetAsync("/a.css", codings[index] is { } coding ? $"Accept-Encoding: {coding}\r\n" : "");
                Payload.AssertSame(contents[index], response.Body);
                Assert.Equal(codings[index], response.Headers.GetValueOrDefault("Content-Encoding"));
                Assert.Equal(("Accept-Encoding", "text/css"), (response.Headers["Vary"], response.Headers["Content-Type"]));
                Assert.True(tags.Add(response.Headers["ETag"]));
            }

            Assert.Equal(406, (await client.GetAsync("/a.css", "Accept-Encoding: identity;q=0, deflate\r\n")).Status);
        }
    }

    [Fact]
    public async Task RangesAreBytesOfTheSelectedRepresentation()
    {
        byte[] content = Payload.Of(300_000);
        byte[] coded = Payload.Of(100_000);
        using TestFolder folder = new TestFolder().With("a.txt", content).With("a.txt.gz", coded);
        foreach (Way way in Enum.GetValues<Way>())
        {
            await using FileServer server = await FileServer.StartAsync(way, folder);
            using RawClient client = await server.ConnectAsync();
            foreach ((string range, int start, int end) in new[]
            {
                ("0-0", 0, 1), ("1000-1999", 1000, 2000), ("290000-", 290_000, 300_000), ("-5", 299_995, 300_000), ("10-200000", 10, 200_001),
            })
            {
                RawResponse part = await client.GetAsync("/a.txt", $"Range: bytes={range}\r\n");
                Assert.Equal(206, part.Status);
                Payload.AssertSame(content[start..end], part.Body);
                Assert.Equal($"bytes {start}-{end - 1}/300000", part.Headers["Content-Range"]);
            }

            RawResponse ofCoded = await client.GetAsync("/a.txt", "Accept-Encoding: gzip\r\nRange: bytes=50000-\r\n");
            Payload.AssertSame(coded[50_000..], ofCoded.Body);
            Assert.Equal(("bytes 50000-99999/100000", "gzip"), (ofCoded.Headers["Content-Range"], ofCoded.Headers["Content-Encoding"]));

            RawResponse none = await client.GetAsync("/a.txt", "Range: bytes=300000-\r\n");
            Assert.Equal((416, "bytes */300000"), (none.Status, none.Headers["Content-Range"]));
        }
    }

    [Fact]
    public async Task SeveralRangesAreSeveralParts()
    {
        byte[] content = Payload.Of(300_000);
        using TestFolder folder = new TestFolder().With("a.bin", content);
        foreach (Way way in Enum.GetValues<Way>())
        {
            await using FileServer server = await FileServer.StartAsync(way, folder);
            using RawClient client = await server.ConnectAsync();
            RawResponse response = await client.GetAsync("/a.bin", "Range: bytes=200000-299999,0-9\r\n");
            Assert.Equal(206, response.Status);
            string type = response.Headers["Content-Type"];
            const string Start = "multipart/byteranges; boundary=";
            Assert.StartsWith(Start, type, StringComparison.Ordinal);
            string boundary = type[Start.Length..];
            byte[] expected =
            [
                .. Ascii($"--{boundary}\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes 200000-299999/300000\r\n\r\n"),
                .. content[200_000..],
                .. Ascii($"\r\n--{boundary}\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes 0-9/300000\r\n\r\n"),
                .. content[..10],
                .. Ascii($"\r\n--{boundary}--\r\n"),
            ];
            Payload.AssertSame(expected, response.Body);
            Assert.Equal(200, (await client.GetAsync("/a.bin")).Status);
        }
    }

    private static byte[] Ascii(string text) => System.Text.Encoding.ASCII.GetBytes(text);

    private static SortedDictionary<string, string> Without(RawResponse response, string name)
        => new(response.Headers.Where(header => header.Key != name).ToDictionary(), StringComparer.OrdinalIgnoreCase);
}
