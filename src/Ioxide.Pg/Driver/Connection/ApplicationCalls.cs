using System.Buffers;

namespace Ioxide.Pg;

/// <summary>Calls of application code with what was received: rows go to a reader, COPY data to a writer, notices to a handler.</summary>
/// <remarks>
/// <para>Readers run in the middle of the received bytes, and may block. While one does, this connection reads nothing, the pool gives it no
/// further commands (<see cref="IsRunningUserCode"/>), and its command is neither abandoned nor failed until the reader returns. If the
/// reactor is blocked already, the rows are read on the thread pool, and the loop waits for that.</para>
/// <para>Threads: the reactor's; <see cref="Deliver"/> also the thread pool's.</para>
/// </remarks>
internal sealed class ApplicationCalls(ServerConnection connection, AnsweredCallers callers, RowLayout layout, MessageScratch scratch)
{
    private Exception? _abandonReason;
    private long _blockedWaitsBefore;

    /// <summary>The round trip whose rows application code reads now, on this thread or on the pool.</summary>
    internal RoundTrip? Reading { get; private set; }

    /// <summary>Application code takes received data, and may block: nothing more is read until it returns.</summary>
    internal bool IsRunningUserCode { get; private set; }

    /// <summary>Whether a message goes to application code.</summary>
    internal bool Takes(byte type, RoundTrip? taker) => type switch
    {
        BackendMessage.DataRow or BackendMessage.CopyData
            => taker is { RunsUserCode: true, IsAbandoned: false, Error: null } && _abandonReason is null,
        BackendMessage.NoticeResponse => connection.Pool.DataSource.HasNoticeHandler,
        _ => false,
    };

    internal void Deliver(byte type, ReadOnlySpan<byte> body, RoundTrip? taker)
    {
        switch (type)
        {
            case BackendMessage.DataRow:
                taker!.RowReceived(body, layout);
                break;
            case BackendMessage.CopyData:
                taker!.CopyDataReceived(body);
                break;
            default:
                connection.Noticed(body);
                break;
        }

        if (connection.Reactor.HasEnded)
        {
            throw new PgConnectionException("The reactor has ended while the application was reading.");
        }
    }

    internal void Begin()
    {
        Reading = connection.Pipeline.Oldest;
        IsRunningUserCode = true;
        _blockedWaitsBefore = connection.Reactor.Blocked.Count;
    }

    /// <summary>The reader has returned. Handles what happened to its command meanwhile.</summary>
    internal void End()
    {
        IsRunningUserCode = false;
        if (Reading is not { } read)
        {
            return;
        }

        Reading = null;
        Exception? reason = _abandonReason;
        _abandonReason = null;
        if (connection.Reactor.Blocked.Count != _blockedWaitsBefore)
        {
            // The reader's time does not count as the command's.
            read.BegunTick = connection.Reactor.NowTick();
        }

        if (connection.IsBroken)
        {
            read.Fail(reason ?? connection.SentError());
            read.CompleteLater(connection.Reactor);
        }
        else if (reason is not null)
        {
            callers.Abandon(read, reason);
        }
    }

    /// <summary>
    /// Puts off that a command is abandoned while its reader still uses what the caller would get back. False: nothing reads it.
    /// </summary>
    internal bool TryPutOff(RoundTrip abandoned, Exception reason)
    {
        if (!ReferenceEquals(abandoned, Reading))
        {
            return false;
        }

        _abandonReason ??= reason;
        return true;
    }

    /// <summary>
    /// A blocked reactor does not run application code: the thread pool reads the received rows instead. <see cref="End"/> follows.
    /// </summary>
    /// <returns>The position up to which the bytes were consumed.</returns>
    internal Task<SequencePosition> BeginElsewhere(ReadOnlySequence<byte> received)
    {
        Begin();
        _blockedWaitsBefore = -1;
        return Task.Run(() => TakeElsewhere(received, Reading));
    }

    private SequencePosition TakeElsewhere(in ReadOnlySequence<byte> received, RoundTrip? taker)
    {
        var reader = new MessageReader(received, scratch);
        SequencePosition taken = reader.Consumed;
        while (!connection.IsBroken && reader.TryRead(out byte type, out ReadOnlySpan<byte> body) && Takes(type, taker))
        {
            Deliver(type, body, taker);
            taken = reader.Consumed;
        }

        return taken;
    }
}
