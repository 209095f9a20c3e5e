using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Tls;

/// <summary>
/// The half-done handshakes of one server on one reactor: how much memory they may take together, and who goes when it is too much.
/// </summary>
/// <remarks>
/// <para>A silent client holds memory and nothing else. The client that has been silent longest is dropped first, whatever it has been sent;
/// single bytes do not end the silence, a whole message does. Where all wait for this side, the one that has waited longest is dropped. A
/// running step is not interrupted: at most <c>MaxHandshakesPerReactor</c> run at once on the thread pool.</para>
/// <para>Threads: any. Handshakes leave their reactor where a handler blocks it, and where the application belongs on the thread pool.</para>
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "A semaphore without a wait handle holds nothing to dispose of.")]
internal sealed class HandshakeLimit(int maxHandshakes)
{
    /// <summary>What a client costs that has not sent a whole hello: its connection with one block, and what awaits it.</summary>
    internal const int UnitBytes = 6 * 1024;

    /// <summary>What a client costs that has been answered: OpenSSL keeps 42 to 47 KiB for it (bench/Ioxide.Handshakes, steps).</summary>
    internal const int AnsweredUnits = 8;

    private readonly long _maxUnits = (long)maxHandshakes * AnsweredUnits;
    private RuntimeLock _gate;
    private long _units;

    internal int MaxHandshakes => maxHandshakes;

    /// <summary>Those that wait for their client.</summary>
    internal LinkedList<HandshakeThread> Silent { get; } = new();

    /// <summary>Those that wait for this side.</summary>
    internal LinkedList<HandshakeThread> Queued { get; } = new();

    /// <summary>Steps that may block, such as the check of a client's certificate: how many run at once.</summary>
    internal SemaphoreSlim BlockingSteps { get; } = new(maxHandshakes);

    /// <summary>Takes a place for a client that has sent nothing yet.</summary>
    internal HandshakeThread Enter(HandshakeDeadline deadline)
    {
        var place = new HandshakeThread(this, deadline);
        Change(place, Silent, units: 1, isMoved: true);
        return place;
    }

    /// <summary>
    /// A place costs so much from here on. It moves to the end of a list, or to none, where it is not dropped; or stays where it is. Others are
    /// dropped where it is too much.
    /// </summary>
    internal void Change(HandshakeThread place, LinkedList<HandshakeThread>? list, int units, bool isMoved)
    {
        using (_gate.Hold())
        {
            if (!place.IsDropped)
            {
                _units += units - place.Units;
                place.Units = units;
                if (isMoved)
                {
                    place.Node.List?.Remove(place.Node);
                    list?.AddLast(place.Node);
                }
            }
        }

        while (TakeVictim() is { } victim)
        {
            victim.Deadline.Drop(this);
        }
    }

    private HandshakeThread? TakeVictim()
    {
        using var held = _gate.Hold();
        if (_units <= _maxUnits || (Silent.First ?? Queued.First) is not { } first)
        {
            return null;
        }

        first.List!.Remove(first);
        _units -= first.Value.Units;
        first.Value.Units = 0;
        first.Value.IsDropped = true;
        return first.Value;
    }
}
