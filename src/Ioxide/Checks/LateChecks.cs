using System.Collections.Concurrent;

namespace Ioxide;

/// <summary>Checks of what is configured only after the services are built, such as an endpoint with TLS.</summary>
/// <remarks>A service of the host. Threads: any.</remarks>
internal sealed class LateChecks
{
    private readonly ConcurrentQueue<IHostCheck> _checks = new();

    internal void Add(IHostCheck check) => _checks.Enqueue(check);

    /// <summary>What was added so far.</summary>
    internal IHostCheck[] All() => _checks.ToArray();
}
