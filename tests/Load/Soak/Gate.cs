namespace Ioxide.Soak;

/// <summary>Lets workers work, or keeps them out until the server is looked at while nobody is connected. They wait blocking.</summary>
internal sealed class Gate
{
    private readonly object _lock = new();
    private bool _isOpen;
    private bool _hasEnded;
    private int _inside;

    /// <summary>Whoever is inside goes on while it holds.</summary>
    internal bool IsOpen => Volatile.Read(ref _isOpen);

    /// <summary>Waits until the gate is open and goes in; false when it never opens again.</summary>
    internal bool Enter()
    {
        lock (_lock)
        {
            while (!_isOpen)
            {
                if (_hasEnded)
                {
                    return false;
                }

                Monitor.Wait(_lock);
            }

            _inside++;
            return true;
        }
    }

    internal void Leave()
    {
        lock (_lock)
        {
            if (--_inside == 0)
            {
                Monitor.PulseAll(_lock);
            }
        }
    }

    internal void Open() => Turn(isOpen: true, hasEnded: false);

    /// <summary>Sends away who waits before a closed gate.</summary>
    internal void End() => Turn(isOpen: false, hasEnded: true);

    /// <summary>Closes the gate and waits until nobody is inside; false where somebody stays too long.</summary>
    internal bool Close(TimeSpan limit)
    {
        lock (_lock)
        {
            Turn(isOpen: false, hasEnded: false);
            return WaitWhile(() => _inside > 0, limit);
        }
    }

    /// <summary>Waits inside, and no longer than until the gate closes.</summary>
    internal void Pause(TimeSpan duration)
    {
        lock (_lock)
        {
            WaitWhile(() => _isOpen, duration);
        }
    }

    private void Turn(bool isOpen, bool hasEnded)
    {
        lock (_lock)
        {
            Volatile.Write(ref _isOpen, isOpen);
            _hasEnded = hasEnded;
            Monitor.PulseAll(_lock);
        }
    }

    private bool WaitWhile(Func<bool> holds, TimeSpan limit)
    {
        long started = Environment.TickCount64;
        while (holds())
        {
            double leftMs = limit.TotalMilliseconds - (Environment.TickCount64 - started);
            if (leftMs <= 0)
            {
                return false;
            }

            Monitor.Wait(_lock, (int)Math.Ceiling(leftMs));
        }

        return true;
    }
}
