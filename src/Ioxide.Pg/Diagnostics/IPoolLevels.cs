namespace Ioxide.Pg;

/// <summary>The values of a reactor's pool that instruments read. Threads: any; each reading is a snapshot.</summary>
internal interface IPoolLevels
{
    /// <summary>The maximum number of connections.</summary>
    int MaxConnections { get; }

    /// <summary>Open connections.</summary>
    int OpenCount { get; }

    /// <summary>Open connections that are idle.</summary>
    int IdleCount { get; }

    /// <summary>Commands and leases that wait for a connection.</summary>
    int QueueLength { get; }

    PoolCounters Counters { get; }
}
