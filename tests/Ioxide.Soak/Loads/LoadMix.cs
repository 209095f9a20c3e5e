namespace Ioxide.Soak;

/// <summary>How many workers of each load there are.</summary>
internal static class LoadMix
{
    private static readonly (int Count, Func<LoadSurroundings, int, int, Load> Make)[] s_mix =
    [
        (8, static (surroundings, number, seed) => new KeepAliveLoad(surroundings, number, seed)),
        (2, static (surroundings, number, seed) => new PipelinedLoad(surroundings, number, seed)),
        (2, static (surroundings, number, seed) => new UploadLoad(surroundings, number, seed)),
        (2, static (surroundings, number, seed) => new DownloadLoad(surroundings, number, seed)),
        (8, static (surroundings, number, seed) => new SlowReaderLoad(surroundings, number, seed)),
        (4, static (surroundings, number, seed) => new WebSocketLoad(surroundings, number, seed)),
        (4, static (surroundings, number, seed) => new ChurnLoad(surroundings, number, seed)),
        (4, static (surroundings, number, seed) => new RawEchoLoad(surroundings, number, seed)),
        (2, static (surroundings, number, seed) => new RestartedHostLoad(surroundings, number, seed)),
        (100, static (surroundings, number, seed) => new IdleLoad(surroundings, number, seed)),
    ];

    /// <summary>The workers; each draws from a source of its own.</summary>
    internal static IEnumerable<Load> Make(LoadSurroundings surroundings, int seed)
    {
        Random seeds = new(seed);
        foreach ((int count, Func<LoadSurroundings, int, int, Load> make) in s_mix)
        {
            for (int number = 0; number < count; number++)
            {
                yield return make(surroundings, number, seeds.Next());
            }
        }
    }
}
