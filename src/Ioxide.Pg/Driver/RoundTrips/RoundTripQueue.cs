namespace Ioxide.Pg;

/// <summary>An intrusive linked queue of round trips: it allocates nothing.</summary>
internal struct RoundTripQueue
{
    internal RoundTrip? Head { get; private set; }

    internal RoundTrip? Tail { get; private set; }

    internal int Count { get; private set; }

    internal void Enqueue(RoundTrip roundTrip)
    {
        roundTrip.Next = null;
        if (Tail is null)
        {
            Head = roundTrip;
        }
        else
        {
            Tail.Next = roundTrip;
        }

        Tail = roundTrip;
        Count++;
    }

    /// <summary>Adds one at the front.</summary>
    internal void EnqueueFirst(RoundTrip roundTrip)
    {
        roundTrip.Next = Head;
        Head = roundTrip;
        Tail ??= roundTrip;
        Count++;
    }

    /// <summary>Takes the oldest, or null.</summary>
    internal RoundTrip? Dequeue()
    {
        if (Head is not { } head)
        {
            return null;
        }

        Head = head.Next;
        if (Head is null)
        {
            Tail = null;
        }

        head.Next = null;
        Count--;
        return head;
    }

    /// <summary>Removes one at any position. False if it is not in the queue.</summary>
    internal bool Remove(RoundTrip roundTrip)
    {
        RoundTrip? previous = null;
        for (RoundTrip? current = Head; current is not null; previous = current, current = current.Next)
        {
            if (!ReferenceEquals(current, roundTrip))
            {
                continue;
            }

            if (previous is null)
            {
                Head = current.Next;
            }
            else
            {
                previous.Next = current.Next;
            }

            if (ReferenceEquals(Tail, current))
            {
                Tail = previous;
            }

            current.Next = null;
            Count--;
            return true;
        }

        return false;
    }
}

/// <summary>Round trips of the ADO.NET facade for reuse, kept with their connection.</summary>
/// <remarks>
/// They outlive the session, as ADO.NET code opens a connection for each command. Two, because one may still be read to its end when
/// the next begins. Threads: any.
/// </remarks>
internal sealed class SpareRoundTrips
{
    private RoundTrip? _first;
    private RoundTrip? _second;

    /// <summary>One that was returned, or null.</summary>
    internal RoundTrip? TryRent() => Interlocked.Exchange(ref _first, null) ?? Interlocked.Exchange(ref _second, null);

    internal void Return(RoundTrip roundTrip)
    {
        if (Interlocked.CompareExchange(ref _first, roundTrip, null) is not null)
        {
            Interlocked.CompareExchange(ref _second, roundTrip, null);
        }
    }
}
