namespace Ioxide.Files;

/// <summary>The request that the server has, and where it ends. Positions are bytes from the start of the connection.</summary>
/// <remarks>
/// A head may come in pieces: the server has the first already, so what follows is only observed, until the end is known.
/// </remarks>
internal sealed class ServerRequest
{
    // Many connections may stop behind their first bytes: the room grows with what has come.
    private const int MinRoomBytes = 64;

    private byte[]? _head;
    private int _headBytes;
    private long _start;

    /// <summary>Where the next request begins; null while that is not known.</summary>
    internal long? End { get; private set; }

    /// <summary>Whether it will never be known.</summary>
    internal bool IsUnbounded { get; private set; }

    /// <summary>The server got a whole head.</summary>
    internal void Begin(long start, in RequestHead head, HeadKind kind)
    {
        IsUnbounded = kind == HeadKind.Unbounded;
        End = IsUnbounded ? null : start + head.LengthBytes + head.BodyBytes;
    }

    /// <summary>The server got a part of a head; <see cref="Observe"/> sees it first.</summary>
    internal void BeginIncomplete(long start)
    {
        _start = start;
        _headBytes = 0;
        End = null;
        IsUnbounded = false;
    }

    /// <summary>Looks at what the server is about to see, where the end of its request is not known yet.</summary>
    /// <param name="buffer">What is received and not consumed.</param>
    /// <param name="offset">Where it begins.</param>
    /// <param name="limits">The server's.</param>
    internal void Observe(ReadOnlySequence<byte> buffer, long offset, KestrelServerLimits limits)
    {
        if (End is not null || IsUnbounded)
        {
            return;
        }

        long seen = _start + _headBytes;
        ReadOnlySequence<byte> fresh = seen - offset < buffer.Length ? buffer.Slice(seen - offset) : default;
        fresh = fresh.Slice(0, Math.Min(fresh.Length, RequestHead.MaxBytes - _headBytes));
        Reserve(_headBytes + (int)fresh.Length);
        fresh.CopyTo(_head.AsSpan(_headBytes));
        _headBytes += (int)fresh.Length;
        HeadKind kind = RequestHead.Read(_head.AsSpan(0, _headBytes), limits, out RequestHead head);
        if (kind != HeadKind.Incomplete)
        {
            Begin(_start, head, kind);
            ArrayPool<byte>.Shared.Return(_head!);
            _head = null;
        }
    }

    private void Reserve(int bytes)
    {
        if (_head is { } head && head.Length >= bytes)
        {
            return;
        }

        byte[] larger = ArrayPool<byte>.Shared.Rent(Math.Max(bytes, MinRoomBytes));
        if (_head is not null)
        {
            _head.AsSpan(0, _headBytes).CopyTo(larger);
            ArrayPool<byte>.Shared.Return(_head);
        }

        _head = larger;
    }
}
