using System.Collections.Concurrent;

namespace Ioxide.Compare.Loads;

/// <summary>Asks each server and reads the answers before the load begins: wrk itself looks at the status only.</summary>
/// <param name="load">What is measured.</param>
/// <param name="questions">Asked once of each server.</param>
internal sealed class CheckedLoad(ILoad load, params Question[] questions) : ILoad
{
    private readonly ConcurrentDictionary<string, bool> _checked = new();

    public async Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
    {
        if (_checked.TryAdd(target.Url(""), true))
        {
            foreach (Question question in questions)
            {
                await question.AskAsync(DriverClient.Instance, target.Url(question.Path), cancellation);
            }
        }

        return await load.RunAsync(target, duration, cancellation);
    }
}
