using System.Collections.Frozen;

namespace Ioxide.Simulation;

/// <summary>Rare places that runs must have reached, counted. Threads: one; results of several are added.</summary>
/// <remarks>A simulation that never gets somewhere proves nothing about it, so a mark that stays 0 fails the tests.</remarks>
internal sealed class Marks
{
    /// <summary>Every mark there is. Another one throws.</summary>
    internal static readonly string[] All =
    [
        "buffers: a group retired",
        "accept: a client in the queue was gone", "accept: descriptors ran out", "accept: ended with a connection", "accept: failed otherwise",
        .. Enum.GetNames<BlockSite>().Select(static site => $"blocked: {site}"),
        .. Enum.GetNames<BlockCause>().Select(static cause => $"blocked on: {cause}"),
        "blocked: interrupted", "cancel: found nothing", "cancel: met an operation on its way", "cancel: partial send",
        "close: descriptor reused while an operation is in flight", "close: reset because of unread bytes",
        "completion queue: overflow", "connect: cancelled", "connect: refused", "enter: busy", "enter: interrupted",
        "enter: 20 works and more left", "enter: short submission", "file: read cancelled", "file: read interrupted",
        "flush: cancelled by its token", "read: cancelled by its token", "read: stale cancel", "post: by a reactor whose turn never ends", "linger: cut short", "linger: timed out",
        "receive: ended with data", "receive: ended by a full queue", "receive: no buffer", "receive: end without buffer",
        "receive: reset", "receive: waits its turn", "receive: bulk group", "send: cut short", "send: parked", "send: reset while parked", "send: broken pipe",
        "send: timed out", "send: by a call", "send: by pages", "send: waits for memory", "send: waits for room", "stop: below a blocked handler", "stop: the ring broke below a blocked handler", "stop: with connections open", "wake: between the look and the sleep", "wake: late",
    ];

    private static readonly FrozenDictionary<string, int> s_numbers = Number(All);

    private readonly FrozenDictionary<string, int> _numbers;
    private readonly long[] _counts;

    internal Marks() : this(s_numbers)
    {
    }

    /// <param name="numbers">Other marks: see <see cref="Number"/>.</param>
    internal Marks(FrozenDictionary<string, int> numbers)
    {
        _numbers = numbers;
        _counts = new long[numbers.Count];
    }

    internal static FrozenDictionary<string, int> Number(string[] marks)
        => marks.Select(static (mark, number) => KeyValuePair.Create(mark, number)).ToFrozenDictionary();

    internal void Hit(string mark) => _counts[_numbers[mark]]++;

    internal IEnumerable<string> Missing => _numbers.Where(mark => _counts[mark.Value] == 0).Select(static mark => mark.Key);

    internal void Add(Marks other)
    {
        for (int number = 0; number < _counts.Length; number++)
        {
            _counts[number] += other._counts[number];
        }
    }
}
