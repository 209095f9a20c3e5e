using System.Diagnostics;
using System.IO.Pipelines;
using Ioxide.Pg.Data;

namespace Ioxide.Pg;

/// <summary>One connection to a server: sending, the order of answers, and closing.</summary>
/// <remarks>
/// <para>Commands are pipelined: each is written when it comes, and is queued until its ReadyForQuery. All that one turn of the reactor
/// writes goes out in one send. The receive stays armed on an idle connection, so that its end is detected at once.</para>
/// <para>Nothing is written while the transport is full, and while a command is being cancelled: the request strikes whatever runs.</para>
/// <para>It has 48 fields: sending, receiving, cancelling and the session are one protocol state, a part of the type each.</para>
/// <para>Threads: the reactor's.</para>
/// </remarks>
internal sealed partial class ServerConnection
{
    // Linux counts to 2^22, others less. PgBouncer, Odyssey and PgCat send random numbers, by which they find a client's cancel request.
    private const int MaxProcessId = 1 << 22;

    private readonly PipeReader _input;
    private readonly StartedSession _session;
    private readonly MessageScratch _scratch;
    private readonly CommandClock _clock;
    private RoundTripQueue _sent;
    private RoundTripQueue _waiting;
    private bool _isFlushScheduled;
    private bool _isFull;

    // Its Sync is still to come: messages of others would become part of it.
    private RoundTrip? _open;
    private bool _isAwaitingColumns;
    private bool _isDescribed;
    private Task _room = Task.CompletedTask;
    private bool _isTerminating;

    // The BEGIN of the transaction, while nothing else has run in it.
    private byte[]? _begin;

    internal ServerConnection(ReactorPool pool, RingConnection transport, StartedSession session, ServerEndpoint endpoint)
    {
        Pool = pool;
        Transport = transport;
        Endpoint = endpoint;
        _session = session;
        _input = session.Input;
        Output = session.Output;
        _scratch = new MessageScratch(pool.Options.MaxMessageBytes, passesRows: true);
        _long = new LongMessage(_scratch);
        _clock = new CommandClock(this);
        Statements = new StatementTable(this, pool.DataSource.Columns, pool.DataSource.Poolers, pool.Options.MaxPreparedPerConnection);
        IdleSinceTick = Reactor.NowTick();
        RetireTick = RetireTickOf(pool.Options.ConnectionLifetime, IdleSinceTick);
    }

    internal ReactorPool Pool { get; }

    internal Reactor Reactor => Pool.Reactor;

    internal RingConnection Transport { get; }

    /// <summary>The server that it is connected to.</summary>
    internal ServerEndpoint Endpoint { get; }

    internal PipeWriter Output { get; }

    internal StatementTable Statements { get; }

    internal SpareRoundTrips SpareRoundTrips { get; } = new();

    /// <summary>The settings that the server reported.</summary>
    internal IReadOnlyDictionary<string, string> ServerParameters => _session.Parameters;

    /// <inheritdoc cref="StartedSession.HasEscapes"/>
    internal bool HasEscapes => _session.HasEscapes;

    internal int ProcessId => _session.ProcessId;

    /// <summary>It leads through a pooler: the reported process number is none that a kernel gives.</summary>
    internal bool IsPooled => ProcessId is < 0 or > MaxProcessId;

    /// <summary>
    /// PgBouncer releases the server's session with the last ReadyForQuery that a Sync asked for, and loses later messages that
    /// have no Sync of their own. So a round trip in pieces waits until nothing else is in flight.
    /// </summary>
    private bool MustBeAlone(RoundTrip roundTrip)
        => _sent.Count > 0 && (IsPooled || Pool.Options.Pooler != PgPooler.None) && roundTrip.MayHoldOpen(Statements);

    /// <summary>I: no transaction; T: in one; E: in one that failed.</summary>
    internal byte TransactionStatus { get; private set; } = (byte)'I';

    /// <summary>Commands that are sent or waiting.</summary>
    internal int Pending => _sent.Count + _waiting.Count;

    internal bool IsBroken { get; private set; }

    /// <summary>It is leased to a session.</summary>
    internal bool IsLeased { get; set; }

    /// <summary>It was returned, and takes no user until its running commands are answered and reset.</summary>
    internal bool IsReturning { get; set; }

    /// <summary>The tick after which it is replaced when idle.</summary>
    internal long RetireTick { get; set; }

    internal long IdleSinceTick { get; set; }

    /// <summary>Application code takes received data, and may block: nothing more is read until it returns.</summary>
    internal bool IsHeldUp { get; private set; }

    /// <summary>Receives notifications.</summary>
    internal PgListener? Listener { get; set; }

    private bool MayWrite => !_isFull && !IsCancelling && !IsResetInReach && _open is null;

    /// <summary>Sends the command now, or as soon as it may be sent.</summary>
    internal void Send(RoundTrip roundTrip)
    {
        if (IsBroken)
        {
            roundTrip.Connection = this;
            Pool.Return(roundTrip, LostError());
            return;
        }

        Count(roundTrip);
        if (!MayWrite || _waiting.Count > 0 || MustBeAlone(roundTrip))
        {
            roundTrip.Stage = RoundTripStage.Waiting;
            roundTrip.Connection = this;
            _waiting.Enqueue(roundTrip);
            return;
        }

        Write(roundTrip);
    }

    /// <summary>Sends a command again, before any that came later.</summary>
    internal void Resubmit(RoundTrip roundTrip)
    {
        if (roundTrip.IsAbandoned)
        {
            Uncount(roundTrip);
            roundTrip.Release();
        }
        else if (IsBroken)
        {
            ReturnLater(roundTrip);
        }
        else if (MayWrite && !MustBeAlone(roundTrip))
        {
            Write(roundTrip);
        }
        else
        {
            roundTrip.Stage = RoundTripStage.Waiting;
            _waiting.EnqueueFirst(roundTrip);
        }
    }

    /// <summary>Ends what a round trip wrote.</summary>
    private void WriteSync()
    {
        _open = null;
        _isAwaitingColumns = _isDescribed = false;
        MessageWriter.WriteSync(Output);
    }

    /// <summary>The round trip writes nothing more: commands that came meanwhile are sent.</summary>
    internal void LetFollow(RoundTrip roundTrip)
    {
        if (ReferenceEquals(_open, roundTrip))
        {
            _open = null;
        }

        ScheduleFlush();
        SendWaiting();
    }

    /// <summary>Writes the Sync of a round trip that was held open; does nothing for another.</summary>
    internal void EndFlight(RoundTrip roundTrip)
    {
        if (!ReferenceEquals(_open, roundTrip))
        {
            return;
        }

        if (roundTrip.EndsWithSync)
        {
            WriteSync();
            ScheduleFlush();
        }
        else
        {
            _open = null;
        }
    }

    /// <summary>Sends written messages at the end of the turn, all in one send.</summary>
    internal void ScheduleFlush()
    {
        if (!_isFlushScheduled)
        {
            _isFlushScheduled = true;
            Reactor.Enqueue(this, static connection => connection.Flush());
        }
    }

    /// <summary>Sends written messages now, and waits while the transport is full.</summary>
    internal ValueTask FlushAsync()
    {
        Flush();
        return _isFull ? new ValueTask(_room) : default;
    }

    /// <summary>Removes a command that is not yet sent. False: it was sent.</summary>
    internal bool TryWithdraw(RoundTrip roundTrip)
    {
        if (!_waiting.Remove(roundTrip))
        {
            return false;
        }

        Uncount(roundTrip);
        return true;
    }

    /// <summary>Whether a failed command may be sent again automatically, because nothing else would notice.</summary>
    internal bool MayRepeat(RoundTrip roundTrip)
        => !roundTrip.IsRepeated && !roundTrip.IsAbandoned && roundTrip.CanRepeat && TransactionStatus == (byte)'I' && !IsBroken
            && (!IsLeased || _sent.Count == 0); // In a session it must not come after what was started later.

    /// <summary>
    /// Sends a command again whose statement has to be parsed again, where nothing else would notice. Inside a transaction that holds only
    /// while nothing but BEGIN has run: the transaction is then begun again.
    /// </summary>
    /// <returns>False: the command finally failed.</returns>
    internal bool TryRepeat(RoundTrip roundTrip, PgException error)
    {
        if (MayRepeat(roundTrip))
        {
            roundTrip.Restart();
            Resubmit(roundTrip);
            return true;
        }

        bool mayBegin = roundTrip.BeginsTransaction || _begin is not null;
        if (TransactionStatus == (byte)'E' && mayBegin && !roundTrip.IsRepeated && !roundTrip.IsAbandoned && roundTrip.CanRepeat && _sent.Count == 0)
        {
            roundTrip.Restart();
            var begin = new BeginAgain(roundTrip.BeginsTransaction ? null : _begin, Pool.Options.CommandTimeout);
            if (MayWrite)
            {
                Write(begin);
                Resubmit(roundTrip);
            }
            else
            {
                roundTrip.Stage = begin.Stage = RoundTripStage.Waiting;
                begin.Connection = this;
                _waiting.EnqueueFirst(roundTrip);
                _waiting.EnqueueFirst(begin);
            }

            return true;
        }

        if (error.IsResultChanged && TransactionStatus == (byte)'E')
        {
            error.Advice = "The columns of the statement have changed since it was prepared (ALTER TABLE), after the transaction had begun its " +
                "work. Run the transaction again: its statements are prepared anew.";
        }

        return false;
    }

    /// <summary>Sends Terminate and closes, after the sent commands are answered. Resets are not waited for: the session ends anyway.</summary>
    internal void Terminate()
    {
        _isTerminating = true;
        if (!IsBroken && HasResetsOnly())
        {
            MessageWriter.WriteTerminate(Output);
            Flush();
            Break(new PgConnectionException("The connection was closed by this side."));
        }
    }

    /// <summary>Starts to read answers.</summary>
    internal void Start()
    {
        Debug.Assert(SynchronizationContext.Current == Reactor.RuntimeContext);
        _ = RunAsync();
    }

    /// <summary>Up to a tenth earlier, so that connections that were opened together do not end together.</summary>
    private static long RetireTickOf(TimeSpan lifetime, long nowTick)
    {
        if (lifetime <= TimeSpan.Zero)
        {
            return long.MaxValue;
        }

#pragma warning disable CA5394 // The jitter guards nothing.
        return nowTick + (long)(lifetime.TotalMilliseconds * (0.9 + (Random.Shared.NextDouble() / 10)));
#pragma warning restore CA5394
    }

    /// <summary>Writes the round trip's messages, or the rest of them where it is sent already.</summary>
    private void Write(RoundTrip roundTrip)
    {
        bool isBegun = roundTrip.Stage == RoundTripStage.Sent;
        if (!isBegun)
        {
            roundTrip.Connection = this;
            roundTrip.Stage = RoundTripStage.Sent;
            bool isHead = _sent.Head is null;
            _sent.Enqueue(roundTrip);
            if (isHead)
            {
                Begin(roundTrip);
            }
        }

        try
        {
            End(roundTrip.Write(this), roundTrip);
        }
        catch (Exception exception)
        {
            // A value that cannot be written fails its own command only. A Sync ends what it has written.
            roundTrip.Fail(exception);
            WriteSync();
        }

        ScheduleFlush();
        if (!isBegun)
        {
            NoteEffect(roundTrip.Effect);
        }
    }

    private void End(FlightEnd end, RoundTrip roundTrip)
    {
        switch (end)
        {
            case FlightEnd.Sync:
                WriteSync();
                break;
            case FlightEnd.Columns or FlightEnd.Portal:
                MessageWriter.WriteFlush(Output);
                _open = roundTrip;
                _isAwaitingColumns = end == FlightEnd.Columns;
                break;
            case FlightEnd.Data:
                _open = roundTrip;
                break;
        }
    }

    /// <summary>The statement that the round trip waited for is described: it continues to write, unless its caller is gone.</summary>
    private void WriteOn(RoundTrip roundTrip)
    {
        if (!_isAwaitingColumns || !ReferenceEquals(_open, roundTrip))
        {
            return;
        }

        if (roundTrip.IsAbandoned || roundTrip.Error is not null)
        {
            EndFlight(roundTrip);
            return;
        }

        if (_isRequestingCancel && !roundTrip.IsCancelRequested)
        {
            // The request is for another command, and would strike whatever runs when it arrives.
            _isDescribed = true;
            return;
        }

        _open = null;
        _isAwaitingColumns = _isDescribed = false;
        Write(roundTrip);
    }

    private void Begin(RoundTrip roundTrip)
    {
        roundTrip.BegunTick = Reactor.NowTick();
        _clock.Watch(roundTrip);
    }

    private void Flush()
    {
        _isFlushScheduled = false;
        if (IsBroken || _isFull)
        {
            return;
        }

        ValueTask<FlushResult> flush = Output.FlushAsync();
        if (flush.IsCompletedSuccessfully)
        {
            _ = flush.Result;
            return;
        }

        _isFull = true;
        Debug.Assert(SynchronizationContext.Current == Reactor.RuntimeContext);
        _room = WaitForRoomAsync(flush);
    }

    private async Task WaitForRoomAsync(ValueTask<FlushResult> flush)
    {
        try
        {
            await flush.ConfigureAwait(true);
        }
        catch (Exception exception)
        {
            Break(exception);
            return;
        }

        _isFull = false;
        if (_isFlushScheduled || Output is { CanGetUnflushedBytes: true, UnflushedBytes: > 0 })
        {
            Flush();
        }

        SendWaiting();
    }

    private void SendWaiting()
    {
        while (!IsBroken && MayWrite && _waiting.Head is { } roundTrip && !MustBeAlone(roundTrip))
        {
            _waiting.Dequeue();
            if (roundTrip.IsAbandoned)
            {
                Uncount(roundTrip);
                roundTrip.Release();
            }
            else
            {
                Write(roundTrip);
            }
        }
    }
}
