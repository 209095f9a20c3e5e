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
            ? TellAsync(() => Bodies.GetAsync(_client, key, lengthBytes, pauseMs))
            : stage.AskAsync($"{(subject == Subject.Pg ? "rows" : "get")} {key} {lengthBytes}");

    /// <summary>A body of a key to it.</summary>
    internal Task<string> UpAsync(long key, int lengthBytes)
        => IsServer
            ? TellAsync(() => Bodies.PostAsync(_client, key, lengthBytes))
            : stage.AskAsync($"{(subject == Subject.Pg ? "value" : "post")} {key} {lengthBytes}");

    public void Dispose() => _client.Dispose();

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
