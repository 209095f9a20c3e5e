namespace Ioxide.Pg;

/// <summary>The stage of a round trip.</summary>
internal enum RoundTripStage
{
    /// <summary>In the object pool of its kind, or newly created.</summary>
    Idle,

    /// <summary>In a queue for a connection.</summary>
    Waiting,

    /// <summary>Its messages are written; the answer is awaited.</summary>
    Sent,

    /// <summary>The answer has arrived, or none will come.</summary>
    Ended,
}

/// <summary>How what a round trip has written ends.</summary>
internal enum FlightEnd
{
    /// <summary>It is a simple query, which needs no Sync.</summary>
    Query,

    /// <summary>Complete: a Sync follows.</summary>
    Sync,

    /// <summary>The server describes a statement first, then the rest is written: a Flush follows, and nothing of others.</summary>
    Columns,

    /// <summary>A Sync would end the portal; it follows when there are no more rows. Until then a Flush, and nothing of others.</summary>
    Portal,

    /// <summary>
    /// The caller's data follows, and the server would take anything else for it: nothing of others is sent until
    /// <see cref="CommandPipeline.UnblockFollowers"/>.
    /// </summary>
    Data,
}

/// <summary>Messages that end with one Sync, and the handling of the answer up to its ReadyForQuery.</summary>
/// <remarks>
/// <para>Stages: idle, waiting, sent (in its connection's first-in, first-out queue), ended. A command that has to be sent again returns
/// from sent to waiting; its caller does not notice.</para>
/// <para>The caller's wait can end earlier (<see cref="IsAbandoned"/>): the answer is then read and dropped.</para>
/// <para>Threads: the reactor's, unless a member says otherwise.</para>
/// </remarks>
internal abstract class RoundTrip
{
    /// <summary>The next round trip of its queue. A round trip is in one queue at most.</summary>
    internal RoundTrip? Next { get; set; }

    internal RoundTripStage Stage { get; set; }

    /// <summary>The connection that it was sent on.</summary>
    internal ServerConnection? Connection { get; set; }

    /// <summary>The time limit from when the server begins with it; zero or less means no limit.</summary>
    internal TimeSpan Timeout { get; set; }

    /// <summary>The time limit is one of each wait for the server, not of the whole command: an answer that keeps coming has all the time.</summary>
    internal virtual bool LimitsEachWait => false;

    /// <summary>The tick at which it became the connection's oldest.</summary>
    internal long BegunTick { get; set; }

    /// <summary>The tick at which it entered the wait queue.</summary>
    internal long QueuedTick { get; set; }

    /// <summary>Its caller has been answered already.</summary>
    internal bool IsAbandoned { get; set; }

    /// <summary>Why it fails; the first cause wins.</summary>
    internal Exception? Error { get; private set; }

    /// <summary>The server was asked to cancel it, so that 57014 is an answer to that.</summary>
    internal bool IsCancelRequested { get; set; }

    /// <summary>Its owner wants it cancelled as soon as the server begins with it.</summary>
    internal bool IsCancelWanted { get; set; }

    /// <summary>It was already sent again once.</summary>
    internal bool IsRepeated { get; set; }

    /// <summary>How often it was run again because the cancel request of another command had ended it.</summary>
    internal int StrayCancels { get; set; }

    /// <summary>Whether it may be sent again: no rows went to the caller that cannot be taken back.</summary>
    internal virtual bool CanRepeat => true;

    /// <summary>Outside a transaction a failure leaves no effects: it does not commit on its own.</summary>
    internal virtual bool IsUndoneByItsError => false;

    /// <summary>A CancelRequest may be the cause of its error 57014.</summary>
    internal virtual bool MayBeStruck => true;

    /// <summary>Some of its rows went to the caller.</summary>
    internal bool HasGivenRows { get; set; }

    /// <summary>The effect that it may have on its session.</summary>
    internal virtual SessionEffect Effect => SessionEffect.None;

    /// <summary>It may take long: commands of other callers should not be queued behind it.</summary>
    internal virtual bool MayTakeLong => (Effect & SessionEffect.Waits) != 0;

    /// <summary>It counts among its connection's commands that may take long.</summary>
    internal bool IsCountedAsLong { get; set; }

    /// <summary>Reads the received rows in the buffer; or null.</summary>
    internal virtual LentRows? Lent => null;

    /// <summary>Its rows go to application code: a row reader, or a writer.</summary>
    internal virtual bool RunsUserCode => false;

    /// <summary>There is received data for <see cref="DeliverRows"/> to report.</summary>
    internal virtual bool HasUndeliveredRows => false;

    /// <summary>The columns of its rows, once they are known.</summary>
    internal virtual ResultColumns? Columns => null;

    /// <summary>Its caller is busy: the command's clock is paused.</summary>
    internal bool IsPaused { get; set; }

    /// <summary>
    /// Writes the messages up to the Sync. Behind <see cref="FlightEnd.Columns"/> it is called again when they are known, and writes the rest.
    /// </summary>
    internal abstract FlightEnd Write(ServerConnection connection);

    /// <summary>Its messages end with a Sync, even when it is cut short.</summary>
    internal virtual bool EndsWithSync => true;

    /// <summary>Some of its commands are written. Where a later one cannot be, the server must not commit them.</summary>
    internal virtual bool HasWrittenCommands => false;

    /// <summary>It waits for its caller, and is abandoned when the session is disposed.</summary>
    internal virtual bool EndsWithSession => false;

    /// <summary>Its caller has stopped waiting, and it must not wait for its caller. True: it ends without a cancel request.</summary>
    internal virtual bool TryEndByItself() => false;

    /// <summary>Its messages may go out in pieces, with a Flush between them.</summary>
    internal virtual bool MayHoldOpen(StatementTable statements) => false;

    internal void Fail(Exception error) => Error ??= error;

    private protected void ClearError() => Error = null;

    /// <summary>Clears the failure and the received data, before it is sent again.</summary>
    internal virtual void Restart()
    {
        Stage = RoundTripStage.Waiting;
        Error = null;
        StatusBehind = 0;
        IsRepeated = true;
    }

    internal virtual void ParseCompleted()
    {
    }

    /// <summary>The columns of the rows that follow.</summary>
    internal virtual void Described(ReadOnlySpan<byte> body)
    {
    }

    /// <summary>The statement returns no rows.</summary>
    internal virtual void DescribedEmpty()
    {
    }

    /// <summary>One row. An exception fails this round trip only.</summary>
    internal virtual void RowReceived(ReadOnlySpan<byte> body, RowLayout layout)
    {
    }

    /// <summary>It receives a row above 1 MiB in pieces: <see cref="RowBegun"/>, then <see cref="RowPieceReceived"/> to the row's end.</summary>
    internal virtual bool TakesRowPieces => false;

    /// <summary>A row in pieces begins.</summary>
    internal virtual void RowBegun(int lengthBytes)
    {
    }

    /// <summary>A piece of such a row arrived.</summary>
    internal virtual void RowPieceReceived(ReadOnlySpan<byte> piece)
    {
    }

    /// <summary>A row was longer than the limit, and is dropped.</summary>
    internal virtual void RowSkipped(Exception error) => Fail(error);

    /// <summary>The text of the BEGIN if it ran a BEGIN alone; or null.</summary>
    internal virtual byte[]? BeginText => null;

    /// <summary>It sends a BEGIN before everything else.</summary>
    internal virtual bool BeginsTransaction => false;

    /// <summary>It is the COMMIT or ROLLBACK of a transaction, whose owner takes it for the end unless <see cref="LeavesTransaction"/>.</summary>
    internal virtual bool EndsTransaction => false;

    /// <summary>
    /// The end of a transaction has not ended it: it was not written, or the server has answered that the transaction is still open. One that was
    /// written and given up leaves none. Known when the caller is answered.
    /// </summary>
    internal bool LeavesTransaction { get; private protected set; }

    /// <summary>The status of the transaction that the server reported with the answer; 0 before that.</summary>
    internal byte StatusBehind { get; set; }

    /// <summary>Reports how long the server worked on it. Called only if the server alone took the time.</summary>
    internal virtual void Took(long milliseconds)
    {
    }

    internal virtual void CommandCompleted(PgTag tag)
    {
    }

    internal virtual void PortalSuspended()
    {
    }

    /// <summary>The server reported an error; it skips to the Sync.</summary>
    internal virtual void ErrorReceived(PgException error) => Fail(error);

    /// <summary>The server waits for data, and takes the Sync and all later messages for data: the connection cannot be kept.</summary>
    internal virtual void CopyInStarted(ReadOnlySpan<byte> body)
    {
        // Nothing was written, and a repetition fails likewise.
        Fail(new NotSupportedException($"COPY ... FROM STDIN is run by a method of {nameof(PgSession)}. The connection is closed."));
        throw new PgConnectionException("The server waits for the data of a COPY, and this command sends none. Use the methods for COPY.");
    }

    internal virtual void CopyOutStarted(ReadOnlySpan<byte> body)
        => Fail(new NotSupportedException($"COPY ... TO STDOUT is run by a method of {nameof(PgSession)}."));

    internal virtual void CopyDataReceived(ReadOnlySpan<byte> body)
    {
    }

    /// <summary>Passes on the data received so far; the connection reads no further until it completes.</summary>
    internal virtual ValueTask ReceivedAsync() => default;

    /// <summary>Resumes the waiter for received data. Called last, because it runs application code. May have nothing to report.</summary>
    internal virtual void DeliverRows()
    {
    }

    /// <summary>ReadyForQuery. False: it was submitted again, and waits.</summary>
    internal virtual bool TryEnd(ServerConnection connection) => true;

    /// <summary>Completes the caller's await. Called once per round trip, last, because it runs application code.</summary>
    internal abstract void Complete();

    /// <summary>The protocol is done with it. Until then the object must not be used for another command.</summary>
    internal virtual void Release() => Stage = RoundTripStage.Ended;

    /// <summary>Completes it where the protocol is done with it already.</summary>
    internal void CompleteAndRelease()
    {
        Complete();
        Release();
    }

    /// <summary>The same from the reactor's queue: the caller's code may block on the next round trip.</summary>
    internal void CompleteLater(Reactor reactor)
    {
        if (!reactor.TryEnqueue(this, static roundTrip => roundTrip.CompleteAndRelease()))
        {
            CompleteAndRelease();
        }
    }

    /// <summary>Fails it without an answer.</summary>
    internal void Refuse(Exception reason)
    {
        Fail(reason);
        CompleteAndRelease();
    }
}
