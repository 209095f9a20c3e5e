namespace Ioxide.Tls;

/// <summary>What was decrypted and not yet consumed: a chain of rented arrays. An idle connection holds none.</summary>
/// <remarks>Positions are byte counts from the start of the session. Threads: the reader's.</remarks>
internal sealed class PlainBuffer
{
    private const int SmallBytes = 4096;

    // Three records of full length; one that is alone in its array would waste half of it.
    private const int LargeBytes = 64 * 1024;

    private PlainSegment? _head;
    private PlainSegment? _tail;
    private PlainSegment? _spare;
    private long _consumed;
    private long _examined;
    private long _received;

    /// <summary>Whether there are bytes that the reader has not looked at.</summary>
    internal bool HasUnexamined => _received > _examined;

    internal ReadOnlySequence<byte> Sequence => _head is null
        ? default
        : new ReadOnlySequence<byte>(_head, (int)(_consumed - _head.RunningIndex), _tail!, _tail!.Length);

    /// <summary>One stretch of memory behind the data; empty where there is none. <see cref="Commit"/> says how much of it was used.</summary>
    internal Span<byte> Room => _tail is { } tail ? tail.Free : default;

    /// <summary>Makes the room longer.</summary>
    internal void MakeRoom(int lengthBytes)
    {
        PlainSegment tail = _spare ?? new PlainSegment();
        _spare = null;
        tail.Rent(lengthBytes <= SmallBytes ? SmallBytes : LargeBytes, _received);
        if (_tail is null)
        {
            _head = tail;
        }
        else
        {
            _tail.NextSegment = tail;
        }

        _tail = tail;
    }

    internal void Commit(int lengthBytes)
    {
        if (lengthBytes > 0)
        {
            _tail!.Grow(lengthBytes);
            _received += lengthBytes;
        }
        else if (_tail is { Length: 0 } && ReferenceEquals(_head, _tail))
        {
            Clear();
        }
    }

    /// <exception cref="InvalidOperationException">The positions do not come from the last read.</exception>
    internal void Advance(SequencePosition consumed, SequencePosition examined)
    {
        long consumedAt = OffsetOf(consumed, _consumed);
        long examinedAt = OffsetOf(examined, _examined);
        if (consumedAt < _consumed || consumedAt > examinedAt || examinedAt > _received)
        {
            throw new InvalidOperationException(
                $"AdvanceTo moves from {_consumed} to consumed {consumedAt}, examined {examinedAt}, but {_received} bytes are there.");
        }

        _examined = Math.Max(_examined, examinedAt);
        _consumed = consumedAt;
        while (_head is { } segment && segment.End <= consumedAt)
        {
            _head = segment.NextSegment;
            segment.Return();
            _spare = segment;
        }

        if (_head is null)
        {
            _tail = null;
        }
    }

    /// <summary>Drops everything.</summary>
    internal void Clear()
    {
        while (_head is { } segment)
        {
            _head = segment.NextSegment;
            segment.Return();
        }

        _tail = null;
        _consumed = _received;
        _examined = _received;
        Debug.Assert(!HasUnexamined);
    }

    private static long OffsetOf(SequencePosition position, long none)
        => position.GetObject() is PlainSegment segment ? segment.RunningIndex + position.GetInteger() : none;
}
