using System.Buffers;
using Microsoft.Extensions.Caching.Memory;

namespace Ioxide.LoadHost;

/// <summary>Answers of <c>GET /crud/items/ID</c>, kept for a second or until the item is changed through this process.</summary>
internal sealed class ItemCache : IDisposable
{
    private const int MaxItemCount = 10_000;

    private static readonly TimeSpan s_life = TimeSpan.FromSeconds(1);

    private readonly MemoryCache _cache = new(new MemoryCacheOptions { SizeLimit = MaxItemCount });

    public void Dispose() => _cache.Dispose();

    /// <param name="fetch">Writes the item's JSON.</param>
    internal Task WriteAsync(HttpResponse response, int id, Func<int, IBufferWriter<byte>, Task> fetch)
    {
        response.ContentType = "application/json; charset=utf-8";
        return _cache.TryGetValue(id, out byte[]? known) ? SendAsync(response, known!) : FetchAsync(response, id, fetch);
    }

    internal void Remove(int id) => _cache.Remove(id);

    private async Task FetchAsync(HttpResponse response, int id, Func<int, IBufferWriter<byte>, Task> fetch)
    {
        var buffer = new ArrayBufferWriter<byte>();
        await fetch(id, buffer);
        byte[] json = buffer.WrittenSpan.ToArray();
        _cache.Set(id, json, new MemoryCacheEntryOptions { AbsoluteExpirationRelativeToNow = s_life, Size = 1 });
        await SendAsync(response, json);
    }

    private static Task SendAsync(HttpResponse response, byte[] json)
    {
        response.ContentLength = json.Length;
        return response.Body.WriteAsync(json).AsTask();
    }
}
