using System.Buffers;

namespace Ioxide.Http2;

/// <summary>Received header blocks, one at a time: collected from their frames, then decoded.</summary>
/// <remarks>Threads: the reactor's.</remarks>
internal sealed class HeaderBlocks(Http2Options options)
{
    // The limit of pieces per block. Each may be empty.
    private const int MaxContinuations = 256;

    private readonly HpackDecoder _decoder = new(options.HeaderTableBytes, options.MaxFieldBytes);
    private byte[]? _bytes;
    private int _length;
    private int _continuations;

    /// <summary>The fields of the block that was decoded last.</summary>
    internal RequestFields Fields { get; } = new();

    /// <summary>The stream whose block has begun and is not decoded; 0 for none.</summary>
    internal int StreamId { get; private set; }

    /// <summary>The stream ends with the block.</summary>
    internal bool EndsStream { get; private set; }

    /// <summary>When the block in pieces began.</summary>
    internal long Since { get; private set; }

    /// <summary>Limit of a block's encoded bytes: a Huffman code has at most 30 bits per byte.</summary>
    private long MaxBytes
        => Math.Min(
            Array.MaxLength,
            (4L * options.MaxHeaderBytes) + (HpackField.OverheadBytes * (long)options.MaxHeaderCount) + Http2FrameHeader.DefaultMaxLength);

    /// <summary>The peer knows the size of the table.</summary>
    internal void AllowTable() => _decoder.Allow(options.HeaderTableBytes);

    /// <summary>A HEADERS frame begins a block.</summary>
    /// <param name="header">The frame's header.</param>
    /// <param name="payload">Its payload.</param>
    /// <param name="whole">The block if it is whole; else empty.</param>
    /// <param name="isWhole">Whether it is.</param>
    internal Http2Fault Begin(in Http2FrameHeader header, ReadOnlySequence<byte> payload, out ReadOnlySpan<byte> whole, out bool isWhole)
    {
        whole = default;
        isWhole = false;
        Http2Fault fault = Http2FrameReader.Unpad(header, ref payload);
        if (!fault.IsNone)
        {
            return fault;
        }

        if ((header.StreamId & 1) == 0)
        {
            return Http2Fault.Connection(Http2ErrorCode.ProtocolError, "A client opens a stream with an even number.", "invalid_stream_id");
        }

        StreamId = header.StreamId;
        EndsStream = header.Has(Http2FrameFlags.EndStream);
        _continuations = 0;
        if (header.Has(Http2FrameFlags.EndHeaders) && payload.IsSingleSegment)
        {
            whole = payload.FirstSpan;
            isWhole = true;
            return default;
        }

        Since = Environment.TickCount64;
        return Gather(header, payload, out whole, out isWhole);
    }

    /// <summary>A CONTINUATION frame adds to it.</summary>
    internal Http2Fault Continue(in Http2FrameHeader header, scoped in ReadOnlySequence<byte> payload, out ReadOnlySpan<byte> whole, out bool isWhole)
    {
        whole = default;
        isWhole = false;
        return StreamId == 0 ? Http2Fault.Connection(Http2ErrorCode.ProtocolError, "CONTINUATION stands behind no header block.")
            : ++_continuations > MaxContinuations ? Http2Fault.Connection(Http2ErrorCode.EnhanceYourCalm, "A header block comes in too many pieces.")
            : Gather(header, payload, out whole, out isWhole);
    }

    /// <summary>Decodes a whole block into <see cref="Fields"/>, and ends it.</summary>
    /// <param name="block">The block.</param>
    /// <param name="stream">The stream of the fields; null if they are dropped.</param>
    /// <param name="areTrailers">Whether they follow the body.</param>
    internal Http2Fault Decode(ReadOnlySpan<byte> block, Http2Stream? stream, bool areTrailers)
    {
        StreamId = 0;
        Fields.Begin(options, stream, areTrailers);
        HpackError error = _decoder.Decode(block, Fields);
        if (_bytes is not null)
        {
            Return();
        }

        return error != HpackError.None
                ? Http2Fault.Connection(Http2ErrorCode.CompressionError, $"A header block cannot be decoded: {error}.")
            : Fields.IsFarTooLarge ? Http2Fault.Connection(
                Http2ErrorCode.EnhanceYourCalm, "The fields are more than twice as large as allowed.", "max_request_headers_total_size_exceeded")
            : default;
    }

    /// <summary>Nothing of a block is kept.</summary>
    internal void Return()
    {
        if (_bytes is { } bytes)
        {
            _bytes = null;
            ArrayPool<byte>.Shared.Return(bytes);
        }

        _length = 0;
    }

    private Http2Fault Gather(in Http2FrameHeader header, scoped in ReadOnlySequence<byte> payload, out ReadOnlySpan<byte> whole, out bool isWhole)
    {
        whole = default;
        isWhole = false;
        if (payload.Length > MaxBytes - _length)
        {
            return Http2Fault.Connection(Http2ErrorCode.EnhanceYourCalm, "A header block is too long.", "max_request_headers_total_size_exceeded");
        }

        int length = _length + (int)payload.Length;
        if (_bytes is null || _bytes.Length < length)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent(length);
            _bytes.AsSpan(0, _length).CopyTo(larger);
            int kept = _length;
            Return();
            _bytes = larger;
            _length = kept;
        }

        payload.CopyTo(_bytes.AsSpan(_length));
        _length = length;
        isWhole = header.Has(Http2FrameFlags.EndHeaders);
        whole = isWhole ? _bytes.AsSpan(0, length) : default;
        return default;
    }
}
