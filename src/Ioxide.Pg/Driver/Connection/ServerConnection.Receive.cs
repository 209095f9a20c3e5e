using System.Buffers;
using System.IO.Pipelines;
using System.Text;

namespace Ioxide.Pg;

/// <summary>One loop that receives messages and passes each to the oldest command.</summary>
internal sealed partial class ServerConnection
{
    private readonly RowLayout _layout = new();
    private readonly LongMessage _long;
    private RoundTripQueue _ended;
    private PgException? _fatal;
    private PgServerMessage? _lastNotice;
    private bool _isLending;
    private bool _hasReceived;

    /// <summary>The tick at which the server last sent something to a command that limits each wait.</summary>
    internal long HeardTick { get; private set; }

    /// <remarks>The loop awaits in this method only: code that <see cref="Armed"/> resumes may block until the loop continues.</remarks>
    private async Task RunAsync()
    {
        Exception cause;
        try
        {
            while (true)
            {
                ReadResult result = await new Armed<ReadResult>(this, _input.ReadAsync());
                _hasReceived = true;
                if (_sent.Head is { LimitsEachWait: true })
                {
                    HeardTick = Reactor.NowTick();
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
                            RoundTrip lender = _sent.Head!;
                            lender.HasGivenRows = true;
                            lender.IsPaused = true;
                            await new Armed(this, lender.Lent!.LendAsync(rest, lender.Columns!, _scratch));
                            Resume(lender);
                        }
                        else
                        {
                            Task<SequencePosition> taking = BeginCallOut(rest);
                            try
                            {
                                await new Armed(this, new ValueTask(taking));
                                rest = rest.Slice(await taking.ConfigureAwait(true));
                            }
                            finally
                            {
                                EndReading();
                            }
                        }

                        consumed = Process(rest);
                    }

                    unread = isLong ? unread : unread.Slice(consumed);
                }
                while (!IsBroken && (isLong ? !unread.IsEmpty && !isInRow : _long.TryBegin(unread, _sent.Head is { TakesRowPieces: true })));

                // After a piece of a row its reader runs first, so that only pieces accumulate.
                bool isMoreThere = isInRow && !unread.IsEmpty;
                _input.AdvanceTo(unread.Start, isMoreThere ? unread.Start : result.Buffer.End);
                if (_fatal is not null)
                {
                    cause = _fatal;
                    break;
                }

                if (_sent.Head is { } head)
                {
                    ValueTask taken = head.ReceivedAsync();
                    if (!taken.IsCompletedSuccessfully)
                    {
                        Exception? gone = null;
                        head.IsPaused = true;
                        try
                        {
                            await new Armed(this, taken);
                        }
                        catch (Exception exception)
                        {
                            // The receiver of the rows is gone, so the command need not finish.
                            gone = exception;
                        }

                        Resume(head);
                        if (gone is not null && !IsBroken && ReferenceEquals(_sent.Head, head))
                        {
                            AbandonInLoop(head, gone);
                        }
                    }
                }

                if (result.IsCompleted && !isMoreThere)
                {
                    cause = new PgConnectionException(
                        _lastNotice is { } notice
                            ? $"The server closed the connection. Its last notice: {notice}."
                            : "The server closed the connection without a notice; it may have been ended or have crashed.");
                    break;
                }
            }
        }
        catch (Exception exception)
        {
            cause = exception;
        }

        Break(cause);
        await CloseAsync().ConfigureAwait(true);
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
            Head(BackendMessage.DataRow).RowSkipped(new PgResultTooLargeException(_long.SkippedBytes, _scratch.MaxMessageBytes));
        }

        return message;
    }

    private void TakeRowPiece(ref ReadOnlySequence<byte> unread)
    {
        RoundTrip head = Head(BackendMessage.DataRow);
        if (_long.IsAtStart)
        {
            head.RowBegun(_long.TakeHeader(ref unread));
        }

        foreach (ReadOnlyMemory<byte> piece in _long.TakeRow(ref unread))
        {
            head.RowPieceReceived(piece.Span);
        }
    }

    /// <summary>The caller's time does not count as the command's.</summary>
    private void Resume(RoundTrip roundTrip)
    {
        roundTrip.IsPaused = false;
        roundTrip.BegunTick = Reactor.NowTick();
    }

    /// <summary>Handles each complete message. Stops before lent rows, and before messages for application code that cannot run here.</summary>
    private SequencePosition Process(in ReadOnlySequence<byte> received)
    {
        bool skipsLent = _isLending;
        bool isBlocked = Reactor.IsBlocked;
        bool isHandedOver = false;
        _isLending = false;
        var reader = new MessageReader(received, _scratch);
        SequencePosition before = reader.Consumed;
        try
        {
            while (!IsBroken && reader.TryRead(out byte type, out ReadOnlySpan<byte> body))
            {
                RoundTrip? taker = isHandedOver ? _reading : _sent.Head;
                if (IsForApplication(type, taker))
                {
                    if (isBlocked)
                    {
                        _isCallingOut = true;
                        return before;
                    }

                    if (!isHandedOver)
                    {
                        isHandedOver = true;
                        BeginReading();
                        SynchronizationContext.SetSynchronizationContext(Reactor.SynchronizationContext);
                    }

                    Deliver(type, body, taker);
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
                    SynchronizationContext.SetSynchronizationContext(Reactor.RuntimeContext);
                    EndReading();
                }

                if (type == BackendMessage.DataRow)
                {
                    RoundTrip head = Head(type);
                    if (head.Lent is null)
                    {
                        head.RowReceived(body, _layout);
                    }
                    else if (!skipsLent && !head.IsAbandoned && head.Error is null)
                    {
                        _ = head.Columns ?? throw PgProtocolException.RowWithoutDescription();
                        _isLending = true;
                        return before;
                    }
                }
                else
                {
                    skipsLent = false;
                    Handle(type, body);
                }

                if (isBlocked || _sent.Head is { Lent: not null })
                {
                    before = reader.Consumed;
                }
            }
        }
        finally
        {
            if (isHandedOver)
            {
                SynchronizationContext.SetSynchronizationContext(Reactor.RuntimeContext);
                EndReading();
            }
        }

        return reader.Consumed;
    }

    private void Handle(byte type, ReadOnlySpan<byte> body)
    {
        switch (type)
        {
            case BackendMessage.ReadyForQuery:
                Ready(body);
                break;
            case BackendMessage.BindComplete:
            case BackendMessage.CloseComplete:
            case BackendMessage.ParameterDescription:
                break;
            case BackendMessage.CommandComplete:
                Completed(PgTag.Read(body));
                break;
            case BackendMessage.EmptyQueryResponse:
                Head(type).CommandCompleted(PgTag.Empty);
                break;
            case BackendMessage.ParseComplete:
                Head(type).ParseCompleted();
                break;
            case BackendMessage.RowDescription:
                Head(type).Described(body);
                WriteOn(Head(type));
                break;
            case BackendMessage.NoData:
                Head(type).DescribedEmpty();
                WriteOn(Head(type));
                break;
            case BackendMessage.PortalSuspended:
                Head(type).PortalSuspended();
                break;
            case BackendMessage.ErrorResponse:
                Failed(PgServerMessage.Read(body));
                break;
            case BackendMessage.NoticeResponse:
                Noticed(body);
                break;
            case BackendMessage.ParameterStatus:
                if (_session.TakeParameter(body))
                {
                    SettingChanged();
                }

                break;
            case BackendMessage.NotificationResponse:
                Notified(body);
                break;
            case BackendMessage.CopyInResponse:
                Head(type).CopyInStarted(body);
                break;
            case BackendMessage.CopyOutResponse:
                Head(type).CopyOutStarted(body);
                break;
            case BackendMessage.CopyData:
                Head(type).CopyDataReceived(body);
                break;
            case BackendMessage.CopyDone:
                _ = Head(type);
                break;
            default:
                throw new PgProtocolException($"The server sent a message of the unknown type 0x{type:x2}.");
        }
    }

    private RoundTrip Head(byte type)
        => _sent.Head ?? throw new PgProtocolException($"The server sent a message of type '{(char)type}' that answers nothing.");

    private void Ready(ReadOnlySpan<byte> body)
    {
        RoundTrip roundTrip = Head(BackendMessage.ReadyForQuery);
        byte before = TransactionStatus;
        TransactionStatus = new WireReader(body).ReadByte();
        if (TransactionStatus is not ((byte)'I' or (byte)'T' or (byte)'E'))
        {
            throw new PgProtocolException($"The server reported the unknown transaction status 0x{TransactionStatus:x2}.");
        }

        if (ReferenceEquals(_open, roundTrip))
        {
            if (roundTrip.EndsWithSync)
            {
                throw new PgProtocolException("The server ended a command that was not sent to its end.");
            }

            _open = null;
        }

        _long.Release();
        _sent.Dequeue();
        if (_sent.Head is { } next)
        {
            Begin(next);
        }

        PassReach();
        if (roundTrip is SessionReset reset)
        {
            ResetAnswered(reset);
            return;
        }

        if (!IsLeased)
        {
            roundTrip.Took(Reactor.NowTick() - roundTrip.BegunTick);
        }

        if (roundTrip.Error is PgStrayCancelException && MayRunAgain(roundTrip))
        {
            RunAgain(roundTrip);
        }
        else if (roundTrip.TryEnd(this))
        {
            Uncount(roundTrip);
            _ended.Enqueue(roundTrip);
            _begin = before == (byte)'I' && TransactionStatus == (byte)'T' ? roundTrip.BeginText : null;
        }

        if (TransactionStatus == (byte)'I')
        {
            Statements.PublishChanges();
        }

        if (!IsLeased && TransactionStatus != (byte)'I')
        {
            // Other commands in flight would become part of a transaction that is never ended.
            var error = new PgConnectionException(
                "A command opened a transaction outside a session. Its connection is closed, and the transaction is undone. " +
                $"Use {nameof(PgDataSource)}.{nameof(PgDataSource.OpenSessionAsync)} and {nameof(PgSession)}.{nameof(PgSession.BeginAsync)}.");
            roundTrip.Fail(error);
            throw error;
        }
    }

    private void Completed(PgTag tag)
    {
        RoundTrip head = Head(BackendMessage.CommandComplete);
        if (tag.Command is "DISCARD ALL" or "DEALLOCATE ALL" && (head.Effect & SessionEffect.ForgetsStatements) == 0)
        {
            // Otherwise its text said so, and later commands are parsed again already.
            Statements.Clear();
        }

        switch (tag.Command)
        {
            case "ALTER TABLE" or "ALTER VIEW" or "ALTER TYPE" or "ALTER MATERIALIZED VIEW" or "CREATE VIEW":
                Statements.TablesChanged();
                break;
            case "ROLLBACK":
                Statements.PartUndone();
                break;
        }

        head.CommandCompleted(tag);
    }

    private void Failed(PgServerMessage message)
    {
        PgException error = _sent.Head is { } struck && IsStruck(struck, message) ? new PgStrayCancelException(message) : new PgException(message);
        if (message.IsFatal)
        {
            // The server is about to close. The running command fails with this error; the others have it as the cause.
            _fatal = error;
        }

        if (_sent.Head is { } head)
        {
            // The server skips to a Sync.
            EndFlight(head);
            head.ErrorReceived(error);
        }
        else if (!message.IsFatal)
        {
            throw new PgProtocolException($"The server reported an error that answers nothing: {message}");
        }
    }

    private void Noticed(ReadOnlySpan<byte> body)
    {
        _lastNotice = PgServerMessage.Read(body);
        Pool.DataSource.RaiseNotice(_lastNotice);
    }

    private void Notified(ReadOnlySpan<byte> body)
    {
        var reader = new WireReader(body);
        int processId = reader.ReadInt32();
        string channel = Encoding.UTF8.GetString(reader.ReadCString());
        Listener?.Notified(processId, channel, Encoding.UTF8.GetString(reader.ReadCString()));
    }
}
