namespace Ioxide.Soak;

/// <summary>Deals every fault once before any comes again, so that the warm-up has seen them all.</summary>
internal sealed class FaultDeck(LoadSurroundings surroundings, int seed)
{
    private readonly Random _random = new(seed);
    private readonly Fault[] _faults =
    [
        new ResetBurst(surroundings),
        new Slowloris(surroundings),
        new NeverReaders(surroundings),
        new DescriptorPressure(surroundings),
        new CollectorStorm(surroundings),
        new Suspension(surroundings),
        new Restart("host", surroundings),
        new Restart("listener", surroundings),
    ];

    private int _next;

    /// <summary>The next one, and a source of draws that is its own.</summary>
    internal (Fault Fault, Random Random) Deal()
    {
        if (_next % _faults.Length == 0)
        {
            _random.Shuffle(_faults);
        }

        return (_faults[_next++ % _faults.Length], new Random(_random.Next()));
    }
}
