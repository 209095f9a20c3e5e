using System.Runtime.CompilerServices;
using System.Threading.Channels;

namespace Ioxide.LoadHost;

/// <summary>Hands each published text to everybody who listens.</summary>
internal sealed class EventHub
{
    /// <summary>A listener that is so many events behind loses the next.</summary>
    private const int QueueLength = 1024;

    private readonly Lock _lock = new();
    private Channel<string>[] _listeners = [];

    /// <returns>How many took it.</returns>
    internal int Publish(string text)
    {
        int count = 0;
        foreach (Channel<string> listener in Volatile.Read(ref _listeners))
        {
            count += listener.Writer.TryWrite(text) ? 1 : 0;
        }

        return count;
    }

    internal async IAsyncEnumerable<string> ListenAsync([EnumeratorCancellation] CancellationToken cancellation)
    {
        Channel<string> listener = Channel.CreateBounded<string>(new BoundedChannelOptions(QueueLength) { SingleReader = true });
        lock (_lock)
        {
            _listeners = [.. _listeners, listener];
        }

        try
        {
            await foreach (string text in listener.Reader.ReadAllAsync(cancellation))
            {
                yield return text;
            }
        }
        finally
        {
            lock (_lock)
            {
                _listeners = [.. _listeners.Where(other => other != listener)];
            }
        }
    }
}
