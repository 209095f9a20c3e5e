using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.Pg;

/// <summary>Receives the messages of one connection, and passes each to the oldest command or to the connection.</summary>
/// <remarks>Rows stay in the receive buffer while they are read. Threads: the reactor's.</remarks>
internal sealed class AnswerLoop
{
    private readonly ServerConnection _connection;
    private readonly PipeReader _input;
    private readonly MessageScratch _scratch;
    private readonly RowLayout _layout = new();
    private readonly LongMessage _long;
    private bool _isLending;
    private bool _isCallingOut;

    internal AnswerLoop(ServerConnection connection, PipeReader input)
    {
        _connection = connection;
        _input = input;
        _scratch = new MessageScratch(connection.Pool.Options.MaxMessageBytes, passesRows: true);
        _long = new LongMessage(_scratch);
        Callers = new AnsweredCallers(connection);
        Calls = new ApplicationCalls(connection, Callers, _layout, _scratch);
    }

    internal AnsweredCallers Callers { get; }

    internal ApplicationCalls Calls { get; }

    /// <summary>Runs until the connection is broken, and releases it when no row is lent any more.</summary>
    /// <remarks>
    /// The loop awaits in this method only: code that <see cref="AnsweredCallers"/> resumes may block until the loop continues.
    /// </remarks>
    internal async Task RunAsync()
    {
        Exception cause;
        try
        {
            while (true)
            {
                ReadResult result = await Callers.Before(_input.ReadAsync());
                Callers.HasReceived = true;
                if (_connection.Pipeline.Oldest is { LimitsEachWait: true })
                {
                    _connection.Clock.Heard();
                }

                ReadOnlySequence<byte> unread = result.Buffer;
                bool isLong;
                bool isInRow;
                do
                {
                    isLong = _long.IsActive;
                    ReadOnlySequence<byte> rest = isLong ? TakeLong(ref unread) : unread;
                    isInRow = _long.IsRowInPieces;
                    SequencePosition consumed = Process(rest);
                    while (_isLending || _isCallingOut)
                    {
                        // The rows stay where they are until the reader returns them.
                        rest = rest.Slice(consumed);
                        if (_isLending)
                        {
                            RoundTrip lender = _connection.Pipeline.Oldest!;
                            lender.HasGivenRows = true;
                            lender.IsPaused = true;
                            await Callers.Before(lender.Lent!.LendAsync(rest, lender.Columns!, _scratch));
                            Resume(lender);
                        }
                        else
                        {
                            _isCallingOut = false;
                            Task<SequencePosition> taking = Calls.BeginElsewhere(rest);
                            try
                            {
                                await Callers.Before(new ValueTask(taking));
                                rest = rest.Slice(await taking.ConfigureAwait(true));
                            }
                            finally
                            {
                                Calls.End();
                            }
                        }

                        consumed = Process(rest);
                    }

                    unread = isLong ? unread : unread.Slice(consumed);
                }
                while (!_connection.IsBroken && (isLong ? !unread.IsEmpty && !isInRow
                    : _long.TryBegin(unread, _connection.Pipeline.Oldest is { TakesRowPieces: true })));

                // After a piece of a row its reader runs first, so that only pieces accumulate.
                bool isMoreThere = isInRow && !unread.IsEmpty;
                _input.AdvanceTo(unread.Start, isMoreThere ? unread.Start : result.Buffer.End);
                if (_connection.Fatal is { } fatal)
                {
                    cause = fatal;
                    break;
                }

                if (_connection.Pipeline.Oldest is { } oldest)
                {
                    ValueTask taken = oldest.ReceivedAsync();
                    if (!taken.IsCompletedSuccessfully)
                    {
                        Exception? gone = null;
                        oldest.IsPaused = true;
                        try
                        {
                            await Callers.Before(taken);
                        }
                        catch (Exception exception)
                        {
                            // The receiver of the rows is gone, so the command need not finish.
                            gone = exception;
                        }

                        Resume(oldest);
                        if (gone is not null && !_connection.IsBroken && ReferenceEquals(_connection.Pipeline.Oldest, oldest))
                        {
                            Callers.Abandon(oldest, gone);
                        }
                    }
                }

                if (result.IsCompleted && !isMoreThere)
                {
                    cause = _connection.ClosedByServer();
                    break;
                }
            }
        }
        catch (Exception exception)
        {
            cause = exception;
        }

        _connection.Break(cause);
        _scratch.Release();
        await _connection.CloseAsync().ConfigureAwait(true);
    }

    /// <summary>The oldest command has its whole answer: what a long message needed is free.</summary>
    internal void ReleaseLong() => _long.Release();

    /// <summary>The connection is broken: nothing more is lent or read.</summary>
    /// <returns>The answered commands whose callers were not resumed.</returns>
    internal List<RoundTrip> Stop()
    {
        _isLending = false;
        _isCallingOut = false;
        return Callers.Clear();
    }

    /// <summary>Takes the arrived part of a long message. A row above the limit fails only its own command.</summary>
    private ReadOnlySequence<byte> TakeLong(ref ReadOnlySequence<byte> unread)
    {
        if (_long.IsRowInPieces)
        {
            TakeRowPiece(ref unread);
            return default;
        }

        ReadOnlySequence<byte> message = _long.Take(ref unread);
        if (_long is { IsActive: false, SkippedBytes: > 0 })
        {
            _connection.Pipeline.AnsweredBy(BackendMessage.DataRow)
                .RowSkipped(new PgResultTooLargeException(_long.SkippedBytes, _scratch.MaxMessageBytes));
        }

        return message;
    }

    private void TakeRowPiece(ref ReadOnlySequence<byte> unread)
    {
        RoundTrip oldest = _connection.Pipeline.AnsweredBy(BackendMessage.DataRow);
        if (_long.IsAtStart)
        {
            oldest.RowBegun(_long.TakeHeader(ref unread));
        }

        foreach (ReadOnlyMemory<byte> piece in _long.TakeRow(ref unread))
        {
            oldest.RowPieceReceived(piece.Span);
        }
    }

    /// <summary>The caller's time does not count as the command's.</summary>
    private void Resume(RoundTrip roundTrip)
    {
        roundTrip.IsPaused = false;
        roundTrip.BegunTick = _connection.Reactor.NowTick();
    }

    /// <summary>Handles each complete message. Stops before lent rows, and before messages for application code that cannot run here.</summary>
    private SequencePosition Process(in ReadOnlySequence<byte> received)
    {
        // A result has many rows: what they need is at hand.
        ServerConnection connection = _connection;
        CommandPipeline pipeline = connection.Pipeline;
        ApplicationCalls calls = Calls;
        bool skipsLent = _isLending;
        bool isBlocked = connection.Reactor.IsBlocked;
        bool isHandedOver = false;
        _isLending = false;
        var reader = new MessageReader(received, _scratch);
        SequencePosition before = reader.Consumed;
        try
        {
            while (!connection.IsBroken && reader.TryRead(out byte type, out ReadOnlySpan<byte> body))
            {
                RoundTrip? taker = isHandedOver ? calls.Reading : pipeline.Oldest;
                if (calls.Takes(type, taker))
                {
                    if (isBlocked)
                    {
                        _isCallingOut = true;
                        return before;
                    }

                    if (!isHandedOver)
                    {
                        isHandedOver = true;
                        calls.Begin();
                        SynchronizationContext.SetSynchronizationContext(connection.Reactor.SynchronizationContext);
                    }

                    calls.Deliver(type, body, taker);
                    if (type == BackendMessage.NoticeResponse)
                    {
                        // It may be between lent rows.
                        skipsLent = false;
                        before = reader.Consumed;
                    }

                    continue;
                }

                if (isHandedOver)
                {
                    isHandedOver = false;
                    TakeBack();
                }

                if (type == BackendMessage.DataRow)
                {
                    RoundTrip oldest = pipeline.AnsweredBy(type);
                    if (oldest.Lent is null)
                    {
                        oldest.RowReceived(body, _layout);
                    }
                    else if (!skipsLent && !oldest.IsAbandoned && oldest.Error is null)
                    {
                        _ = oldest.Columns ?? throw PgProtocolException.RowWithoutDescription();
                        _isLending = true;
                        return before;
                    }
                }
                else
                {
                    skipsLent = false;
                    connection.Handle(type, body);
                }

                if (isBlocked || pipeline.Oldest is { Lent: not null })
                {
                    before = reader.Consumed;
                }
            }
        }
        finally
        {
            if (isHandedOver)
            {
                TakeBack();
            }
        }

        return reader.Consumed;
    }

    private void TakeBack()
    {
        SynchronizationContext.SetSynchronizationContext(_connection.Reactor.RuntimeContext);
        Calls.End();
    }
}
