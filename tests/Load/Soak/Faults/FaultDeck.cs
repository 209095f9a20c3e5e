namespace Ioxide.Soak;

/// <summary>Deals every fault once before any comes again, so that the warm-up has seen them all.</summary>
/// <remarks>
/// Each start of a host leaves some 30 KiB of native memory with the runtime, whatever the transport, and 300 starts of the framework's
/// own sockets as much as 300 of this one. It would be taken for a leak, so a host restarts in one round of eight.
/// </remarks>
internal sealed class FaultDeck
{
    private const int HostRestartEvery = 8;

    private readonly Random _random;
    private readonly Fault _hostRestart;
    private readonly Fault[] _faults;
    private int _next;
    private int _round;

    internal FaultDeck(Surroundings surroundings, int seed)
    {
        _random = new Random(seed);
        var faults = new Faults(surroundings);
        _hostRestart = new("restart of the host", _ => faults.RestartAsync(Surroundings.SecondIndex));
        _faults =
        [
            new("resets", faults.ResetManyAsync),
            new("slowloris", faults.DripAsync),
            new("never readers", faults.ReadNothingAsync),
            new("descriptors", faults.UseUpDescriptorsAsync),
            new("collections", _ => faults.StormAsync()),
            new("suspension", _ => faults.SuspendAsync()),
            new("restart of the listener", _ => faults.RestartAsync(Surroundings.RawIndex)),
        ];
    }

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
