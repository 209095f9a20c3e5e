using System.Collections.Concurrent;

namespace Ioxide.Pg;

/// <summary>What is made of SQL texts, by text. It is bounded in number and in bytes; what was not asked for again makes room.</summary>
/// <param name="make">Makes the value of a text, outside the lock: two callers may each make one, of which one is kept.</param>
/// <param name="measure">About how many bytes a text and its value take.</param>
/// <remarks>
/// Texts without end are made by writing values into them, and none of those comes again. Each new text takes the place of the oldest one
/// that was not used since it was last passed over. Threads: any; a look-up takes no lock.
/// </remarks>
internal sealed class TextCache<T>(Func<string, T> make, Func<string, T, int> measure)
    where T : class
{
    // Application code alone comes here, and no state of a reactor is half changed then: a wait for it may turn the ring.
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

    /// <summary>Bytes of the largest value that is kept: it cannot take the place of all others.</summary>
    internal const int MaxTextBytes = MaxBytes / 2;
}
