namespace Ioxide.Soak;

/// <summary>Deals every fault once before any comes again, so that the warm-up has seen them all.</summary>
/// <remarks>
/// Each start of a host leaves some 30 KiB of native memory with the runtime, whatever the transport, and 300 starts of the framework's
/// own sockets as much as 300 of this one. It would be taken for a leak, so a host restarts in one round of eight.
/// </remarks>
internal sealed class FaultDeck(LoadSurroundings surroundings, int seed)
{
    private const int HostRestartEvery = 8;

    private readonly Random _random = new(seed);
    private readonly Restart _hostRestart = new("host", surroundings);
    private readonly Fault[] _faults =
    [
        new ResetBurst(surroundings),
        new Slowloris(surroundings),
        new NeverReaders(surroundings),
        new DescriptorPressure(surroundings),
        new CollectorStorm(surroundings),
        new Suspension(surroundings),
        new Restart("listener", surroundings),
    ];

    private int _next;
    private int _round;

    /// <summary>The next one, and a source of draws that is its own.</summary>
    internal (Fault Fault, Random Random) Deal()
    {
        if (_next == 0)
        {
            _random.Shuffle(_faults);
        }

        Fault fault = _next < _faults.Length ? _faults[_next] : _hostRestart;
        _next++;
        if (_next >= _faults.Length + (_round % HostRestartEvery == 0 ? 1 : 0))
        {
            _next = 0;
            _round++;
        }

        return (fault, new Random(_random.Next()));
    }
}
