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
    private OperationQueue _sent;
    private OperationQueue _waiting;
    private bool _isFlushScheduled;
    private bool _isFull;

    // Its Sync is still to come: messages of others would become part of it.
    private Operation? _open;
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

    internal SpareOperations SpareOperations { get; } = new();

    /// <summary>The settings that the server reported.</summary>
    internal IReadOnlyDictionary<string, string> ServerParameters => _session.Parameters;

    /// <inheritdoc cref="StartedSession.HasEscapes"/>
    internal bool HasEscapes => _session.HasEscapes;

    internal int ProcessId => _session.ProcessId;

    /// <summary>It leads through a pooler: the reported process number is none that a kernel gives.</summary>
    internal bool IsPooled => ProcessId is < 0 or > MaxProcessId;

    /// <summary>
    /// PgBouncer releases the server's session with the last ReadyForQuery that a Sync asked for, and loses later messages that
    /// have no Sync of their own. So an operation in pieces waits until nothing else is in flight.
    /// </summary>
    private bool MustBeAlone(Operation operation)
        => _sent.Count > 0 && (IsPooled || Pool.Options.Pooler != PgPooler.None) && operation.MayHoldOpen(Statements);

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
    internal void Send(Operation operation)
    {
        if (IsBroken)
        {
            operation.Connection = this;
            Pool.Return(operation, LostError());
            return;
        }

        Count(operation);
        if (!MayWrite || _waiting.Count > 0 || MustBeAlone(operation))
        {
            operation.Stage = OperationStage.Waiting;
            operation.Connection = this;
            _waiting.Enqueue(operation);
            return;
        }

        Write(operation);
    }

    /// <summary>Sends a command again, before any that came later.</summary>
    internal void Resubmit(Operation operation)
    {
        if (operation.IsAbandoned)
        {
            Uncount(operation);
            operation.Release();
        }
        else if (IsBroken)
        {
            ReturnLater(operation);
        }
        else if (MayWrite && !MustBeAlone(operation))
        {
            Write(operation);
        }
        else
        {
            operation.Stage = OperationStage.Waiting;
            _waiting.EnqueueFirst(operation);
        }
    }

    /// <summary>Ends what an operation wrote.</summary>
    private void WriteSync()
    {
        _open = null;
        _isAwaitingColumns = _isDescribed = false;
        MessageWriter.WriteSync(Output);
    }

    /// <summary>The operation writes nothing more: commands that came meanwhile are sent.</summary>
    internal void LetFollow(Operation operation)
    {
        if (ReferenceEquals(_open, operation))
        {
            _open = null;
        }

        ScheduleFlush();
        SendWaiting();
    }

    /// <summary>Writes the Sync of an operation that was held open; does nothing for another.</summary>
    internal void EndFlight(Operation operation)
    {
        if (!ReferenceEquals(_open, operation))
        {
            return;
        }

        if (operation.EndsWithSync)
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
    internal bool TryWithdraw(Operation operation)
    {
        if (!_waiting.Remove(operation))
        {
            return false;
        }

        Uncount(operation);
        return true;
    }

    /// <summary>Whether a failed command may be sent again automatically, because nothing else would notice.</summary>
    internal bool MayRepeat(Operation operation)
        => !operation.IsRepeated && !operation.IsAbandoned && operation.CanRepeat && TransactionStatus == (byte)'I' && !IsBroken
            && (!IsLeased || _sent.Count == 0); // In a session it must not come after what was started later.

    /// <summary>
    /// Sends a command again whose statement has to be parsed again, where nothing else would notice. Inside a transaction that holds only
    /// while nothing but BEGIN has run: the transaction is then begun again.
    /// </summary>
    /// <returns>False: the command finally failed.</returns>
    internal bool TryRepeat(Operation operation, PgException error)
    {
        if (MayRepeat(operation))
        {
            operation.Restart();
            Resubmit(operation);
            return true;
        }

        bool mayBegin = operation.BeginsTransaction || _begin is not null;
        if (TransactionStatus == (byte)'E' && mayBegin && !operation.IsRepeated && !operation.IsAbandoned && operation.CanRepeat && _sent.Count == 0)
        {
            operation.Restart();
            var begin = new BeginAgainOperation(operation.BeginsTransaction ? null : _begin, Pool.Options.CommandTimeout);
            if (MayWrite)
            {
                Write(begin);
                Resubmit(operation);
            }
            else
            {
                operation.Stage = begin.Stage = OperationStage.Waiting;
                begin.Connection = this;
                _waiting.EnqueueFirst(operation);
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

    /// <summary>Writes the operation's messages, or the rest of them where it is sent already.</summary>
    private void Write(Operation operation)
    {
        bool isBegun = operation.Stage == OperationStage.Sent;
        if (!isBegun)
        {
            operation.Connection = this;
            operation.Stage = OperationStage.Sent;
            bool isHead = _sent.Head is null;
            _sent.Enqueue(operation);
            if (isHead)
            {
                Begin(operation);
            }
        }

        try
        {
            End(operation.Write(this), operation);
        }
        catch (Exception exception)
        {
            // A value that cannot be written fails its own command only. A Sync ends what it has written.
            operation.Fail(exception);
            WriteSync();
        }

        ScheduleFlush();
        if (!isBegun)
        {
            NoteEffect(operation.Effect);
        }
    }

    private void End(FlightEnd end, Operation operation)
    {
        switch (end)
        {
            case FlightEnd.Sync:
                WriteSync();
                break;
            case FlightEnd.Columns or FlightEnd.Portal:
                MessageWriter.WriteFlush(Output);
                _open = operation;
                _isAwaitingColumns = end == FlightEnd.Columns;
                break;
            case FlightEnd.Data:
                _open = operation;
                break;
        }
    }

    /// <summary>The statement that the operation waited for is described: it continues to write, unless its caller is gone.</summary>
    private void WriteOn(Operation operation)
    {
        if (!_isAwaitingColumns || !ReferenceEquals(_open, operation))
        {
            return;
        }

        if (operation.IsAbandoned || operation.Error is not null)
        {
            EndFlight(operation);
            return;
        }

        if (_isRequestingCancel && !operation.IsCancelRequested)
        {
            // The request is for another command, and would strike whatever runs when it arrives.
            _isDescribed = true;
            return;
        }

        _open = null;
        _isAwaitingColumns = _isDescribed = false;
        Write(operation);
    }

    private void Begin(Operation operation)
    {
        operation.BegunTick = Reactor.NowTick();
        _clock.Watch(operation);
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
        while (!IsBroken && MayWrite && _waiting.Head is { } operation && !MustBeAlone(operation))
        {
            _waiting.Dequeue();
            if (operation.IsAbandoned)
            {
                Uncount(operation);
                operation.Release();
            }
            else
            {
                Write(operation);
            }
        }
    }
}
