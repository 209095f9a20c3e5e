namespace Ioxide.Pg;

/// <summary>The counters of a reactor's pool, in plain fields. Another thread reads a snapshot.</summary>
internal sealed class PoolCounters
{
    internal long Opened { get; set; }

    internal long Closed { get; set; }

    internal long ConnectFailures { get; set; }

    internal long QueueTimeouts { get; set; }

    internal long Cancels { get; set; }

    /// <summary>Resets of sessions for their next user.</summary>
    internal long Resets { get; set; }

    internal long Commands { get; set; }

    internal long Errors { get; set; }
}
