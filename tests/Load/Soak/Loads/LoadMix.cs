namespace Ioxide.Soak;

/// <summary>How many workers of each load there are.</summary>
internal static class LoadMix
{
    private static readonly (int Count, string Name, Action<Worker> Session)[] s_mix =
    [
        (8, "keep-alive", HttpLoads.KeepAlive),
        (2, "pipelined", HttpLoads.Pipelined),
        (2, "upload", StreamLoads.Upload),
        (2, "download", HttpLoads.Download),
        (8, "slow reader", HttpLoads.SlowReader),
        (4, "web socket", StreamLoads.WebSocket),
        (4, "churn", HttpLoads.Churn),
        (4, "raw echo", StreamLoads.RawEcho),
        (2, "restarted host", HttpLoads.Restarted),
        (2, "files", PackageLoads.Files),
        (2, "rows", PackageLoads.Rows),
        (2, "through", PackageLoads.Through),
        (100, "idle", HttpLoads.Idle),
    ];

    internal static IEnumerable<string> Names => s_mix.Select(static load => load.Name);

    /// <summary>The workers; each draws from a source of its own.</summary>
    internal static IEnumerable<Worker> Make(Surroundings surroundings, int seed)
    {
        Random seeds = new(seed);
        foreach ((int count, string name, Action<Worker> session) in s_mix)
        {
            for (int number = 0; number < count; number++)
            {
                yield return new(name, number, seeds.Next(), surroundings, session);
            }
        }
    }
}
