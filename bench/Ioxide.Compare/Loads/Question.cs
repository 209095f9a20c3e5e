using System.Globalization;
using System.IO.Compression;
using System.Net;
using System.Text;
using System.Text.Json;

namespace Ioxide.Compare.Loads;

/// <summary>One request and what must be right about its answer.</summary>
/// <param name="Body">Sent by POST. Null stands for GET.</param>
/// <param name="IsRight">Looks at the answer's body.</param>
internal sealed record Question(string Path, string? Body, Func<string, bool> IsRight) : ICheck
{
    internal const string SumPath = "/baseline?a=13&b=42";

    internal const string PricedItemsPath = "/json/50?m=3";

    internal const string PlaintextPath = "/plaintext";

    internal static readonly Question Plaintext = new(PlaintextPath, null, static text => text == "Hello, World!");

    private static readonly string s_echoed = string.Create(10_240, 0, static (text, _) =>
    {
        for (int index = 0; index < text.Length; index++)
        {
            text[index] = (char)('a' + (index * 7 % 26));
        }
    });

    internal static readonly Question Echo = new("/echo", s_echoed, static text => text == s_echoed);

    internal static readonly Question Greeting = new("/json", null, static text => text == "{\"message\":\"Hello, World!\"}");

    internal static readonly Question Sum = new(SumPath, null, static text => text == "55");

    internal static readonly Question SumWithBody = new(SumPath, "20", static text => text == "75");

    /// <summary>Rows of <c>bench/pg-fill.sql</c> as a page: the added one stands in its place, and no script does.</summary>
    internal static readonly Question Fortunes = new("/fortunes", null, static text =>
        text.Split("<tr>").Length == 15 && !text.Contains("<script>", StringComparison.Ordinal)
        && text.IndexOf("A list is only", StringComparison.Ordinal) < text.IndexOf("Additional fortune", StringComparison.Ordinal)
        && text.IndexOf("Additional fortune", StringComparison.Ordinal) < text.IndexOf("After enough", StringComparison.Ordinal));

    internal static readonly Question PricedItems = new(PricedItemsPath, null, static text => AreItems(text, 50, static item =>
        item.GetProperty("total").GetInt64() == item.GetProperty("price").GetInt64() * item.GetProperty("quantity").GetInt64() * 3));

    /// <summary>The answer must be compressed with gzip.</summary>
    internal bool IsCompressed { get; init; }

    /// <summary>The version of HTTP to ask in, and no other.</summary>
    internal Version Version { get; init; } = HttpVersion.Version11;

    /// <summary>Rows of <c>bench/pg-fill.sql</c>.</summary>
    internal static Question Items(string path, int rowCount) => new(path, null, text => AreItems(text, rowCount, static item =>
        item.GetProperty("ratingCount").GetInt32() == item.GetProperty("id").GetInt32() % 1000));

    /// <inheritdoc/>
    public async Task AskAsync(LoadTarget target, CancellationToken cancellation)
    {
        string url = target.Url(Path);
        try
        {
            using var request = new HttpRequestMessage(Body is null ? HttpMethod.Get : HttpMethod.Post, url)
            {
                Version = Version,
                VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            };
            request.Content = Body is null ? null : new StringContent(Body);
            if (IsCompressed)
            {
                request.Headers.Add("Accept-Encoding", "gzip");
            }

            using HttpResponseMessage answer = (await DriverClient.Instance.SendAsync(request, cancellation)).EnsureSuccessStatusCode();
            if (answer.Content.Headers.ContentEncoding.Contains("gzip") != IsCompressed)
            {
                throw new RefusedException($"{url} came in another coding than was asked for");
            }

            Stream body = await answer.Content.ReadAsStreamAsync(cancellation);
            await using Stream plain = IsCompressed ? new GZipStream(body, CompressionMode.Decompress) : body;
            using var reader = new StreamReader(plain, Encoding.UTF8);
            string text = await reader.ReadToEndAsync(cancellation);
            if (!IsRight(text))
            {
                throw new RefusedException($"{url} answered wrongly: {text[..Math.Min(200, text.Length)]}");
            }
        }
        catch (Exception exception) when (exception is HttpRequestException or JsonException or KeyNotFoundException or InvalidOperationException)
        {
            throw new RefusedException($"{url}: {exception.Message}");
        }
    }

    private static bool AreItems(string text, int count, Func<JsonElement, bool> isRight)
    {
        using JsonDocument answer = JsonDocument.Parse(text);
        return answer.RootElement.GetArrayLength() == count && answer.RootElement.EnumerateArray().All(item =>
            item.GetProperty("name").GetString() == $"Item {item.GetProperty("id").GetInt32().ToString(CultureInfo.InvariantCulture)}"
            && item.GetProperty("tags").GetArrayLength() == 2
            && isRight(item));
    }
}
