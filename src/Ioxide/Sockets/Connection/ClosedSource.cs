namespace Ioxide;

/// <summary>The source of a connection's closed token. It is cancelled behind everything that the peer sent before the end.</summary>
/// <remarks>
/// <code>
/// Begin --a turn--> the reader has not seen the end, but took a result or advanced a short time ago: look again after that time, or once it has
///                   it has seen the end, on the pool, a short time ago: look again after that time
///                   it has acted since the last look: look again behind its code, some turns or twice through the pool's queue
///                   otherwise: cancel, a turn later
/// </code>
/// <para>A reader on the pool needs a turn of the reactor for each read, so it is slower than a token that goes straight there. The token waits
/// as long as the reader makes progress. It does not wait for a reader that does something else, or where this side has ended the connection.</para>
/// <para>The cancelling turn comes after the reader's: an immediate answer to the end of the input, such as Kestrel's 400 to half a request,
/// is then on its way before Kestrel reacts to the token by dropping the connection.</para>
/// </remarks>
internal sealed class ClosedSource(RingConnection connection) : CancellationTokenSource
{
    /// <summary>
    /// How long after the reader's last act the token still waits for the next read. A worker of a busy host may be held off for 100 ms.
    /// </summary>
    internal static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(250);

    // An await inside an await resumes a turn later on the reactor, so the next read may be some turns away.
    private const int ReaderTurns = 4;

    // A worker of the pool may lose its processor between a result and the next read, while another one runs the token's pass.
    private const int PoolPasses = 2;

    // So may one that carries the end to the application, which may still be busy with what came before: Kestrel reads chunked bodies ahead.
    private static readonly TimeSpan s_poolPatience = TimeSpan.FromMilliseconds(50);

    private long _seenAct = -1;
    private int _passesLeft;
    private LaterLook? _later;
    private bool _isRaised;

    private Reactor Reactor => connection.Reactor;

    /// <summary>The connection has ended, or this side ends it now. Threads: any.</summary>
    internal void Begin() => Reactor.EnqueueOrPool(this, static source => source.Look());

    /// <summary>The connection ended before anyone asked for the token. Threads: any.</summary>
    internal void BeginLate()
    {
        if (connection.IsOpen && !connection.Reader.HasSeenEnd)
        {
            Begin();
        }
        else
        {
            Cancel();
        }
    }

    /// <summary>
    /// The reader has seen the end or wants nothing more: no other act of it is waited for. Threads: the reactor's.
    /// </summary>
    internal void ReaderIsOver()
    {
        if (TakeLaterLook())
        {
            Begin();
        }
    }

    private void Look()
    {
        if (_isRaised)
        {
            return;
        }

        if (connection.IsOpen && !Reactor.HasEnded)
        {
            ReceivePipe reader = connection.Reader;
            bool isOnPool = connection.ResumesOnPool(isElsewhere: true);
            TimeSpan patience = !reader.HasSeenEnd ? Patience : isOnPool && !reader.IsReaderCompleted ? s_poolPatience : TimeSpan.Zero;
            TimeSpan left = patience - Stopwatch.GetElapsedTime(reader.LastAct, Reactor.Kernel.Timestamp());
            if (left > TimeSpan.Zero)
            {
                _later ??= new LaterLook(this);
                TakeLaterLook();
                Reactor.Timers.Add(_later, Reactor.DueTick(left));
                return;
            }

            bool hasProgressed = _seenAct != reader.LastAct;
            _seenAct = reader.LastAct;
            _passesLeft = hasProgressed ? isOnPool ? PoolPasses : ReaderTurns : _passesLeft - 1;
            if (_passesLeft > 0)
            {
                // Behind the code that the reader's last result has resumed.
                if (isOnPool)
                {
                    Reactor.Kernel.QueueToThreadPool(static source => source.Begin(), this);
                }
                else
                {
                    Begin();
                }

                return;
            }
        }

        _isRaised = true;
        TakeLaterLook();
        WorkItem cancel = WorkItem.Of(this, static source => source.Cancel(), WorkOwner.Application);
        if (connection.Options.ResumeOnThreadPool)
        {
            Reactor.RunOnThreadPool(cancel);
        }
        else
        {
            Reactor.EnqueueOrPool(cancel);
        }
    }

    /// <summary>A reactor that has ended keeps no timers.</summary>
    private bool TakeLaterLook()
    {
        if (_later is not { IsScheduled: true } later || Reactor.HasEnded)
        {
            return false;
        }

        Reactor.Timers.Remove(later);
        return true;
    }

    private sealed class LaterLook(ClosedSource source) : TimerEntry
    {
        internal override void OnDue() => source.Look();
    }
}
