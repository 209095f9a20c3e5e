using System.IO.Pipelines;

namespace Ioxide.Http2;

/// <summary>A response's body as applications write it: into chunks of the stream, which a flush passes to the connection.</summary>
/// <remarks>Threads: the application's, one at a time.</remarks>
internal sealed class ResponseWriter(Http2Stream stream) : PipeWriter
{
    // Copying that much is cheaper than one stretch of memory more in the send.
    private const int MaxCopiedBytes = 8 * 1024;

    private ResponseChunk? _first;
    private ResponseChunk? _last;
    private long _unflushed;

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _unflushed;

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        stream.RenewMemory();
        return ChunkFor(sizeHint).Free;
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void Advance(int bytes)
    {
        stream.ThrowIfOver();
        if (_last is null ? bytes != 0 : (uint)bytes > (uint)_last.FreeLength)
        {
            throw new ArgumentOutOfRangeException(nameof(bytes), bytes, "More than GetMemory or GetSpan gave.");
        }

        if (stream.Advance(bytes) && bytes > 0)
        {
            _last!.End += bytes;
            _unflushed += bytes;
        }
    }

    public override ValueTask<FlushResult> WriteAsync(ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        stream.ThrowIfOver();
        cancellationToken.ThrowIfCancellationRequested();
        return stream.WriteAsync(source, cancellationToken);
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        stream.ThrowIfOver();
        cancellationToken.ThrowIfCancellationRequested();
        return stream.FlushAsync(cancellationToken);
    }

    public override void CancelPendingFlush()
    {
        stream.ThrowIfOver();
        stream.CancelFlush(isByToken: false);
    }

    public override void Complete(Exception? exception = null)
    {
        stream.ThrowIfOver();
        _ = stream.CompleteWriting(exception);
    }

    public override ValueTask CompleteAsync(Exception? exception = null)
    {
        stream.ThrowIfOver();
        return new ValueTask(stream.CompleteWriting(exception));
    }

    /// <summary>Adds outside memory by reference.</summary>
    /// <param name="memory">Not empty; must not change until the owner is disposed.</param>
    /// <param name="owner">Disposed once, when the memory is no longer read; null for memory that stays as long as something refers to it.</param>
    /// <param name="isImmutable">As for <see cref="IReferenceWriter.Append"/>.</param>
    internal void Append(ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable)
    {
        stream.RenewMemory();
        if (!stream.Advance(memory.Length))
        {
            owner?.Dispose();
        }
        else if (owner is null && memory.Length <= MaxCopiedBytes)
        {
            Add(memory.Span);
        }
        else
        {
            Add(new ResponseChunk(memory, owner, isImmutable));
            _unflushed += memory.Length;
        }
    }

    /// <summary>Adds a copy of bytes that are counted already: to the end of the last chunk where they fit, else to one of their own.</summary>
    internal void Add(ReadOnlySpan<byte> bytes)
    {
        ResponseChunk chunk = ChunkFor(Math.Min(bytes.Length, ResponseChunk.LargeBytes));
        while (true)
        {
            int count = Math.Min(bytes.Length, chunk.FreeLength);
            bytes[..count].CopyTo(chunk.Free.Span);
            chunk.End += count;
            _unflushed += count;
            bytes = bytes[count..];
            if (bytes.IsEmpty)
            {
                return;
            }

            chunk = ChunkFor(Math.Min(bytes.Length, ResponseChunk.LargeBytes));
        }
    }

    /// <summary>Takes the bytes written since the last flush.</summary>
    internal void Take(out ResponseChunk? first, out ResponseChunk? last, out long bytes)
    {
        bytes = _unflushed;
        first = _first;
        last = _last;
        _first = null;
        _last = null;
        _unflushed = 0;
        if (bytes == 0 && first is not null)
        {
            first.Release();
            first = null;
        }
    }

    /// <summary>Drops bytes that were written and not flushed.</summary>
    internal void Drop()
    {
        Take(out ResponseChunk? chunk, out _, out _);
        while (chunk is not null)
        {
            ResponseChunk? next = chunk.Next;
            chunk.Release();
            chunk = next;
        }
    }

    private ResponseChunk ChunkFor(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        if (_last is { } last && last.FreeLength >= Math.Max(1, sizeHint))
        {
            return last;
        }

        if (_last is { Length: 0 } && _first == _last)
        {
            // Requested, and not written to.
            Drop();
        }

        ResponseChunk chunk = stream.RentChunk(_unflushed >= ResponseChunk.SmallBytes ? Math.Max(sizeHint, ResponseChunk.LargeBytes) : sizeHint);
        Add(chunk);
        return chunk;
    }

    private void Add(ResponseChunk chunk)
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
