namespace Ioxide;

/// <summary>The time between two attempts to send while the kernel has no memory for it (ENOBUFS, ENOMEM).</summary>
internal sealed class SendPause(RingConnection connection) : TimerEntry
{
    internal const int FirstMs = 1;
    private const int LongestMs = 64;

    internal int NextMs { get; private set; } = FirstMs;

    internal void Start()
    {
        connection.Reactor.Timers.Add(this, connection.Reactor.DueTick(TimeSpan.FromMilliseconds(NextMs)));
        NextMs = Math.Min(NextMs * 2, LongestMs);
    }

    /// <summary>The kernel took bytes: it has memory again.</summary>
    internal void Reset() => NextMs = FirstMs;

    internal override void OnDue()
    {
        connection.Sender.EndPause();
        connection.MarkDirty();
    }
}
