namespace Ioxide.Do;

/// <summary>Lanes in which processes of tests run beside each other, taken about in the order in which they were asked for.</summary>
internal sealed class TestLanes : IDisposable
{
    // Most tests wait more than they compute, so three processes run at once even on two processors, which are busy then.
    private readonly SemaphoreSlim _free = new(Setting("IOXIDE_TEST_LANES", Math.Max(3, Environment.ProcessorCount / 2)));

    public void Dispose() => _free.Dispose();

    internal static int Setting(string name, int normally)
        => int.TryParse(Environment.GetEnvironmentVariable(name), out int value) && value > 0 ? value : normally;

    internal async Task<T> RunAsync<T>(Func<Task<T>> run)
    {
        await _free.WaitAsync();
        try
        {
            return await run();
        }
        finally
        {
            _free.Release();
        }
    }

    internal Task RunAsync(Func<Task> run) => RunAsync(async () =>
    {
        await run();
        return true;
    });
}
