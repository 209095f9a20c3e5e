namespace Ioxide;

/// <summary>A last-in-first-out stack of idle objects. It counts those that were not needed since the last look.</summary>
/// <remarks>
/// The top stays warm; unneeded objects lie at the bottom, where <see cref="Trim"/> removes them. The fast path pays one
/// comparison per pop. Threads: one at a time; a user with several brings a lock.
/// </remarks>
internal sealed class IdleStack<T>
    where T : class
{
    private const int LeastCapacity = 16;

    private T?[] _items = new T?[LeastCapacity];
    private int _count;
    private int _leastCount;

    /// <summary>Objects that are idle now.</summary>
    internal int Count => _count;

    internal void Push(T item)
    {
        if (_count == _items.Length)
        {
            Array.Resize(ref _items, _count * 2);
        }

        _items[_count++] = item;
    }

    internal bool TryPop([NotNullWhen(true)] out T? item)
    {
        if (_count == 0)
        {
            item = null;
            return false;
        }

        item = _items[--_count]!;
        _items[_count] = null;
        if (_count < _leastCount)
        {
            _leastCount = _count;
        }

        return true;
    }

    /// <summary>
    /// Removes half of the objects that were idle at every moment since the last call, rounded up: consecutive calls remove them all.
    /// </summary>
    /// <param name="most">Maximum number of objects to remove.</param>
    /// <param name="onRemoved">Called with each; null leaves them to the collector.</param>
    /// <returns>Number of objects removed.</returns>
    internal int Trim(int most, Action<T>? onRemoved = null)
    {
        int removed = Math.Min(most, (_leastCount + 1) / 2);
        if (removed > 0)
        {
            for (int index = 0; onRemoved is not null && index < removed; index++)
            {
                onRemoved(_items[index]!);
            }

            Array.Copy(_items, removed, _items, 0, _count - removed);
            Array.Clear(_items, _count - removed, removed);
            _count -= removed;
            int capacity = Math.Max(LeastCapacity, _count * 2);
            if (_items.Length >= capacity * 2)
            {
                Array.Resize(ref _items, capacity);
            }
        }

        _leastCount = _count;
        return Math.Max(removed, 0);
    }
}
