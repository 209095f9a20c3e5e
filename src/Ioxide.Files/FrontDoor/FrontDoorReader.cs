using System.Runtime.CompilerServices;

namespace Ioxide.Files;

/// <summary>The input of a connection as the server sees it: without the requests that the front door has answered.</summary>
/// <remarks>
/// <para>The server reads for its next request only after it has written the whole answer to the one before. So when it reads and
/// stands exactly at the beginning of a request, the writer is free, and what is answered here is in order. Where requests begin
/// follows from their heads (<see cref="RequestHead"/>) and is compared with what the server consumed; where it cannot be
/// known, or does not fit, the door is shut for the rest of the connection.</para>
/// <para>States: <b>idle</b>, at the beginning of a request; <b>the server's</b>, until it has consumed its request and reads again;
/// <b>shut</b>. Threads: one reader at a time, as the server has it; cancelling from any.</para>
/// </remarks>
/// <param name="connection">Has the server's features; its transport is still the one below the door.</param>
/// <param name="responder">Writes to the connection's output, which the server writes to as well.</param>
/// <param name="server">The server's options.</param>
internal sealed class FrontDoorReader(ConnectionContext connection, FrontDoorResponder responder, FrontDoorServer server) : PipeReader
{
    // Answers are flushed when they sum up to this, so that a client that sends many requests and reads nothing waits.
    private const long MaxUnflushedBytes = 64 * 1024;

    private readonly PipeReader _inner = connection.Transport.Input;
    private readonly PipeWriter _output = connection.Transport.Output;
    private readonly ServerRequest _request = new();
    private FrontDoorTimeouts? _timeouts;
    private ReadOnlySequence<byte> _buffer;
    private long _consumed;
    private long _answeredBytes;
    private bool _isServers;
    private bool _isShut;
    private volatile bool _isFlushing;

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
        => _isShut ? _inner.ReadAsync(cancellationToken) : ReadOpenAsync(cancellationToken);

    /// <summary>Finds nothing at the beginning of a request, where the door may have something to answer: read asynchronously.</summary>
    public override bool TryRead(out ReadResult result)
    {
        result = default;
        if (!_isShut && (!_isServers || IsAtNextRequest))
        {
            return false;
        }

        bool isThere = _inner.TryRead(out result);
        if (isThere && !_isShut)
        {
            result = HandOver(result);
        }

        return isThere;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        if (!_isShut && !_buffer.IsEmpty)
        {
            _consumed += _buffer.Slice(0, consumed).Length;
            _buffer = default;
        }

        _inner.AdvanceTo(consumed, examined);
    }

    public override void CancelPendingRead()
    {
        if (_timeouts is { } timeouts && !timeouts.MayEnd())
        {
            return;
        }

        if (_isFlushing)
        {
            // The server stops, and does not wait for a client that does not read; its answers are queued as they are.
            _output.CancelPendingFlush();
        }

        _inner.CancelPendingRead();
    }

    public override void Complete(Exception? exception = null) => _inner.Complete(exception);

    /// <summary>Whether the server has consumed its request.</summary>
    private bool IsAtNextRequest => _request.End is { } end && _consumed >= end;

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> ReadOpenAsync(CancellationToken cancellationToken)
    {
        if (_isServers && IsAtNextRequest)
        {
            _isServers = false;
            _isShut = _consumed > _request.End;
        }

        while (true)
        {
            ReadResult result = await _inner.ReadAsync(cancellationToken);
            if (_isServers || _isShut || result.IsCanceled || result.Buffer.IsEmpty)
            {
                // Whoever cancels ends the connection, or closes it as idle. How the server treats the rest is unknown.
                _isShut |= !_isServers && !result.Buffer.IsEmpty;
                return HandOver(result);
            }

            int answered = Answer(result.Buffer);
            if (answered == 0)
            {
                return HandOver(result);
            }

            _inner.AdvanceTo(result.Buffer.GetPosition(answered));
            _timeouts!.BeginFlush(_answeredBytes);
            _isFlushing = true;
            FlushResult flushed = await _output.FlushAsync(cancellationToken);
            _isFlushing = false;
            _timeouts.EndFlush();
            _isShut = flushed.IsCompleted;
            if (_isServers || _isShut)
            {
                // What is left was seen already, so this read has a result at once.
                return HandOver(await _inner.ReadAsync(cancellationToken));
            }
        }
    }

    /// <summary>Answers requests from the beginning of the buffer on, until one is the server's or much was written.</summary>
    /// <returns>Bytes of the answered requests; 0 only where the first is the server's.</returns>
    private int Answer(ReadOnlySequence<byte> buffer)
    {
        ReadOnlySpan<byte> bytes = buffer.FirstSpan;
        byte[]? joined = null;
        if (!buffer.IsSingleSegment)
        {
            joined = ArrayPool<byte>.Shared.Rent(RequestHead.MaxBytes);
            int length = (int)Math.Min(buffer.Length, RequestHead.MaxBytes);
            buffer.Slice(0, length).CopyTo(joined);
            bytes = joined.AsSpan(0, length);
        }

        int answered = AnswerAll(bytes);
        if (joined is not null)
        {
            ArrayPool<byte>.Shared.Return(joined);
        }

        _consumed += answered;
        return answered;
    }

    private int AnswerAll(ReadOnlySpan<byte> bytes)
    {
        int offset = 0;
        _answeredBytes = 0;
        while (offset < bytes.Length)
        {
            HeadKind kind = RequestHead.Read(bytes[offset..], server.Limits, out RequestHead head);
            if (kind == HeadKind.Plain && MayAnswer() && responder.TryAnswer(head, out long answerBytes))
            {
                offset += head.LengthBytes;
                _answeredBytes += answerBytes;
                if (_answeredBytes >= MaxUnflushedBytes)
                {
                    break;
                }

                continue;
            }

            // Also the beginning of a head: the server has limits for how long the rest of it may take.
            _isServers = true;
            if (kind == HeadKind.Incomplete)
            {
                _request.BeginIncomplete(_consumed + offset);
            }
            else
            {
                _request.Begin(_consumed + offset, head, kind);
            }

            break;
        }

        return offset;
    }

    private bool MayAnswer()
    {
        _timeouts ??= FrontDoorTimeouts.TryCreate(connection, server.Limits);
        return _timeouts is { IsServerWaiting: false };
    }

    private ReadResult HandOver(ReadResult result)
    {
        Debug.Assert(_isServers || _isShut || result.Buffer.IsEmpty);
        if (_isServers)
        {
            _request.Observe(result.Buffer, _consumed, server.Limits);
            _isShut = _request.IsUnbounded;
        }

        if (!result.Buffer.IsEmpty)
        {
            _timeouts?.HandOver();
        }

        _buffer = _isShut ? default : result.Buffer;
        return result;
    }
}
