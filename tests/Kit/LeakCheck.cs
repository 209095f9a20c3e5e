namespace Ioxide.TestKit;

/// <summary>
/// Sockets, rings, wake-up counters and files, but no folders, that are open in this process, so that a test can show that it left none.
/// </summary>
/// <remarks>
/// What the .NET runtime opens for itself (libraries, its own epoll sets and pipes) does not count. The test assembly does not
/// run tests in parallel, or one test would see the descriptors of another.
/// </remarks>
internal sealed class LeakCheck
{
    private readonly Dictionary<string, string> _before;

    private LeakCheck(Dictionary<string, string> before) => _before = before;

    /// <summary>Notes what is open now.</summary>
    internal static LeakCheck Start() => new(OpenDescriptors());

    /// <summary>How many descriptors of the kinds that count are open.</summary>
    internal static int Count() => OpenDescriptors().Count;

    /// <summary>What is open now and was not at the start, one text each, such as <c>57 -> socket:[123]</c>.</summary>
    internal IReadOnlyList<string> Leaked()
        => [.. OpenDescriptors().Where(open => !_before.Contains(open)).Select(open => $"{open.Key} -> {open.Value}")];

    /// <summary>Waits until nothing is open that was not at the start; fails with what is.</summary>
    internal async Task AssertNoneLeftAsync(TimeSpan limit)
    {
        limit = Waits.Generous(limit);
        long started = Environment.TickCount64;
        while (Leaked() is { Count: > 0 } leaked)
        {
            if (Environment.TickCount64 - started > limit.TotalMilliseconds)
            {
                throw new InvalidOperationException($"Descriptors were left open: {string.Join(", ", leaked)}");
            }

            await Task.Delay(2).ConfigureAwait(false);
        }
    }

    private static Dictionary<string, string> OpenDescriptors() => Descriptors.Of("self").Where(static open => Counts(open.Value)).ToDictionary();

    private static bool Counts(string target)
        => Descriptors.IsOfReactors(target)
            || (target.StartsWith(Path.GetTempPath(), StringComparison.Ordinal)
                && !target.StartsWith(AppContext.BaseDirectory, StringComparison.Ordinal)
                && !target.Contains("dotnet", StringComparison.Ordinal)
                && !target.Contains("clr-debug", StringComparison.Ordinal)
                && !Directory.Exists(target));
}
