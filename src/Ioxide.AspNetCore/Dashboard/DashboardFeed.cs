using System.Diagnostics.CodeAnalysis;

namespace Ioxide.AspNetCore;

/// <summary>Counts who watches: the first one starts the sampling, the last one to leave ends it.</summary>
/// <remarks>Threads: any.</remarks>
internal sealed class DashboardFeed(ReactorFleet? fleet, IMeterFactory? meterFactory, ILogger logger)
{
    /// <summary>Watchers at a time. Each costs some kilobytes per second.</summary>
    internal const int MaxWatchers = 16;

    private readonly Lock _lock = new();
    private DashboardSampling? _sampling;
    private int _watcherCount;

    /// <summary>Takes a place; false where all are taken. Give it back by <see cref="Leave"/>.</summary>
    internal bool TryWatch([NotNullWhen(true)] out DashboardSampling? sampling)
    {
        lock (_lock)
        {
            if (_watcherCount == MaxWatchers)
            {
                sampling = null;
                return false;
            }

            _watcherCount++;
            sampling = _sampling ??= DashboardSampling.Start(fleet, meterFactory, logger);
            return true;
        }
    }

    internal void Leave()
    {
        lock (_lock)
        {
            if (--_watcherCount == 0)
            {
                _sampling!.Dispose();
                _sampling = null;
            }
        }
    }
}
