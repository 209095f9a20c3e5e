using System.Buffers;
using System.Diagnostics;

namespace Ioxide;

/// <summary>Received, unconsumed bytes: segments in stream order, in the ring's buffers or copied out of them.</summary>
internal sealed partial class ReceivePipe
{
    // Above this number of held buffers, a connection's bytes are copied out, so that other connections find buffers.
    private const int MaxHeldBuffers = 16;

    // A reader that examined all of such a short rest and consumed none may wait long for more: a copy is cheaper than a buffer.
    private const int MaxRestBytes = 256;

    private ReceiveSegment? _head;
    private ReceiveSegment? _tail;
    private int _heldBuffers;
    private long _consumed;
    private long _examined;
    private long _received;

    /// <summary>Bytes received and not yet consumed.</summary>
    internal long Buffered => _head is null ? 0 : _received - _consumed;

    /// <summary>Bytes that the application consumed, without those dropped at completion.</summary>
    internal long Consumed => _consumed;

    /// <summary>
    /// Bytes that the reader has not examined. They count for back-pressure, as in the framework's pipes: a reader that
    /// examined all of them and consumed none waits for the rest of a large message.
    /// </summary>
    private long Unexamined => _received - Math.Max(_consumed, _examined);

    private ReadOnlySequence<byte> Sequence
        => _head is null ? default : new ReadOnlySequence<byte>(_head, (int)(_consumed - _head.RunningIndex), _tail!, _tail!.Length);

    /// <summary>Takes the bytes of a completion. The buffer is held, copied out, or returned at once.</summary>
    private void Append(ReceiveSegment segment)
    {
        if (IsReaderCompleted)
        {
            _reader = ReaderState.Abandoned;
            segment.Home!.Return(segment);
            return;
        }

        if (_heldBuffers >= MaxHeldBuffers || segment.Home!.IsLow)
        {
            CopyOut(segment);
            return;
        }

        _heldBuffers++;
        Link(segment);
        _received += segment.Length;
    }

    /// <summary>Returns the segments that the reader is past.</summary>
    private void Release(long consumed, long examined)
    {
        bool hasTakenSome = consumed > _consumed;
        _examined = Math.Max(_examined, examined);
        _consumed = consumed;
        while (_head is { } segment && segment.End <= consumed)
        {
            _head = segment.NextSegment;
            GiveBack(segment);
        }

        if (_head is null)
        {
            _tail = null;
        }
        else if (!hasTakenSome && _heldBuffers > 0 && _examined == _received && Buffered <= MaxRestBytes)
        {
            CopyRest();
        }
    }

    private void ReleaseAll()
    {
        while (_head is { } segment)
        {
            _head = segment.NextSegment;
            GiveBack(segment);
        }

        _tail = null;
        Debug.Assert(_heldBuffers == 0);
    }

    /// <summary>Copies the rest into memory of its size, and returns the buffers.</summary>
    private void CopyRest()
    {
        ReceiveSegment rest = new(null, -1, GC.AllocateUninitializedArray<byte>(MaxRestBytes, pinned: true), 0, MaxRestBytes);
        _reactor.BytesCopied += Buffered;
        while (_head is { } segment)
        {
            ReadOnlySpan<byte> bytes = segment.Memory.Span[(int)Math.Max(0, _consumed - segment.RunningIndex)..];
            bytes.CopyTo(rest.Free);
            rest.SetData(rest.Length + bytes.Length);
            _head = segment.NextSegment;
            GiveBack(segment);
        }

        Debug.Assert(_heldBuffers == 0);
        rest.SetPosition(_consumed);
        _head = rest;
        _tail = rest;
        Debug.Assert(rest.End == _received);
    }

    private void GiveBack(ReceiveSegment segment)
    {
        segment.NextSegment = null;
        if (segment.Home is { } ring)
        {
            _heldBuffers--;
            ring.Return(segment);
        }
        else if (segment.Block is { } block)
        {
            block.Pool!.Return(block);
        }
    }

    private void Link(ReceiveSegment segment)
    {
        segment.SetPosition(_received);
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

    private void CopyOut(ReceiveSegment segment)
    {
        ReadOnlySpan<byte> source = segment.Memory.Span;
        _reactor.BytesCopied += source.Length;
        while (!source.IsEmpty)
        {
            if (_tail is not { Home: null } copy || copy.Free.IsEmpty)
            {
                BlockPool pool = source.Length > Reactor.SmallBlockBytes ? _reactor.LargeBlocks : _reactor.SmallBlocks;
                copy = pool.Rent().AsCopy;
                copy.SetData(0);
                Link(copy);
            }

            int count = Math.Min(source.Length, copy.Free.Length);
            source[..count].CopyTo(copy.Free);
            copy.SetData(copy.Length + count);
            _received += count;
            source = source[count..];
        }

        segment.Home!.Return(segment);
    }
}
