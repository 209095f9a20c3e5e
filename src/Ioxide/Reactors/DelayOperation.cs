using System.Threading.Tasks.Sources;

namespace Ioxide;

/// <summary>One <see cref="Reactor.DelayAsync"/>: a timer that is also the awaitable, reused by its reactor.</summary>
internal sealed class DelayOperation(Reactor reactor) : TimerEntry, IValueTaskSource
{
    private static readonly Action<object?, object?, long, long> s_start =
        static (target, _, dueTick, _) => ((DelayOperation)target!).Start(dueTick);

    private static readonly Action<object?, object?, long, long> s_cancel =
        static (target, _, version, _) => ((DelayOperation)target!).Cancel((short)version);

    private ReactorAwaitable<bool> _source;
    private CancellationToken _cancellationToken;
    private CancellationTokenRegistration _registration;

    internal ValueTask StartAsync(long dueTick, CancellationToken cancellationToken)
    {
        short version = _source.Version;
        _cancellationToken = cancellationToken;
        if (reactor.IsCurrent && !reactor.HasEnded)
        {
            Start(dueTick);
        }
        else if (!reactor.TryEnqueue(new WorkItem(s_start, this, First: dueTick)))
        {
            Fail(new ObjectDisposedException(nameof(Reactor), $"Reactor {reactor.Id} has ended."));
        }

        return new ValueTask(this, version);
    }

    public void GetResult(short token)
    {
        try
        {
            _source.GetResult(token);
        }
        finally
        {
            _source.Reset();
            _cancellationToken = default;
            reactor.Recycle(this);
        }
    }

    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _source.OnCompleted(continuation, state, token, flags);

    internal override void OnDue()
    {
        _registration.Unregister();
        _source.SetResult(reactor, true);
    }

    /// <summary>The reactor ended before the deadline.</summary>
    internal void Fail(Exception reason)
    {
        _registration.Unregister();
        _source.SetException(reactor, reason);
    }

    private void Start(long dueTick)
    {
        if (reactor.HasEnded)
        {
            Fail(new ObjectDisposedException(nameof(Reactor), $"Reactor {reactor.Id} has ended."));
            return;
        }

        reactor.Timers.Add(this, dueTick);
        if (_cancellationToken.CanBeCanceled)
        {
            short version = _source.Version;
            _registration = _cancellationToken.UnsafeRegister(
                static state =>
                {
                    var (operation, reactor, version) = ((DelayOperation, Reactor, short))state!;
                    reactor.Enqueue(new WorkItem(s_cancel, operation, First: version));
                },
                (this, reactor, version));
        }
    }

    private void Cancel(short version)
    {
        if (IsScheduled && _source.Version == version)
        {
            reactor.Timers.Remove(this);
            _registration.Unregister();
            _source.SetException(reactor, new OperationCanceledException(_cancellationToken));
        }
    }
}
