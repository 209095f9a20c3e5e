using Shared = System.Collections.Concurrent;

namespace Ioxide;

/// <summary>Stands for the framework's queue in the runtime's sources, and promises no more than its contract: an enqueue is a release.</summary>
/// <remarks>The framework's takes a ticket by an interlocked operation, which happens to be a full fence.</remarks>
internal sealed class ConcurrentQueue<T>
{
    private readonly Shared.ConcurrentQueue<T> _items = new();

    internal bool IsEmpty
    {
        get
        {
            StoreBuffer.Here?.Pause();
            return _items.IsEmpty;
        }
    }

    internal int Count => _items.Count;

    internal T[] ToArray() => _items.ToArray();

    internal void Enqueue(T item)
    {
        if (StoreBuffer.Here is { } here)
        {
            here.Hold(() => _items.Enqueue(item));
            return;
        }

        _items.Enqueue(item);
    }

    internal bool TryDequeue(out T item)
    {
        StoreBuffer.Here?.Pause();
        return _items.TryDequeue(out item!);
    }
}
