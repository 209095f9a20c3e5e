namespace Ioxide;

/// <summary>Checks of what is configured only after the services are built, such as an end point with TLS.</summary>
/// <remarks>A service of the host. Threads: any.</remarks>
internal sealed class LateChecks
{
    private readonly Lock _lock = new();
    private readonly List<IHostCheck> _checks = [];

    /// <summary>Adds a check.</summary>
    internal void Add(IHostCheck check)
    {
        lock (_lock)
        {
            _checks.Add(check);
        }
    }

    /// <summary>What was added so far.</summary>
    internal IReadOnlyList<IHostCheck> All()
    {
        lock (_lock)
        {
            return [.. _checks];
        }
    }
}
