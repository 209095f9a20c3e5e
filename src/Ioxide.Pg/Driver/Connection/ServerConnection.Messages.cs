using System.Text;

namespace Ioxide.Pg;

/// <summary>What messages of the server do.</summary>
internal sealed partial class ServerConnection
{
    private PgServerMessage? _lastNotice;

    /// <summary>The error with which the server ends the connection.</summary>
    internal PgException? Fatal { get; private set; }

    /// <summary>Handles a message other than a row.</summary>
    internal void Handle(byte type, ReadOnlySpan<byte> body)
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
                Pipeline.AnsweredBy(type).CommandCompleted(PgTag.Empty);
                break;
            case BackendMessage.ParseComplete:
                Pipeline.AnsweredBy(type).ParseCompleted();
                break;
            case BackendMessage.RowDescription:
                Pipeline.AnsweredBy(type).Described(body);
                Pipeline.WriteOn(Pipeline.AnsweredBy(type));
                break;
            case BackendMessage.NoData:
                Pipeline.AnsweredBy(type).DescribedEmpty();
                Pipeline.WriteOn(Pipeline.AnsweredBy(type));
                break;
            case BackendMessage.PortalSuspended:
                Pipeline.AnsweredBy(type).PortalSuspended();
                break;
            case BackendMessage.ErrorResponse:
                Failed(PgServerMessage.Read(body));
                break;
            case BackendMessage.NoticeResponse:
                Noticed(body);
                break;
            case BackendMessage.ParameterStatus:
                if (Session.TakeParameter(body))
                {
                    State.SettingChanged();
                }

                break;
            case BackendMessage.NotificationResponse:
                Notified(body);
                break;
            case BackendMessage.CopyInResponse:
                Pipeline.AnsweredBy(type).CopyInStarted(body);
                break;
            case BackendMessage.CopyOutResponse:
                Pipeline.AnsweredBy(type).CopyOutStarted(body);
                break;
            case BackendMessage.CopyData:
                Pipeline.AnsweredBy(type).CopyDataReceived(body);
                break;
            case BackendMessage.CopyDone:
                _ = Pipeline.AnsweredBy(type);
                break;
            default:
                throw new PgProtocolException($"The server sent a message of the unknown type 0x{type:x2}.");
        }
    }

    /// <summary>Threads: any, while the loop waits for the call.</summary>
    internal void Noticed(ReadOnlySpan<byte> body)
    {
        _lastNotice = PgServerMessage.Read(body);
        Pool.DataSource.RaiseNotice(_lastNotice);
    }

    /// <summary>The end of the received bytes has come without an error before it.</summary>
    internal PgConnectionException ClosedByServer() => new(
        _lastNotice is { } notice
            ? $"The server closed the connection. Its last notice: {notice}."
            : "The server closed the connection without a notice; it may have been ended or have crashed.");

    private void Ready(ReadOnlySpan<byte> body)
    {
        RoundTrip roundTrip = Pipeline.AnsweredBy(BackendMessage.ReadyForQuery);
        byte before = State.TransactionStatus;
        State.TakeStatus(body);
        roundTrip.StatusBehind = State.TransactionStatus;
        Pipeline.Answered(roundTrip);
        _answers.ReleaseLong();
        Cancels.AdvanceCancelWindow();
        State.EndAnswered(roundTrip);
        if (roundTrip is SessionReset reset)
        {
            State.ResetAnswered(reset);
            return;
        }

        if (!IsLeased)
        {
            roundTrip.Took(Reactor.NowTick() - roundTrip.BegunTick);
        }

        if ((roundTrip.Error is not PgStrayCancelException || !Repeats.TryRunAgain(roundTrip)) && roundTrip.TryEnd(this))
        {
            Pipeline.Uncount(roundTrip);
            _answers.Callers.Add(roundTrip);
            Repeats.Ended(roundTrip, before, State.TransactionStatus);
        }

        if (State.TransactionStatus == (byte)'I')
        {
            Statements.PublishChanges();
        }
        else if (!IsLeased)
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
        RoundTrip oldest = Pipeline.AnsweredBy(BackendMessage.CommandComplete);
        if (tag.Command is "DISCARD ALL" or "DEALLOCATE ALL" && (oldest.Effect & SessionEffect.ForgetsStatements) == 0)
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
            case "COMMIT" when oldest.EndsTransaction && State.TransactionStatus == (byte)'I':
                // The server warns of it (25P01), and has committed nothing.
                oldest.Fail(new InvalidOperationException(
                    "The transaction was not open on the server any more, or was never begun: this commit has committed nothing."));
                break;
        }

        oldest.CommandCompleted(tag);
    }

    private void Failed(PgServerMessage message)
    {
        PgException error = Pipeline.Oldest is { } struck && Cancels.WasHitByStrayCancel(struck, message)
            ? new PgStrayCancelException(message) : new PgException(message);
        if (message.IsFatal)
        {
            // The server is about to close. The running command fails with this error; the others have it as the cause.
            Fatal = error;
        }

        if (Pipeline.Oldest is { } oldest)
        {
            // The server skips to a Sync.
            Pipeline.EndFlight(oldest);
            oldest.ErrorReceived(error);
        }
        else if (!message.IsFatal)
        {
            throw new PgProtocolException($"The server reported an error that answers nothing: {message}");
        }
    }

    private void Notified(ReadOnlySpan<byte> body)
    {
        var reader = new WireReader(body);
        int processId = reader.ReadInt32();
        string channel = Encoding.UTF8.GetString(reader.ReadCString());
        Listener?.Notified(processId, channel, Encoding.UTF8.GetString(reader.ReadCString()));
    }
}
