namespace Ioxide.Pg;

/// <summary>Where an operation is on its way.</summary>
internal enum OperationStage
{
    /// <summary>In the pool of its kind, or just made.</summary>
    Idle,

    /// <summary>In a queue for a connection.</summary>
    Waiting,

    /// <summary>Its messages are written; the answer is awaited.</summary>
    Sent,

    /// <summary>The answer is there, or none will come.</summary>
    Ended,
}

/// <summary>Messages that end with one Sync, and what becomes of the answer up to its ReadyForQuery.</summary>
/// <remarks>
/// <para>Stages: idle, waiting, sent (in the first-in, first-out queue of its connection), ended. A command that the server has to see
/// again goes from sent back to waiting; its caller does not notice.</para>
/// <para>What its caller waits for can be over before (<see cref="IsAbandoned"/>): the answer is then read and dropped.</para>
/// <para>Threads: the reactor's, but for what is said of a member.</para>
/// </remarks>
internal abstract class Operation
{
    /// <summary>The next one in the queue that it stands in; it stands in one at most.</summary>
    internal Operation? Next { get; set; }

    internal OperationStage Stage { get; set; }

    /// <summary>The connection whose queue it stands in, once it is sent.</summary>
    internal ServerConnection? Connection { get; set; }

    /// <summary>What the server may take from when it begins with it; zero or less is no limit.</summary>
    internal TimeSpan Timeout { get; set; }

    /// <summary>The tick at which it became the connection's oldest.</summary>
    internal long BegunTick { get; set; }

    /// <summary>The tick at which it came into the wait queue.</summary>
    internal long QueuedTick { get; set; }

    /// <summary>Its caller has its answer already.</summary>
    internal bool IsAbandoned { get; set; }

    /// <summary>Why it fails; the first cause stays.</summary>
    internal Exception? Error { get; private set; }

    /// <summary>The server was asked to cancel it, so that 57014 is an answer to that.</summary>
    internal bool IsCancelRequested { get; set; }

    /// <summary>It was sent again once already.</summary>
    internal bool IsRepeated { get; set; }

    /// <summary>How often it was run again because the cancel of another command had ended it.</summary>
    internal int Strikes { get; set; }

    /// <summary>Rows that went to the caller cannot be taken back.</summary>
    internal virtual bool CanRepeat => true;

    /// <summary>Outside a transaction its failure leaves nothing: it does not commit by itself.</summary>
    internal virtual bool IsUndoneByItsError => false;

    /// <summary>An error 57014 of it may come of a CancelRequest.</summary>
    internal virtual bool MayBeStruck => true;

    /// <summary>Rows of it went to the caller.</summary>
    internal bool HasGivenRows { get; set; }

    /// <summary>What it may do to the session that runs it.</summary>
    internal virtual SessionEffect Effect => SessionEffect.None;

    /// <summary>Commands of others should not stand behind it.</summary>
    internal virtual bool MayTakeLong => (Effect & SessionEffect.Waits) != 0;

    /// <summary>It counts among its connection's commands that may take long.</summary>
    internal bool IsCountedAsLong { get; set; }

    /// <summary>Takes the received rows as they lie in the buffer; or null.</summary>
    internal virtual IRowLender? Lent => null;

    /// <summary>What it receives goes to code of the application: a reader of rows, or a writer.</summary>
    internal virtual bool RunsUserCode => false;

    /// <summary>Something was received that <see cref="TellReceived"/> tells.</summary>
    internal virtual bool HasNews => false;

    /// <summary>The columns of its rows, once they are known.</summary>
    internal virtual ResultColumns? Columns => null;

    /// <summary>Its caller is at work: the clock of the command stands still.</summary>
    internal bool IsPaused { get; set; }

    /// <summary>
    /// Writes the messages up to the Sync. What waits for columns (<see cref="ServerConnection.AwaitColumns"/>) is called again when they
    /// are there, and writes the rest.
    /// </summary>
    internal abstract void Write(ServerConnection connection);

    /// <summary>Its flight ends with a Sync, also where it is cut short.</summary>
    internal virtual bool EndsWithSync => true;

    /// <summary>It waits for its caller, and is given up where the session is disposed.</summary>
    internal virtual bool EndsWithSession => false;

    /// <summary>Its caller waits no longer, and it waits for its caller no longer. True: it ends without a cancel request.</summary>
    internal virtual bool TryEndByItself() => false;

    /// <summary>Its flight may go out in pieces, with a Flush between them.</summary>
    internal virtual bool MayHoldOpen(StatementTable statements) => false;

    internal void Fail(Exception error) => Error ??= error;

    private protected void ClearError() => Error = null;

    /// <summary>Forgets the failure and what was received, to be sent again.</summary>
    internal virtual void Restart()
    {
        Error = null;
        IsRepeated = true;
    }

    internal virtual void ParseCompleted()
    {
    }

    /// <summary>The columns of what follows.</summary>
    internal virtual void Described(ReadOnlySpan<byte> body)
    {
    }

    /// <summary>The statement returns no rows.</summary>
    internal virtual void DescribedEmpty()
    {
    }

    /// <summary>One row. What it throws fails this operation alone.</summary>
    internal virtual void RowReceived(ReadOnlySpan<byte> body, RowLayout layout)
    {
    }

    /// <summary>A row above 64 KiB goes to it in pieces: <see cref="RowBegun"/>, then <see cref="RowPieceReceived"/> to the row's end.</summary>
    internal virtual bool TakesRowPieces => false;

    /// <summary>The first of a row that comes in pieces.</summary>
    internal virtual void RowBegun(int lengthBytes)
    {
    }

    /// <summary>What arrived of such a row.</summary>
    internal virtual void RowPieceReceived(ReadOnlySpan<byte> piece)
    {
    }

    /// <summary>A row was longer than the limit, and is dropped.</summary>
    internal virtual void RowSkipped(Exception error) => Fail(error);

    /// <summary>The text of a BEGIN with nothing behind it, where that is what it ran; or null.</summary>
    internal virtual byte[]? BeginText => null;

    /// <summary>A BEGIN stands in front of all else that it sends.</summary>
    internal virtual bool BeginsTransaction => false;

    /// <summary>The server was at work with it for so long. Called where nothing but the server took time.</summary>
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

    /// <summary>The server waits for data, and takes the Sync and what others sent behind it for such: the connection cannot be kept.</summary>
    internal virtual void CopyInStarted(ReadOnlySpan<byte> body)
        => throw new PgConnectionException($"COPY ... FROM STDIN is run by a method of {nameof(PgSession)}. The connection is closed.");

    internal virtual void CopyOutStarted(ReadOnlySpan<byte> body)
        => Fail(new NotSupportedException($"COPY ... TO STDOUT is run by a method of {nameof(PgSession)}."));

    internal virtual void CopyDataReceived(ReadOnlySpan<byte> body)
    {
    }

    /// <summary>What was received so far is handed on; the connection reads no further until it returns.</summary>
    internal virtual ValueTask ReceivedAsync() => default;

    /// <summary>Resumes who waits for what was received. Called last, because it runs application code; may be called in vain.</summary>
    internal virtual void TellReceived()
    {
    }

    /// <summary>ReadyForQuery. False: it goes back to waiting, and was submitted again.</summary>
    internal virtual bool TryEnd(ServerConnection connection) => true;

    /// <summary>Tells the caller. Called once an operation, last, because it runs application code.</summary>
    internal abstract void Complete();

    /// <summary>The protocol is done with it. Before, the object must not be used for another command.</summary>
    internal abstract void Release();
}
