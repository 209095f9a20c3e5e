namespace Ioxide.Soak;

/// <summary>One worker of a load and when it last got on, so that a request that hangs is seen and cut.</summary>
internal sealed class Lane(string name)
{
    private const long Idle = 0;

    private IDisposable? _connection;
    private long _lastProgressMs = Idle;

    internal string Name { get; } = name;

    /// <summary>The connection was taken away because nothing moved: its error is told already.</summary>
    internal bool WasCut { get; private set; }

    /// <summary>What is closed when nothing moves.</summary>
    internal void Use(IDisposable connection)
    {
        WasCut = false;
        Volatile.Write(ref _connection, connection);
        Touch();
    }

    /// <summary>Something moved.</summary>
    internal void Touch() => Volatile.Write(ref _lastProgressMs, Environment.TickCount64);

    /// <summary>Nothing is expected to move until the next <see cref="Touch"/>.</summary>
    internal void Rest() => Volatile.Write(ref _lastProgressMs, Idle);

    /// <summary>Closes the connection if nothing moved for so long; true if it did.</summary>
    internal bool CutIfHung(TimeSpan limit)
    {
        long last = Volatile.Read(ref _lastProgressMs);
        if (last == Idle || Environment.TickCount64 - last < limit.TotalMilliseconds)
        {
            return false;
        }

        WasCut = true;
        Rest();
        Volatile.Read(ref _connection)?.Dispose();
        return true;
    }
}
