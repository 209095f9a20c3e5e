using System.Buffers;

namespace Ioxide;

/// <summary>Received, unconsumed bytes: segments in stream order, in the ring's buffers or copied out of them. The reactor's alone.</summary>
/// <remarks>
/// Positions are byte counts from the start of the connection. A mutable struct: the field of its <see cref="Receiver"/>.
/// </remarks>
internal struct ReceivedBytes
{
    // Above this number of held buffers, a connection's bytes are copied out, so that other connections find buffers.
    private const int MaxHeldBuffers = 16;

    // A reader that examined all of such a short rest and consumed none may wait long for more: a copy is cheaper than a buffer.
    private const int MaxRestBytes = 256;

    private ReceiveSegment? _head;
    private ReceiveSegment? _tail;

    /// <summary>Buffers of the ring that it holds.</summary>
    internal int HeldBuffers { get; private set; }

    /// <summary>Bytes that the application consumed, without those dropped at completion.</summary>
    internal long Consumed { get; private set; }

    internal long Examined { get; private set; }

    internal long Received { get; private set; }

    /// <summary>Bytes received and not yet consumed.</summary>
    internal readonly long Buffered => _head is null ? 0 : Received - Consumed;

    /// <summary>
    /// Bytes that the reader has not examined. They count for back-pressure, as in the framework's pipes: a reader that
    /// examined all of them and consumed none waits for the rest of a large message.
    /// </summary>
    internal readonly long Unexamined => Received - Math.Max(Consumed, Examined);

    internal readonly bool HasNews => Received > Examined;

    internal readonly ReadOnlySequence<byte> Sequence
        => _head is null ? default : new ReadOnlySequence<byte>(_head, (int)(Consumed - _head.RunningIndex), _tail!, _tail!.Length);

    /// <summary>Takes the bytes of a completion. The buffer is held or copied out.</summary>
    internal void Append(Reactor reactor, ReceiveSegment segment)
    {
        if (HeldBuffers >= MaxHeldBuffers || segment.Home!.IsLow)
        {
            CopyOut(reactor, segment);
            return;
        }

        HeldBuffers++;
        Link(segment);
        Received += segment.Length;
    }

    /// <summary>Returns the segments that the reader is past.</summary>
    internal void Release(Reactor reactor, long consumed, long examined)
    {
        bool hasTakenSome = consumed > Consumed;
        Examined = Math.Max(Examined, examined);
        Consumed = consumed;
        while (_head is { } segment && segment.End <= consumed)
        {
            GiveBack(segment);
        }

        if (_head is null)
        {
            _tail = null;
        }
        else if (!hasTakenSome && HeldBuffers > 0 && Examined == Received && Buffered <= MaxRestBytes)
        {
            CopyRest(reactor);
        }
    }

    internal void ReleaseAll()
    {
        while (_head is { } segment)
        {
            GiveBack(segment);
        }

        _tail = null;
        Debug.Assert(HeldBuffers == 0);
    }

    /// <summary>Copies the rest into memory of its size, and returns the buffers.</summary>
    private void CopyRest(Reactor reactor)
    {
        ReceiveSegment rest = new(null, -1, GC.AllocateUninitializedArray<byte>(MaxRestBytes, pinned: true), 0, MaxRestBytes);
        reactor.Counters.BytesCopied += Buffered;
        while (_head is { } segment)
        {
            ReadOnlySpan<byte> bytes = segment.Memory.Span[(int)Math.Max(0, Consumed - segment.RunningIndex)..];
            bytes.CopyTo(rest.Free);
            rest.SetData(rest.Length + bytes.Length);
            GiveBack(segment);
        }

        Debug.Assert(HeldBuffers == 0);
        rest.SetPosition(Consumed);
        _head = rest;
        _tail = rest;
        Debug.Assert(rest.End == Received);
    }

    private void GiveBack(ReceiveSegment segment)
    {
        _head = segment.NextSegment;
        segment.NextSegment = null;
        if (segment.Home is { } ring)
        {
            HeldBuffers--;
            ring.Return(segment);
        }
        else if (segment.Block is { } block)
        {
            block.Pool!.Return(block);
        }
    }

    private void Link(ReceiveSegment segment)
    {
        segment.SetPosition(Received);
        if (_tail is null)
        {
            _head = segment;
        }
        else
        {
            _tail.NextSegment = segment;
        }

        _tail = segment;
    }

    private void CopyOut(Reactor reactor, ReceiveSegment segment)
    {
        ReadOnlySpan<byte> source = segment.Memory.Span;
        reactor.Counters.BytesCopied += source.Length;
        while (!source.IsEmpty)
        {
            if (_tail is not { Home: null } copy || copy.Free.IsEmpty)
            {
                copy = reactor.Memory.RentBlock(isLarge: source.Length > ReactorMemory.SmallBlockBytes).AsCopy;
                copy.SetData(0);
                Link(copy);
            }

            int count = Math.Min(source.Length, copy.Free.Length);
            source[..count].CopyTo(copy.Free);
            copy.SetData(copy.Length + count);
            Received += count;
            source = source[count..];
        }

        segment.Home!.Return(segment);
    }
}
