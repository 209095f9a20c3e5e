using System.Globalization;

namespace Ioxide.BadNetwork;

/// <summary>Bodies in either direction over a subject: through a client of this process to its server, or by its own client.</summary>
internal sealed class Exchange(Stage stage, Subject subject, System.Net.EndPoint? endPoint = null) : IDisposable
{
    private readonly HttpClient _client = stage.CreateClient(subject, endPoint);

    private bool IsServer => subject is not (Subject.Pg or Subject.Outbound);

    /// <summary>A body of a key from the side that has it.</summary>
    /// <param name="key">Of its bytes.</param>
    /// <param name="lengthBytes">Its length.</param>
    /// <param name="pauseMs">How long a server of the side waits after each piece.</param>
    internal Task<string> DownAsync(long key, int lengthBytes, int pauseMs = 0)
        => IsServer
            ? TellAsync(() => GetAsync(key, lengthBytes, pauseMs))
            : stage.AskAsync($"{(subject == Subject.Pg ? "rows" : "get")} {key} {lengthBytes}");

    /// <summary>A body of a key to it.</summary>
    internal Task<string> UpAsync(long key, int lengthBytes)
        => IsServer
            ? TellAsync(() => PostAsync(key, lengthBytes))
            : stage.AskAsync($"{(subject == Subject.Pg ? "value" : "post")} {key} {lengthBytes}");

    public void Dispose() => _client.Dispose();

    private async Task<string> GetAsync(long key, int lengthBytes, int pauseMs)
    {
        byte[] body = await _client.GetByteArrayAsync(new Uri($"/down?key={key}&length={lengthBytes}&pause={pauseMs}", UriKind.Relative));
        return body.Length == lengthBytes && Payload.FirstDifference(body, key, 0) < 0 ? Outcome.Whole : $"{body.Length} bytes, not those of the key";
    }

    private async Task<string> PostAsync(long key, int lengthBytes)
    {
        byte[] body = new byte[lengthBytes];
        Payload.Fill(body, key, 0);
        using var content = new ByteArrayContent(body);
        using HttpResponseMessage response = await _client.PostAsync(new Uri($"/up?key={key}", UriKind.Relative), content);
        string answer = await response.Content.ReadAsStringAsync();
        return answer == string.Create(CultureInfo.InvariantCulture, $"{lengthBytes} -1") ? Outcome.Whole : answer;
    }

    private static async Task<string> TellAsync(Func<Task<string>> ask)
    {
        try
        {
            return await ask();
        }
        catch (Exception exception) when (exception is HttpRequestException or IOException or OperationCanceledException)
        {
            return Outcome.Of(exception);
        }
    }
}
