using System.Diagnostics;
using System.IO.Pipelines;

namespace Ioxide.Pg;

/// <summary>One connection to a server: what it consists of, its life, and what messages of the server do to it.</summary>
/// <remarks>
/// <para>Commands are pipelined (<see cref="CommandPipeline"/>), and all that one turn of the reactor writes goes out in one send
/// (<see cref="OutputFlush"/>). The receive stays armed on an idle connection (<see cref="AnswerLoop"/>), so that its end is detected at once.</para>
/// <para>Threads: the reactor's, for it and all that it consists of, unless a member says otherwise.</para>
/// </remarks>
internal sealed partial class ServerConnection
{
    // Linux counts to 2^22, others less. PgBouncer, Odyssey and PgCat send random numbers, by which they find a client's cancel request.
    private const int MaxProcessId = 1 << 22;

    private readonly AnswerLoop _answers;
    private Exception? _lostCause;
    private bool _isTerminating;

    internal ServerConnection(ReactorPool pool, RingConnection transport, StartedSession session, ServerEndpoint endpoint)
    {
        Pool = pool;
        Transport = transport;
        Endpoint = endpoint;
        Session = session;
        Output = session.Output;
        Clock = new CommandClock(this);
        Pipeline = new CommandPipeline(this);
        Flush = new OutputFlush(this);
        Cancels = new CancelRequests(this);
        Repeats = new CommandRepeats(this);
        State = new SessionState(this);
        _answers = new AnswerLoop(this, session.Input);
        Statements = new StatementTable(this, pool.DataSource.Columns, pool.DataSource.Poolers, pool.Options.MaxPreparedPerConnection);
        IdleSinceTick = Reactor.NowTick();
        RetireTick = RetireTickOf(pool.Options.ConnectionLifetime, IdleSinceTick);
    }

    internal ReactorPool Pool { get; }

    internal Reactor Reactor => Pool.Reactor;

    internal RingConnection Transport { get; }

    /// <summary>The server that it is connected to.</summary>
    internal ServerEndpoint Endpoint { get; }

    /// <summary>What the server reported when the session began, and its settings since.</summary>
    internal StartedSession Session { get; }

    internal PipeWriter Output { get; }

    internal CommandPipeline Pipeline { get; }

    internal OutputFlush Flush { get; }

    internal CommandClock Clock { get; }

    internal CancelRequests Cancels { get; }

    internal CommandRepeats Repeats { get; }

    internal SessionState State { get; }

    internal StatementTable Statements { get; }

    internal SpareRoundTrips SpareRoundTrips { get; } = new();

    internal int ProcessId => Session.ProcessId;

    /// <summary>It leads through a pooler: the reported process number is none that a kernel gives.</summary>
    internal bool IsPooled => ProcessId is < 0 or > MaxProcessId;

    internal bool IsBroken { get; private set; }

    /// <summary>It is leased to a session.</summary>
    internal bool IsLeased { get; set; }

    /// <summary>It was returned, and takes no user until its running commands are answered and reset.</summary>
    internal bool IsReturning { get; set; }

    /// <summary>The tick after which it is replaced when idle.</summary>
    internal long RetireTick { get; set; }

    /// <summary>Threads: any.</summary>
    internal bool IsTooOld => Reactor.NowTick() >= RetireTick;

    internal long IdleSinceTick { get; set; }

    /// <inheritdoc cref="ApplicationCalls.IsRunningUserCode"/>
    internal bool IsRunningUserCode => _answers.Calls.IsRunningUserCode;

    /// <summary>New commands wait: a CancelRequest is on its way, or its command has not ended.</summary>
    internal bool IsCancelling => Cancels.IsRequesting || Cancels.IsLost || Pipeline.Oldest is { IsCancelRequested: true };

    /// <summary>Its session is as a new one, and nothing is under way. Threads: any, while no command of the session is.</summary>
    internal bool IsClean
        => Pipeline.Pending == 0 && State.TransactionStatus == (byte)'I' && !State.IsTouched
            && this is { IsBroken: false, IsCancelling: false, Listener: null };

    /// <summary>Receives notifications.</summary>
    internal PgListener? Listener { get; set; }

    /// <summary>Starts to read answers.</summary>
    internal void Start()
    {
        Debug.Assert(SynchronizationContext.Current == Reactor.RuntimeContext);
        _ = _answers.RunAsync();
    }

    /// <summary>The caller has stopped waiting. A running command is cancelled; a queued one's answer is dropped.</summary>
    internal void Abandon(RoundTrip roundTrip, Exception reason)
    {
        if (!_answers.Calls.TryPutOff(roundTrip, reason))
        {
            Drop(roundTrip, reason);
            roundTrip.Complete();
        }
    }

    /// <summary>The same for a command whose caller is resumed later.</summary>
    internal void Drop(RoundTrip roundTrip, Exception reason)
    {
        bool isOldest = ReferenceEquals(Pipeline.Oldest, roundTrip);
        roundTrip.Fail(reason);
        roundTrip.IsAbandoned = true;
        if (roundTrip.TryEndByItself())
        {
            // If the server is not asked now, the clock sends a cancel request later.
            Pipeline.RestartClock(roundTrip);
        }
        else if (isOldest)
        {
            Cancels.Request(roundTrip);
        }
    }

    internal void RefuseCopyIn()
    {
        MessageWriter.WriteCopyFail(Output, "COPY ... FROM STDIN is run by CopyInAsync."u8);
        Flush.Schedule();
    }

    /// <summary>The callers know their answers: gives the pool the room, or ends.</summary>
    internal void OfferCapacityToPool()
    {
        if (IsBroken)
        {
            return;
        }

        if (Pipeline.SentCount > 0)
        {
            if (!IsCancelling)
            {
                Pool.HasRoom(this);
            }
        }
        else if (_isTerminating)
        {
            Terminate();
        }
        else if (Cancels.IsLost)
        {
            Break(Cancels.LostError());
        }
        else
        {
            Pool.BecameIdle(this);
        }
    }

    /// <summary>Sends Terminate and closes, after the sent commands are answered. Resets are not waited for: the session ends anyway.</summary>
    internal void Terminate()
    {
        _isTerminating = true;
        if (!IsBroken && Pipeline.FindAll(static roundTrip => roundTrip is not SessionReset) is null)
        {
            MessageWriter.WriteTerminate(Output);
            Flush.Run();
            Break(new PgConnectionException("The connection was closed by this side."));
        }
    }

    internal void Break(Exception cause)
    {
        if (IsBroken)
        {
            return;
        }

        IsBroken = true;
        _lostCause = cause;
        Clock.Stop();
        Pipeline.ForgetFlight();
        List<RoundTrip> lost = _answers.Stop();
        Transport.Abort();
        while (Pipeline.TakeSent() is { } sent)
        {
            if (ReferenceEquals(sent, _answers.Calls.Reading))
            {
                continue; // It is completed when its reader returns.
            }

            if (!sent.IsAbandoned)
            {
                sent.Fail(SentError());
            }

            lost.Add(sent);
        }

        var unsent = new List<RoundTrip>();
        while (Pipeline.TakeWaiting() is { } waiting)
        {
            unsent.Add(waiting);
        }

        Pool.Lost(this, cause);
        Listener?.Lost();
        lost.ForEach(roundTrip => roundTrip.CompleteLater(Reactor));
        unsent.ForEach(ReturnLater);
    }

    /// <summary>Closes the connection, because its session could not be reset.</summary>
    internal void BreakUnclean(Exception cause)
        => Break(new PgConnectionException(
            $"The session could not be reset for its next user, and its connection is closed. {cause.Message}", cause));

    /// <summary>Gives an unsent command back to the pool of the broken connection, from the reactor's queue.</summary>
    internal void ReturnLater(RoundTrip roundTrip)
    {
        roundTrip.Connection = this;
        if (!Reactor.TryEnqueue(roundTrip, static roundTrip => Return(roundTrip)))
        {
            Return(roundTrip);
        }
    }

    /// <summary>Releases everything. The loop calls it at its end, when no row is lent any more.</summary>
    internal async Task CloseAsync()
    {
        try
        {
            await Session.DisposeAsync().ConfigureAwait(true);
            await Transport.DisposeAsync().ConfigureAwait(true);
        }
        catch (IOException)
        {
            // It was broken already.
        }
    }

    /// <summary>Fails if the server has ended the session since, perhaps in the bytes that began it.</summary>
    internal void ThrowIfLost()
    {
        if (IsBroken)
        {
            throw _lostCause as PgException ?? (Exception)LostError();
        }
    }

    internal PgConnectionException LostError()
        => new($"The connection to {Endpoint} is lost: {_lostCause?.Message}", _lostCause);

    /// <summary>Why a command that was sent on the broken connection fails.</summary>
    internal PgConnectionException SentError()
        => _lostCause is PgException fatal && ReferenceEquals(fatal, Fatal)
            ? new PgConnectionException($"The server ended the connection: {fatal.Message} Whether the command ran is not known.", fatal)
            : new PgConnectionException(
                $"The connection to {Endpoint} was lost while the command was on its way; whether it ran is not known. {_lostCause!.Message}",
                _lostCause);

    private static void Return(RoundTrip roundTrip)
        => roundTrip.Connection!.Pool.Return(roundTrip, roundTrip.Connection.LostError());

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
}
