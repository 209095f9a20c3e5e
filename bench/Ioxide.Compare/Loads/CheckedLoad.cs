using System.Collections.Concurrent;

namespace Ioxide.Compare.Loads;

/// <summary>Asks each server once before the load begins: wrk itself looks at the status only.</summary>
/// <param name="load">What is measured.</param>
/// <param name="checks">Asked once of each server.</param>
internal sealed class CheckedLoad(ILoad load, params ICheck[] checks) : ILoad
{
    private readonly ConcurrentDictionary<string, bool> _checked = new();

    public async Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
    {
        if (_checked.TryAdd(target.Url(""), true))
        {
            foreach (ICheck check in checks)
            {
                await check.AskAsync(target, cancellation);
            }
        }

        return await load.RunAsync(target, duration, cancellation);
    }
}
