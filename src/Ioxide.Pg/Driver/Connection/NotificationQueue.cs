using System.Threading.Channels;

namespace Ioxide.Pg;

/// <summary>Unread notifications: all of them up to a limit, and a gap where some are missing.</summary>
/// <remarks>
/// Above the limit notifications are dropped until half of it is free again, so that one gap stands for many. The server is never
/// slowed down: that would stop NOTIFY for all its clients. Threads: the reactor adds, the reader takes.
/// </remarks>
internal sealed class NotificationQueue(string channel)
{
    /// <summary>The limit in bytes: <see cref="FixedBytes"/> per notification, plus two per character of its payload.</summary>
    internal const long MaxBytes = 16 * 1024 * 1024;

    internal const int FixedBytes = 128;

    private readonly Channel<PgNotification> _items = Channel.CreateUnbounded<PgNotification>(new UnboundedChannelOptions { SingleReader = true });
    private long _bytes;
    private bool _isDropping;

    /// <summary>Adds one. True: it is the first dropped one, and a gap was added in its place.</summary>
    internal bool Add(in PgNotification notification)
    {
        long held = Volatile.Read(ref _bytes);
        long bytes = BytesOf(notification);
        if (_isDropping && held > MaxBytes / 2)
        {
            return false;
        }

        _isDropping = held + bytes > MaxBytes;
        Put(_isDropping ? PgNotification.Gap(channel) : notification);
        return _isDropping;
    }

    /// <summary>No more notifications follow.</summary>
    internal void Complete() => _items.Writer.TryComplete();

    /// <summary>Waits for one. False: no more notifications follow.</summary>
    internal ValueTask<bool> WaitAsync(CancellationToken cancellationToken) => _items.Reader.WaitToReadAsync(cancellationToken);

    internal bool TryTake(out PgNotification notification)
    {
        if (!_items.Reader.TryRead(out notification))
        {
            return false;
        }

        Interlocked.Add(ref _bytes, -BytesOf(notification));
        return true;
    }

    private void Put(in PgNotification notification)
    {
        if (_items.Writer.TryWrite(notification))
        {
            Interlocked.Add(ref _bytes, BytesOf(notification));
        }
    }

    private static long BytesOf(in PgNotification notification) => FixedBytes + (2L * notification.Payload.Length);
}
