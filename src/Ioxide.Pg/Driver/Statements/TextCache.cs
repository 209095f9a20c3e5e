using System.Collections.Concurrent;

namespace Ioxide.Pg;

/// <summary>A cache of values by SQL text, bounded in number and in bytes. Texts that are not requested again are evicted first.</summary>
/// <param name="make">Makes the value of a text, outside the lock: two callers may each make one, and one is kept.</param>
/// <param name="measure">Returns the approximate size of a text with its value, in bytes.</param>
/// <remarks>
/// Writing values into SQL makes texts without end, and none of them recurs. Each new text replaces the oldest one that was not used since
/// the cache last passed over it. Threads: any; a look-up takes no lock.
/// </remarks>
internal sealed class TextCache<T>(Func<string, T> make, Func<string, T, int> measure)
    where T : class
{
    // Only application code takes it, when no reactor state is half changed: a wait for it may turn the ring.
    private readonly Lock _lock = new();
    private readonly ConcurrentDictionary<string, Entry> _byText = new(StringComparer.Ordinal);
    private readonly Queue<Entry> _order = new();
    private int _byteCount;

    private sealed record Entry(string Text, T Value, int ByteCount)
    {
        internal bool WasUsed { get; set; }
    }

    internal T Get(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (!_byText.TryGetValue(text, out Entry? entry))
        {
            return Add(text);
        }

        if (!entry.WasUsed)
        {
            entry.WasUsed = true;
        }

        return entry.Value;
    }

    private T Add(string text)
    {
        T value = make(text);
        int byteCount = measure(text, value);
        if (byteCount > TextCacheLimits.MaxTextBytes)
        {
            return value;
        }

        lock (_lock)
        {
            if (_byText.TryGetValue(text, out Entry? existing))
            {
                return existing.Value;
            }

            MakeRoom(byteCount);
            var entry = new Entry(text, value, byteCount);
            _byText[text] = entry;
            _order.Enqueue(entry);
            _byteCount += byteCount;
            return value;
        }
    }

    private void MakeRoom(int byteCount)
    {
        int passedOver = 0;
        while (_order.Count >= TextCacheLimits.MaxTexts || _byteCount + byteCount > TextCacheLimits.MaxBytes)
        {
            Entry oldest = _order.Dequeue();
            if (oldest.WasUsed && passedOver++ < TextCacheLimits.MaxTexts)
            {
                oldest.WasUsed = false;
                _order.Enqueue(oldest);
                continue;
            }

            _byText.TryRemove(oldest.Text, out _);
            _byteCount -= oldest.ByteCount;
        }
    }
}

/// <summary>Bounds of each cache of texts.</summary>
internal static class TextCacheLimits
{
    internal const int MaxTexts = 1024;
    internal const int MaxBytes = 16 * 1024 * 1024;

    /// <summary>The largest cached value, in bytes: it cannot evict all others.</summary>
    internal const int MaxTextBytes = MaxBytes / 2;
}
