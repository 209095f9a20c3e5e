namespace Ioxide.Pg;

/// <summary>What the instruments read of a reactor's pool. Threads: any; each reading is a snapshot.</summary>
internal interface IPoolLevels
{
    /// <summary>Connections that it may have.</summary>
    int MaxConnections { get; }

    /// <summary>Connections that are open.</summary>
    int OpenCount { get; }

    /// <summary>Connections that are open and have nothing to do.</summary>
    int IdleCount { get; }

    /// <summary>Commands and leases that wait for a connection.</summary>
    int QueueLength { get; }

    PoolCounters Counters { get; }
}
