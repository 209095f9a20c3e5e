using System.Collections.Concurrent;
using System.Text.Json;

namespace Ioxide.Compare.Loads;

/// <summary>Asks each server once and reads the answer before the load begins: wrk itself looks at the status only.</summary>
/// <param name="load">What is measured.</param>
/// <param name="path">Answers a JSON array of items.</param>
/// <param name="rowCount">How many.</param>
internal sealed class CheckedLoad(ILoad load, string path, int rowCount) : ILoad
{
    private static readonly HttpClient s_client = new(new SocketsHttpHandler { UseProxy = false });

    private readonly ConcurrentDictionary<string, bool> _checked = new();

    public async Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
    {
        string url = target.Url(path);
        if (_checked.TryAdd(url, true))
        {
            await CheckAsync(url, cancellation);
        }

        return await load.RunAsync(target, duration, cancellation);
    }

    private async Task CheckAsync(string url, CancellationToken cancellation)
    {
        try
        {
            using JsonDocument answer = JsonDocument.Parse(await s_client.GetStringAsync(url, cancellation));
            int count = answer.RootElement.GetArrayLength();
            bool areItems = answer.RootElement.EnumerateArray().All(static item =>
                item.GetProperty("name").GetString() == $"Item {item.GetProperty("id").GetInt32()}"
                && item.GetProperty("tags").GetArrayLength() == 2
                && item.GetProperty("ratingCount").GetInt32() == item.GetProperty("id").GetInt32() % 1000);
            if (count != rowCount || !areItems)
            {
                throw new RefusedException($"{url} answered {count} items of {rowCount}, or wrong ones");
            }
        }
        catch (Exception exception) when (exception is HttpRequestException or JsonException or KeyNotFoundException or InvalidOperationException)
        {
            throw new RefusedException($"{url}: {exception.Message}");
        }
    }
}
