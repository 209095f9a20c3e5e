using System.Diagnostics;
using System.IO.Pipelines;

namespace Ioxide.Http2;

/// <summary>The bytes of one answer on their way from the application to the connection: one list of chunks with an end for each. Reusable.</summary>
/// <remarks>
/// <code>
/// | sent | ready, not sent | written, not published | free |
///        reactor's end                     application's end
/// </code>
/// The application writes behind the last chunk and publishes; the reactor takes what was published, and sends it from the first chunk on. A chunk's
/// start is the reactor's, its end and its successor are the application's. <see cref="Publish"/> and <see cref="Take"/> are called where one
/// happens before the other: under the stream's gate, or both on the reactor.
/// </remarks>
internal sealed class AnswerQueue
{
    // The application's.
    private ResponseChunk? _last;
    private long _written;
    private long _published;

    // The reactor's; the first chunk is there before anything is published.
    private ResponseChunk? _first;
    private long _ready;
    private long _sent;

    private ResponseChunk? _spare;

    /// <summary>Bytes that were written and not published. Threads: the application's.</summary>
    internal long Unpublished => _written - _published;

    /// <summary>Bytes that were published and not sent. Threads: the application's.</summary>
    internal long Queued => _published - Volatile.Read(ref _sent);

    /// <summary>Bytes to send. Threads: the reactor's.</summary>
    internal long Ready => _ready - _sent;

    /// <summary>Memory for at least this many bytes, or one. Threads: the application's.</summary>
    internal Memory<byte> MemoryFor(int sizeHint) => ChunkFor(sizeHint).Free;

    /// <summary>Counts bytes that were written into the memory.</summary>
    internal void Advance(int bytes)
    {
        _last!.End += bytes;
        _written += bytes;
    }

    /// <summary>Adds a copy.</summary>
    internal void Write(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            ResponseChunk chunk = ChunkFor(Math.Min(bytes.Length, ResponseChunk.LargeBytes));
            int count = Math.Min(bytes.Length, chunk.FreeLength);
            bytes[..count].CopyTo(chunk.Free.Span);
            Advance(count);
            bytes = bytes[count..];
        }
    }

    /// <summary>Adds outside memory.</summary>
    internal void Append(ResponseChunk reference)
    {
        _written += reference.Length;
        Link(reference);
    }

    /// <summary>What was written may be sent.</summary>
    internal void Publish() => _published = _written;

    /// <summary>What was written is never published: neither is anything behind it.</summary>
    internal void Withdraw() => _written = _published;

    /// <summary>Nothing has been published, and nothing of it is to be: the application's bytes are dropped.</summary>
    internal void Drop()
    {
        Debug.Assert(_published == 0);
        Clear();
    }

    /// <summary>The reactor takes what was published.</summary>
    internal void Take() => _ready = _published;

    /// <summary>Bytes of the chunk in front that may be sent; 0 if there are none.</summary>
    internal int NextBytes(out bool isReference)
    {
        isReference = false;
        while (Ready > 0 && _first is { } chunk)
        {
            if (chunk.Length > 0)
            {
                isReference = chunk.IsReference;
                return (int)Math.Min(chunk.Length, Ready);
            }

            // More is published than it had, so the application has gone on to the next one.
            _first = chunk.Next;
            Recycle(chunk);
        }

        return 0;
    }

    /// <summary>Writes bytes of the chunk in front as a DATA frame.</summary>
    internal void Send(PipeWriter output, int streamId, int bytes, bool isLast)
    {
        ResponseChunk chunk = _first!;
        if (chunk.IsReference)
        {
            Http2FrameWriter.WriteDataHead(output, streamId, bytes, isLast);
            chunk.AppendTo((IReferenceWriter)output, bytes);
        }
        else
        {
            Http2FrameWriter.WriteData(output, streamId, chunk.Content(bytes), isLast);
        }

        Consume(chunk, bytes);
    }

    /// <summary>Drops what is ready.</summary>
    internal void DropReady()
    {
        while (NextBytes(out _) is > 0 and int bytes)
        {
            Consume(_first!, bytes);
        }
    }

    /// <summary>The answer is over for both sides. One small chunk stays for the next one.</summary>
    internal void Clear()
    {
        ResponseChunk? rest = _first;
        if (rest is not null && rest.TryEmpty(out ResponseChunk? next))
        {
            _last = rest;
            rest = next;
        }
        else
        {
            _first = _last = null;
        }

        while (rest is not null)
        {
            next = rest.Next;
            rest.Release();
            rest = next;
        }

        _written = _published = _ready = _sent = 0;
    }

    /// <summary>The queue is not used again.</summary>
    internal void Discard()
    {
        Clear();
        _first?.Release();
        _spare?.Release();
        _first = _last = _spare = null;
    }

    private void Consume(ResponseChunk chunk, int bytes)
    {
        chunk.Start += bytes;
        Volatile.Write(ref _sent, _sent + bytes);
        if (chunk is { IsReference: true, Length: 0 })
        {
            chunk.Release();
        }
    }

    private void Recycle(ResponseChunk chunk)
    {
        if (!chunk.TryEmpty(out _) || Interlocked.CompareExchange(ref _spare, chunk, null) is not null)
        {
            chunk.Release();
        }
    }

    private ResponseChunk ChunkFor(int sizeHint)
    {
        if (_last is { } last && last.FreeLength >= Math.Max(1, sizeHint))
        {
            return last;
        }

        if (Unpublished >= ResponseChunk.SmallBytes)
        {
            sizeHint = Math.Max(sizeHint, ResponseChunk.LargeBytes);
        }

        ResponseChunk chunk = sizeHint <= ResponseChunk.SmallBytes
            ? Interlocked.Exchange(ref _spare, null) ?? new ResponseChunk(ResponseChunk.SmallBytes)
            : new ResponseChunk(Math.Max(sizeHint, ResponseChunk.LargeBytes));
        Link(chunk);
        return chunk;
    }

    private void Link(ResponseChunk chunk)
    {
        if (_last is null)
        {
            _first = chunk;
        }
        else
        {
            _last.Next = chunk;
        }

        _last = chunk;
    }
}
