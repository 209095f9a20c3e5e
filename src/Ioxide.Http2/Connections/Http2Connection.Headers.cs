using System.Buffers;

namespace Ioxide.Http2;

/// <summary>Header blocks: collected, decoded, checked, and turned into requests and trailers.</summary>
internal sealed partial class Http2Connection
{
    // The limit of pieces per block. Each may be empty.
    private const int MaxContinuations = 256;

    // Handlers of closed streams may still run: at most this many handlers per stream that may be open.
    private const int RunningPerStream = 2;

    private readonly HpackDecoder _decoder;
    private readonly RequestFields _fields = new();
    private byte[]? _block;
    private int _blockLength;
    private int _blockStreamId;
    private bool _blockEndsStream;
    private int _continuations;
    private int _open;

    /// <summary>Limit of a block's encoded bytes: a Huffman code has at most 30 bits per byte.</summary>
    private long MaxBlockBytes => (4L * Options.MaxHeaderBytes) + (HpackField.OverheadBytes * (long)Options.MaxHeaderCount) + Http2FrameHeader.DefaultMaxLength;

    private Http2Fault OnHeaders(in Http2FrameHeader header, ReadOnlySequence<byte> payload, out Http2Stream? ready)
    {
        ready = null;
        Http2Fault fault = Http2FrameReader.Unpad(header, ref payload);
        if (!fault.IsNone)
        {
            return fault;
        }

        if ((header.StreamId & 1) == 0)
        {
            return Http2Fault.Connection(Http2ErrorCode.ProtocolError, "A client opens a stream with an even number.", "invalid_stream_id");
        }

        _blockStreamId = header.StreamId;
        _blockEndsStream = header.Has(Http2FrameFlags.EndStream);
        _continuations = 0;
        if (header.Has(Http2FrameFlags.EndHeaders) && payload.IsSingleSegment)
        {
            return OnBlock(payload.FirstSpan, out ready);
        }

        _blockSince = Environment.TickCount64;
        fault = Gather(payload);
        return fault.IsNone && header.Has(Http2FrameFlags.EndHeaders) ? OnBlock(_block.AsSpan(0, _blockLength), out ready) : fault;
    }

    private Http2Fault OnContinuation(in Http2FrameHeader header, in ReadOnlySequence<byte> payload, out Http2Stream? ready)
    {
        ready = null;
        if (_blockStreamId == 0)
        {
            return Http2Fault.Connection(Http2ErrorCode.ProtocolError, "CONTINUATION stands behind no header block.");
        }

        if (++_continuations > MaxContinuations)
        {
            return Http2Fault.Connection(Http2ErrorCode.EnhanceYourCalm, "A header block comes in too many pieces.");
        }

        Http2Fault fault = Gather(payload);
        return fault.IsNone && header.Has(Http2FrameFlags.EndHeaders) ? OnBlock(_block.AsSpan(0, _blockLength), out ready) : fault;
    }

    private Http2Fault Gather(in ReadOnlySequence<byte> payload)
    {
        int length = _blockLength + (int)payload.Length;
        if (length > MaxBlockBytes)
        {
            return Http2Fault.Connection(Http2ErrorCode.EnhanceYourCalm, "A header block is too long.", "max_request_headers_total_size_exceeded");
        }

        if (_block is null || _block.Length < length)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent(length);
            _block.AsSpan(0, _blockLength).CopyTo(larger);
            int kept = _blockLength;
            ReturnBlock();
            _block = larger;
            _blockLength = kept;
        }

        payload.CopyTo(_block.AsSpan(_blockLength));
        _blockLength = length;
        return default;
    }

    private void ReturnBlock()
    {
        if (_block is { } block)
        {
            _block = null;
            ArrayPool<byte>.Shared.Return(block);
        }

        _blockLength = 0;
    }

    private Http2Fault OnBlock(ReadOnlySpan<byte> block, out Http2Stream? ready)
    {
        int streamId = _blockStreamId;
        _blockStreamId = 0;
        ready = null;
        Http2Fault fault = streamId > _lastStreamId ? OnRequest(streamId, block, out ready) : OnTrailers(streamId, block);
        if (_block is not null)
        {
            ReturnBlock();
        }

        return fault;
    }

    private Http2Fault OnRequest(int streamId, ReadOnlySpan<byte> block, out Http2Stream? ready)
    {
        ready = null;
        _lastStreamId = streamId;
        if (_isLastTold)
        {
            // Streams above the last announced one are not served, but the table must match the peer's.
            return Decode(block, null, areTrailers: false);
        }

        Http2Stream stream = RentStream();
        stream.Begin(streamId, _blockEndsStream, _peerInitialWindow);
        Http2Fault fault = Decode(block, stream, areTrailers: false);
        bool isRefused = _open >= Options.MaxStreams || _running >= RunningPerStream * (long)Options.MaxStreams;
        if (fault.IsNone)
        {
            fault = isRefused
                ? Http2Fault.Stream(Http2ErrorCode.RefusedStream, "Too many streams are open.")
                : _fields.Malformed is { } malformed ? Http2Fault.Stream(Http2ErrorCode.ProtocolError, malformed)
                : stream.Accept(IsTls, _fields.IsTooLarge);
        }

        if (!fault.IsNone)
        {
            ReturnStream(stream);
            return isRefused && fault.IsStream && !_nuisance.TryPay()
                ? Http2Fault.Connection(Http2ErrorCode.EnhanceYourCalm, "The peer opens streams above the limit again and again.", "stream_creation_error")
                : fault;
        }

        _streams.Add(streamId, stream);
        _open++;
        _nuisance.Earn(2);
        ready = stream;
        return default;
    }

    private Http2Fault OnTrailers(int streamId, ReadOnlySpan<byte> block)
    {
        if (!_streams.TryGetValue(streamId, out Http2Stream? stream))
        {
            Http2Fault dropped = Decode(block, null, areTrailers: true);
            return !dropped.IsNone || WasResetHere(streamId)
                ? dropped
                : Http2Fault.Connection(Http2ErrorCode.StreamClosed, "HEADERS came for a stream that is closed.");
        }

        if (stream.HasReceivedEnd)
        {
            return Http2Fault.Connection(Http2ErrorCode.StreamClosed, "HEADERS came for a stream that the peer had ended.");
        }

        Http2Fault fault = Decode(block, stream, areTrailers: true);
        if (!fault.IsNone)
        {
            return fault;
        }

        if (!_blockEndsStream || _fields.Malformed is not null || _fields.IsTooLarge)
        {
            return Http2Fault.Stream(
                Http2ErrorCode.ProtocolError, _fields.Malformed ?? (_blockEndsStream ? "The trailers are too large." : "Trailers do not end their stream."));
        }

        fault = stream.OnEnd();
        if (fault.IsNone && stream.IsClosedBothWays)
        {
            Close(stream);
        }

        return fault;
    }

    private Http2Fault Decode(ReadOnlySpan<byte> block, Http2Stream? stream, bool areTrailers)
    {
        _fields.Begin(Options, stream, areTrailers);
        HpackError error = _decoder.Decode(block, _fields);
        return error != HpackError.None
                ? Http2Fault.Connection(Http2ErrorCode.CompressionError, $"A header block cannot be decoded: {error}.")
            : _fields.IsFarTooLarge ? Http2Fault.Connection(Http2ErrorCode.EnhanceYourCalm, "The fields are more than twice as large as allowed.", "max_request_headers_total_size_exceeded")
            : default;
    }
}
