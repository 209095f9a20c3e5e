namespace Ioxide;

/// <summary>One <see cref="Reactor.DelayAsync"/>: a timer and its awaiter, reused by its reactor.</summary>
internal sealed class DelayOperation : ReactorWait<bool>
{
    private readonly Timer _timer;
    private long _dueTick;

    internal DelayOperation(Reactor reactor)
        : base(reactor) => _timer = new Timer(this);

    public override bool GetResult(short token)
    {
        try
        {
            return base.GetResult(token);
        }
        finally
        {
            Reset();
            Reactor.Recycle(this);
        }
    }

    internal ValueTask StartAsync(long dueTick, CancellationToken cancellationToken)
    {
        _dueTick = dueTick;
        if (Reactor.IsCurrent && !Reactor.HasEnded)
        {
            Reactor.Timers.Add(_timer, dueTick);
            Wait(cancellationToken);
        }
        else
        {
            Post(cancellationToken);
        }

        return TaskWithoutResult;
    }

    private protected override void Start()
    {
        if (Reactor.HasEnded)
        {
            ReactorHasEnded();
            return;
        }

        Reactor.Timers.Add(_timer, _dueTick);
        Wait();
    }

    private protected override void ReactorHasEnded()
        => SetException(Reactor, new ObjectDisposedException(nameof(Ioxide.Reactor), $"Reactor {Reactor.Id} has ended."));

    private protected override void Cancelled() => Reactor.Timers.Remove(_timer);

    /// <summary>The deadline of a delay.</summary>
    internal sealed class Timer(DelayOperation operation) : TimerEntry
    {
        internal override void OnDue()
        {
            operation.EndWait();
            operation.SetResult(operation.Reactor, true);
        }

        internal override void NeverDue(Exception reason)
        {
            operation.EndWait();
            operation.SetException(operation.Reactor, reason);
        }
    }
}
