using System.IO.Compression;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Net.WebSockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;

namespace Ioxide.Pg.Tests;

/// <summary>
/// <c>bench/arena</c> answers what the validator of HttpArena asks before it measures: sums that cannot be known before, requests in pieces, totals,
/// codings, sizes, rows, caches, protocols of each port. Its data are made here.
/// </summary>
[Once]
public sealed class BoardEntryTests : IAsyncLifetime
{
    private const int Rows = 1000;

    private static readonly string[] s_tags = ["new"];
    private static readonly string[] s_text = ["app.js", "reset.css", "manifest.json"];

    private readonly string _folder = Directory.CreateTempSubdirectory("ioxide-arena-").FullName;
    private readonly Dictionary<string, byte[]> _files = [];
    private HostProcess? _entry;
    private IReadOnlyList<Uri> _addresses = [];

    public async ValueTask InitializeAsync()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<BoardEntryTests>();
        await server.RunSqlAsync(
            $"""
            create table items (
                id integer primary key, name text not null, category text not null, price integer not null, quantity integer not null,
                active boolean not null, tags jsonb not null, rating_score integer not null, rating_count integer not null);
            insert into items
                select i, 'Item ' || i, (array['electronics', 'tools'])[i % 2 + 1], i * 7919 % 500 + 1, i % 100, i % 3 = 0, '["new", "fast"]', i % 50, i
                from generate_series(1, {Rows}) i;
            """,
            database,
            PgUsers.Trust);
        WriteData();
        _entry = HostProcess.Start(
            "Ioxide.Arena",
            [],
            variables:
            [
                ("DATABASE_URL", $"postgres://{PgUsers.Trust}@localhost:{server.Port}/{database}?host={server.SocketFolder}"), ("DATABASE_MAX_CONN", "8"),
                ("DATASET_PATH", $"{_folder}/dataset.json"), ("STATIC_PATH", $"{_folder}/static"),
                ("TLS_CERT", $"{_folder}/server.crt"), ("TLS_KEY", $"{_folder}/server.key"),
                ("Ports__Http", "0"), ("Ports__Http2", "0"), ("Ports__Http1Tls", "0"), ("Ports__Tls", "0"),
                ("Logging__LogLevel__Microsoft.Hosting.Lifetime", "Information"),
            ]);
        _addresses = await _entry.ListeningAsync(4);
    }

    public async ValueTask DisposeAsync()
    {
        if (_entry is not null)
        {
            await _entry.DisposeAsync();
        }

        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task ItAnswersWhatTheValidatorAsks()
    {
        // One process for all of them: to start it takes longer than to ask.
        await SumsAreComputedAsync();
        await RequestsMayComeInPiecesAsync();
        await TotalsAreComputedAndCodedWhereAskedAsync();
        await BodiesAreCountedAsync();
        await FilesHaveTheirTypesSizesAndCodingsAsync();
        await RowsAreFoundByPriceAsync();
        await AnItemIsCachedUntilItIsChangedAsync();
        await EachPortHasItsProtocolAsync();
        await AnEchoComesBackAsync();
        await ACallIsAnsweredAsync();
    }

    private async Task SumsAreComputedAsync()
    {
        using HttpClient client = Client(Port.Http);
        int a = RandomNumberGenerator.GetInt32(100, 1000);
        int b = RandomNumberGenerator.GetInt32(100, 1000);
        foreach ((string path, string? body, int sum) in ((string, string?, int)[])[
            ("/baseline11?a=13&b=42", null, 55), ($"/baseline11?a={a}&b={b}", null, a + b), ("/baseline11?a=13&b=42", "20", 75), ($"/baseline11?a=13&b={b}", $"{a}", 13 + a + b)])
        {
            foreach (bool isChunked in body is null ? (bool[])[false] : [false, true])
            {
                using var request = new HttpRequestMessage(body is null ? HttpMethod.Get : HttpMethod.Post, path);
                request.Content = body is null ? null : new StringContent(body, Encoding.ASCII, "text/plain");
                request.Headers.TransferEncodingChunked = isChunked;
                using HttpResponseMessage answer = await client.SendAsync(request).Within(20.Seconds());
                Assert.Equal(sum.ToString(System.Globalization.CultureInfo.InvariantCulture), await answer.Content.ReadAsStringAsync());
                Assert.Equal("text/plain", answer.Content.Headers.ContentType?.MediaType);
            }
        }

        Assert.Equal("ok", await client.GetStringAsync("/pipeline").Within(20.Seconds()));
    }

    private async Task RequestsMayComeInPiecesAsync()
    {
        const string post = "POST /baseline11?a=13&b=42 HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n";
        foreach ((string[] pieces, string sum) in ((string[], string)[])[
            (["GET /baseli", "ne11?a=13&b=42 HTTP/1.1\r\n", "Host: localhost\r\n\r\n"], "55"), ([post, "20"], "75"), ([post, "2", "0"], "75")])
        {
            using RawClient client = await RawClient.ConnectAsync(EndPointOf(Port.Http));
            foreach (string piece in pieces)
            {
                await client.SendAsync(piece);
                await Task.Delay(30, TestContext.Current.CancellationToken);
            }

            Assert.Equal(sum, (await client.ReadResponseAsync()).Text);
        }
    }

    private async Task TotalsAreComputedAndCodedWhereAskedAsync()
    {
        foreach (Port port in (Port[])[Port.Http, Port.Http1Tls, Port.Http2])
        {
            using HttpClient client = Client(port);
            foreach ((int count, int factor) in ((int, int)[])[(12, 3), (31, 2), (50, 5), (0, 1)])
            {
                using HttpResponseMessage answer = await client.GetAsync($"/json/{count}?m={factor}").Within(20.Seconds());
                Assert.Equal("application/json", answer.Content.Headers.ContentType?.MediaType);
                Assert.Empty(answer.Content.Headers.ContentEncoding);
                CheckTotals(await answer.Content.ReadAsStringAsync(), count, factor);
            }
        }

        using HttpClient clear = Client(Port.Http);
        using var request = new HttpRequestMessage(HttpMethod.Get, "/json/40?m=7") { Headers = { AcceptEncoding = { new("gzip"), new("br") } } };
        using HttpResponseMessage coded = await clear.SendAsync(request).Within(20.Seconds());
        Assert.Equal(["br"], coded.Content.Headers.ContentEncoding);
        using var plain = new StreamReader(new BrotliStream(await coded.Content.ReadAsStreamAsync(), CompressionMode.Decompress));
        CheckTotals(await plain.ReadToEndAsync(), 40, 7);
    }

    private static void CheckTotals(string text, int count, int factor)
    {
        using var json = JsonDocument.Parse(text);
        Assert.Equal(count, json.RootElement.GetProperty("count").GetInt32());
        JsonElement[] items = [.. json.RootElement.GetProperty("items").EnumerateArray()];
        Assert.Equal(count, items.Length);
        Assert.All(items, item => Assert.Equal(
            (long)item.GetProperty("price").GetInt32() * item.GetProperty("quantity").GetInt32() * factor, item.GetProperty("total").GetInt64()));
        Assert.All(items, static item => Assert.Equal(item.GetProperty("id").GetInt32() * 2, item.GetProperty("rating").GetProperty("count").GetInt32()));
    }

    private async Task BodiesAreCountedAsync()
    {
        using HttpClient client = Client(Port.Http);
        foreach (int count in (int[])[17, 512_000, 20_971_520])
        {
            using HttpResponseMessage answer = await client.PostAsync("/upload", new ByteArrayContent(new byte[count])).Within(60.Seconds());
            Assert.Equal($"{count}", await answer.Content.ReadAsStringAsync());
        }
    }

    private async Task FilesHaveTheirTypesSizesAndCodingsAsync()
    {
        foreach (Port port in (Port[])[Port.Http, Port.Tls])
        {
            using HttpClient client = Client(port);
            foreach ((string name, byte[] bytes) in _files)
            {
                Assert.Equal(bytes, await client.GetByteArrayAsync($"/static/{name}").Within(20.Seconds()));
            }

            foreach ((string name, string type) in ((string, string)[])[("reset.css", "text/css"), ("app.js", "text/javascript"), ("manifest.json", "application/json")])
            {
                using var request = new HttpRequestMessage(HttpMethod.Get, $"/static/{name}") { Version = client.DefaultRequestVersion };
                request.Headers.AcceptEncoding.ParseAdd("br;q=1, gzip;q=0.8");
                using HttpResponseMessage answer = await client.SendAsync(request).Within(20.Seconds());
                Assert.Equal(type, answer.Content.Headers.ContentType?.MediaType);
                Assert.Equal(["br"], answer.Content.Headers.ContentEncoding);
                using var plain = new MemoryStream();
                await new BrotliStream(await answer.Content.ReadAsStreamAsync(), CompressionMode.Decompress).CopyToAsync(plain);
                Assert.Equal(_files[name], plain.ToArray());
            }

            using HttpResponseMessage missing = await client.GetAsync("/static/nonexistent.txt").Within(20.Seconds());
            Assert.Equal(HttpStatusCode.NotFound, missing.StatusCode);
        }
    }

    private async Task RowsAreFoundByPriceAsync()
    {
        using HttpClient client = Client(Port.Http);
        foreach ((int min, int max, int limit, int count) in ((int, int, int, int)[])[(5, 80, 7, 7), (100, 400, 33, 33), (10, 450, 999, 50), (9999, 9999, 50, 0)])
        {
            JsonElement answer = await client.GetFromJsonAsync<JsonElement>($"/async-db?min={min}&max={max}&limit={limit}").Within(20.Seconds());
            Assert.Equal(count, answer.GetProperty("count").GetInt32());
            JsonElement[] items = [.. answer.GetProperty("items").EnumerateArray()];
            Assert.Equal(count, items.Length);
            Assert.All(items, item => Assert.InRange(item.GetProperty("price").GetInt32(), min, max));
            Assert.All(items, static item => Assert.Equal("""["new","fast"]""", item.GetProperty("tags").GetRawText()));
            Assert.All(items, static item => Assert.Equal(item.GetProperty("id").GetInt32() % 50, item.GetProperty("rating").GetProperty("score").GetInt32()));
            Assert.All(items, static item => Assert.Equal(item.GetProperty("id").GetInt32() % 3 == 0, item.GetProperty("active").GetBoolean()));
        }

        JsonElement page = await client.GetFromJsonAsync<JsonElement>("/crud/items?category=electronics&page=2&limit=5").Within(20.Seconds());
        Assert.Equal([12, 14, 16, 18, 20], page.GetProperty("items").EnumerateArray().Select(static item => item.GetProperty("id").GetInt32()));
        Assert.Equal((5, 2), (page.GetProperty("total").GetInt32(), page.GetProperty("page").GetInt32()));
    }

    private async Task AnItemIsCachedUntilItIsChangedAsync()
    {
        using HttpClient client = Client(Port.Http);
        Assert.Equal((HttpStatusCode.NotFound, null, null), await ReadAsync(999_999));

        object item = new { id = 200_001, name = "Added", category = "test", price = 42, quantity = 7 };
        using HttpResponseMessage added = await client.PostAsJsonAsync("/crud/items", item).Within(20.Seconds());
        Assert.Equal(HttpStatusCode.Created, added.StatusCode);
        Assert.Equal((HttpStatusCode.OK, "MISS", "Added"), await ReadAsync(200_001));

        // A cached one lives for 200 ms; on a slow machine they may be over.
        await Waits.Eventually(() => ReadAsync(200_001).Result.Cache == "HIT", 20.Seconds());
        using HttpResponseMessage changed = await client.PutAsJsonAsync("/crud/items/200001", new { name = "Changed", price = 99, quantity = 1 }).Within(20.Seconds());
        Assert.Equal(HttpStatusCode.OK, changed.StatusCode);
        Assert.Equal((HttpStatusCode.OK, "MISS", "Changed"), await ReadAsync(200_001));
        using HttpResponseMessage unknown = await client.PutAsJsonAsync("/crud/items/999999", item).Within(20.Seconds());
        Assert.Equal(HttpStatusCode.NotFound, unknown.StatusCode);

        async Task<(HttpStatusCode Status, string? Cache, string? Name)> ReadAsync(int id)
        {
            using HttpResponseMessage answer = await client.GetAsync($"/crud/items/{id}").Within(20.Seconds());
            return (
                answer.StatusCode,
                answer.Headers.TryGetValues("X-Cache", out IEnumerable<string>? cache) ? cache.Single() : null,
                answer.IsSuccessStatusCode ? (await answer.Content.ReadFromJsonAsync<JsonElement>()).GetProperty("name").GetString() : null);
        }
    }

    private async Task EachPortHasItsProtocolAsync()
    {
        foreach (Port port in Enum.GetValues<Port>())
        {
            using HttpClient client = Client(port);
            string path = port is Port.Http or Port.Http1Tls ? "/baseline11" : "/baseline2";
            Assert.Equal("55", await client.GetStringAsync($"{path}?a=13&b=42").Within(20.Seconds()));
        }

        // A port of clear-text HTTP/2 that answered HTTP/1.1 would measure that.
        using RawClient old = await RawClient.ConnectAsync(EndPointOf(Port.Http2));
        RawResponse refused = await old.GetAsync("/baseline2?a=1&b=1");
        Assert.NotEqual(200, refused.Status);
    }

    private async Task AnEchoComesBackAsync()
    {
        using var socket = new ClientWebSocket();
        await socket.ConnectAsync(new UriBuilder(Of(Port.Http)) { Scheme = "ws", Host = "localhost", Path = "/ws" }.Uri, CancellationToken.None).Within(20.Seconds());
        foreach ((WebSocketMessageType type, int count) in ((WebSocketMessageType, int)[])[(WebSocketMessageType.Text, 32), (WebSocketMessageType.Binary, 10_000)])
        {
            byte[] sent = [.. Enumerable.Range(0, count).Select(static index => (byte)('a' + (index % 26)))];
            await socket.SendAsync(sent, type, endOfMessage: true, CancellationToken.None).Within(20.Seconds());
            byte[] buffer = new byte[count];
            int length = 0;
            WebSocketReceiveResult received;
            do
            {
                received = await socket.ReceiveAsync(new ArraySegment<byte>(buffer, length, count - length), CancellationToken.None).Within(20.Seconds());
                length += received.Count;
            }
            while (!received.EndOfMessage);
            Assert.Equal(type, received.MessageType);
            Assert.Equal(sent, buffer[..length]);
        }

        await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None).Within(20.Seconds());
        Assert.Equal(WebSocketState.Closed, socket.State);
    }

    private async Task ACallIsAnsweredAsync()
    {
        using HttpClient client = Client(Port.Tls);

        // A frame's flag and length, then a = 13, b = 42.
        using var request = new HttpRequestMessage(HttpMethod.Post, "/benchmark.BenchmarkService/GetSum") { Version = HttpVersion.Version20 };
        request.Content = new ByteArrayContent([0, 0, 0, 0, 4, 0x08, 13, 0x10, 42]) { Headers = { ContentType = new MediaTypeHeaderValue("application/grpc") } };
        request.Headers.TE.ParseAdd("trailers");
        using HttpResponseMessage answer = await client.SendAsync(request).Within(20.Seconds());
        Assert.Equal([0, 0, 0, 0, 2, 0x08, 55], await answer.Content.ReadAsByteArrayAsync());
        Assert.Equal("0", answer.TrailingHeaders.GetValues("grpc-status").Single());
    }

    private void WriteData()
    {
        object[] items = [.. Enumerable.Range(1, 50).Select(static id => (object)new
        {
            id, name = $"Item {id}", category = "tools", price = id * 37 % 300, quantity = id % 40, active = id % 2 == 0, tags = s_tags,
            rating = new { score = id, count = id * 2 },
        })];
        File.WriteAllText(Path.Combine(_folder, "dataset.json"), JsonSerializer.Serialize(items));
        Directory.CreateDirectory(Path.Combine(_folder, "static"));
        foreach (string name in s_text)
        {
            _files[name] = Encoding.UTF8.GetBytes(string.Concat(Enumerable.Range(0, 2000).Select(line => $"/* {name} {line} */\n")));
        }

        _files["hero.webp"] = RandomNumberGenerator.GetBytes(45_000);
        foreach ((string name, byte[] bytes) in _files)
        {
            File.WriteAllBytes(Path.Combine(_folder, "static", name), bytes);
        }

        // A sibling that is older than its file is not used.
        foreach (string name in s_text)
        {
            using FileStream coded = File.Create(Path.Combine(_folder, "static", $"{name}.br"));
            using var brotli = new BrotliStream(coded, CompressionLevel.Optimal);
            brotli.Write(_files[name]);
        }

        using X509Certificate2 certificate = CertificateMaker.SelfSigned();
        File.WriteAllText(Path.Combine(_folder, "server.crt"), certificate.ExportCertificatePem());
        File.WriteAllText(Path.Combine(_folder, "server.key"), certificate.GetECDsaPrivateKey()!.ExportPkcs8PrivateKeyPem());
    }

    private Uri Of(Port port) => _addresses[(int)port];

    private IPEndPoint EndPointOf(Port port) => new(IPAddress.Loopback, Of(port).Port);

    private HttpClient Client(Port port) => HttpClients.Create(
        HttpClients.Handler(EndPointOf(port)), port is Port.Http1Tls or Port.Tls, port is Port.Http2 or Port.Tls ? HttpVersion.Version20 : null, 60.Seconds());

    /// <summary>In the order in which the entry listens.</summary>
    private enum Port
    {
        Http,
        Http2,
        Http1Tls,
        Tls,
    }
}
