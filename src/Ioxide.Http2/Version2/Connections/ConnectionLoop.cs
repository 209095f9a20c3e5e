using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;

namespace Ioxide.Http2;

/// <summary>Reads a connection's frames, has each handled, and runs the application for the requests among them.</summary>
/// <remarks>
/// <para>A request whose fields are complete runs inside the loop to its end, or to its first await that waits, so one or two streams stay hot.
/// Written bytes are flushed once per receive, and by each writer outside the loop.</para>
/// <para>A request whose body is not there begins behind the frames of its receive and of the receives that the same turn brings: a client that
/// starts many calls at once writes all their fields before their bodies, and a read that need not wait costs half as much.</para>
/// <para>If such a handler blocks, another loop replaces the one below it and continues with the next frame
/// (<see cref="BlockedWait.Resume"/>). <see cref="_epoch"/> counts the loops, and a loop that finds another number than its own ends.</para>
/// <para>Threads: the reactor's.</para>
/// </remarks>
internal sealed class ConnectionLoop(Http2Connection connection, PipeReader input)
{
    // Requests that are started in one turn of the reactor, before other connections have theirs.
    private const int MaxStartsPerTurn = 128;

    // Requests whose bodies were not complete when their fields were. Once a turn has passed they begin, with or without them.
    private readonly Queue<Http2Stream> _incomplete = new();
    private bool _hasTurnPassed;

    // The connection's execution context, as its middleware has made it; null where that has suppressed the flow.
    private ExecutionContext? _flow;

    // Received bytes that are not handled; the reader waits for the end of their read.
    private ReadOnlySequence<byte> _rest;
    private bool _isReading;
    private int _epoch;
    private long _turn;
    private int _starts;
    private Http2Stream? _calling;
    private bool _inputEnded;
    private bool _hasPreface;

    private enum Handled
    {
        Wholly,

        /// <summary>Other connections have their turn first.</summary>
        InPart,

        /// <summary>But for requests whose bodies may come in this turn.</summary>
        ButIncomplete,

        /// <summary>A handler blocked, and another loop continues after it.</summary>
        ByAnother,
    }

    /// <summary>Frames are being handled: a flush follows.</summary>
    internal bool IsParsing { get; private set; }

    private Reactor Reactor => connection.Reactor;

    /// <summary>The stream's handler is in its first, synchronous piece: what it submits is sent behind that, before the next flush.</summary>
    internal bool IsCalling(Http2Stream stream) => ReferenceEquals(_calling, stream);

    internal void Start()
    {
        _flow = ExecutionContext.Capture();
        _ = RunAsync(_epoch, hasInput: false);
    }

    /// <summary>Runs code in the connection's execution context. Threads: any.</summary>
    internal void RunInFlow(ContextCallback code, object? state)
    {
        if (_flow is { } flow)
        {
            ExecutionContext.Run(flow, code, state);
        }
        else
        {
            code(state);
        }
    }

    /// <summary>Ends a read that waits, so that the loop sees the connection's state.</summary>
    internal void Wake() => input.CancelPendingRead();

    /// <summary>Nothing is read any more.</summary>
    internal void Complete() => input.Complete();

    /// <summary>Requests that have not begun do not begin any more.</summary>
    internal void DropIncomplete()
    {
        while (_incomplete.TryDequeue(out Http2Stream? stream))
        {
            connection.Pool.Return(stream);
        }
    }

    private void TakeOverFrom(int epoch)
    {
        if (_epoch == epoch && _calling is { } stream)
        {
            _epoch++;
            _calling = null;
            connection.Sender.Send(stream);
            RunInFlow(_ => { _ = RunAsync(_epoch, hasInput: true); }, null);
        }
    }

    private async Task RunAsync(int epoch, bool hasInput)
    {
        try
        {
            while (!connection.IsClosed && !Reactor.HasEnded)
            {
                if (!hasInput)
                {
                    connection.Sender.Flush();
                    Take(await input.ReadAsync().ConfigureAwait(true));
                }

                hasInput = true;

                // Where a handler blocks: it stands for all of them, and does nothing while none is called.
                Reactor.Continuation = WorkItem.Of(this, epoch, static (loop, epoch) => loop.TakeOverFrom((int)epoch));
                IsParsing = true;
                Handled handled = HandleFrames(epoch);
                Reactor.Continuation = default;
                if (handled == Handled.ByAnother)
                {
                    return;
                }

                IsParsing = false;
                switch (handled)
                {
                    case Handled.InPart:
                        connection.Sender.Flush();
                        await new YieldToReactor(Reactor);
                        continue;
                    case Handled.ButIncomplete:
                        EndRead();
                        connection.Sender.Flush();
                        await new YieldToReactor(Reactor);
                        _hasTurnPassed = true;
                        if (!_inputEnded && input.TryRead(out ReadResult more))
                        {
                            Take(more);
                        }

                        continue;
                }

                EndRead();
                hasInput = false;
                if (_inputEnded)
                {
                    connection.NoteLoss();
                    break;
                }
            }
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            // The peer is gone, or this side aborted.
            connection.NoteLoss(exception);
            Http2Log.ConnectionLost(connection.Logger, connection.Context.ConnectionId, exception.Message);
        }
        catch (Exception exception)
        {
            Http2Log.ConnectionFailed(connection.Logger, connection.Context.ConnectionId, exception);
            connection.Fail(Http2Fault.Connection(Http2ErrorCode.InternalError, "The server failed."));
        }

        try
        {
            connection.Leave();
        }
        catch (Exception exception)
        {
            Http2Log.ConnectionFailed(connection.Logger, connection.Context.ConnectionId, exception);
            connection.Context.Abort(new ConnectionAbortedException("The server failed."));
            connection.NoteEnd();
        }
    }

    private Handled HandleFrames(int epoch)
    {
        while (!connection.IsClosed && TryReadPreface()
            && Http2FrameReader.TryRead(
                ref _rest, connection.Options.MaxFrameBytes, out Http2FrameHeader header, out ReadOnlySequence<byte> payload, out Http2Fault fault)
                | !fault.IsNone)
        {
            Http2Stream? ready = null;
            if (fault.IsNone)
            {
                fault = connection.Receiver.Handle(header, payload, out ready);
            }

            if (!fault.IsNone)
            {
                connection.Answer(fault, header.StreamId);
            }
            else if (ready is { HasReceivedEnd: false })
            {
                // The frames behind it may hold its body, which its handler then need not wait for.
                _incomplete.Enqueue(ready);
            }
            else if (ready is not null)
            {
                if (!Run(ready, epoch))
                {
                    return Handled.ByAnother;
                }

                if (IsTurnUsed())
                {
                    return Handled.InPart;
                }
            }
        }

        if (_incomplete.Count > 0 && !_hasTurnPassed)
        {
            return Handled.ButIncomplete;
        }

        while (!connection.IsClosed && _incomplete.TryDequeue(out Http2Stream? stream))
        {
            if (stream.IsClosed)
            {
                // It was reset before its handler began.
                connection.Pool.Return(stream);
            }
            else if (!Run(stream, epoch))
            {
                return Handled.ByAnother;
            }
            else if (IsTurnUsed())
            {
                return Handled.InPart;
            }
        }

        _hasTurnPassed = false;
        return Handled.Wholly;
    }

    private void Take(in ReadResult result)
    {
        _isReading = true;
        _rest = result.Buffer;
        _inputEnded = result.IsCompleted;
        connection.Watch.NoteHeard();
    }

    private void EndRead()
    {
        if (_isReading)
        {
            _isReading = false;
            input.AdvanceTo(_rest.Start, _rest.End);
            _rest = default;
        }
    }

    /// <summary>Counts a start, and says whether it was the turn's last.</summary>
    private bool IsTurnUsed()
    {
        long turn = Reactor.Turns;
        _starts = turn == _turn ? _starts + 1 : 1;
        _turn = turn;
        return _starts >= MaxStartsPerTurn;
    }

    private bool TryReadPreface()
    {
        if (_hasPreface)
        {
            return true;
        }

        ReadOnlySpan<byte> preface = Http2Connection.Preface;
        Span<byte> first = stackalloc byte[preface.Length];
        int length = (int)Math.Min(_rest.Length, preface.Length);
        _rest.Slice(0, length).CopyTo(first);
        if (!preface.StartsWith(first[..length]))
        {
            connection.Fail(Http2Fault.Connection(
                Http2ErrorCode.ProtocolError, "The connection does not begin with the preface.", "invalid_handshake"));
            return false;
        }

        _hasPreface = length == preface.Length;
        _rest = _hasPreface ? _rest.Slice(length) : _rest;
        return _hasPreface;
    }

    /// <summary>Runs the application for a request. False if another loop has replaced this one meanwhile.</summary>
    private bool Run(Http2Stream stream, int epoch)
    {
        connection.NoteRun();
        HttpExchange exchange = stream.Exchange;
        exchange.Body.HandlerBegins();
        if (connection.RunsOnPool || Reactor.IsBlocked)
        {
            Reactor.Kernel.QueueToThreadPool(exchange);
            return true;
        }

        _calling = stream;
        using (Reactor.EnterApplication())
        {
            exchange.Execute();
        }

        if (_epoch != epoch)
        {
            return false;
        }

        _calling = null;
        if (Reactor.IsCurrent)
        {
            connection.Sender.Send(stream);
            return true;
        }

        // The reactor ended under the blocked handler: there is nothing left to serve.
        connection.NoteEnd();
        return false;
    }
}
