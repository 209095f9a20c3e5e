using System.Threading.Tasks.Sources;

namespace Ioxide;

/// <summary>A waiting operation of a reactor, such as a read, a flush or a delay. A token can end it early.</summary>
/// <remarks>
/// <code>
/// Idle --Wait (the reactor)-------------------------------------> Waiting --EndWait--> Idle --SetResult or SetException--> resumed
/// Idle --Offer (another thread)--> Offered --awaited--> Idle --Start, on the reactor--> Waiting, or answered at once
/// </code>
/// An operation from another thread starts when it is awaited, so that its awaiter is known before it can complete.
/// </remarks>
internal abstract class ReactorWait<TResult>(Reactor reactor) : ReactorAwaitable<TResult>
{
    private CancellationToken _cancellationToken;
    private CancellationTokenRegistration _registration;
    private Stage _stage;

    private enum Stage
    {
        Idle,
        Offered,
        Waiting,
    }

    internal bool IsWaiting => _stage == Stage.Waiting;

    private protected Reactor Reactor { get; } = reactor;

    public sealed override void OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        // Read first: an operation that is over resumes its caller at once, on a thread that may offer it again.
        bool isOffered = _stage == Stage.Offered;
        base.OnCompleted(continuation, state, token, flags);
        if (isOffered)
        {
            Post();
        }
    }

    /// <summary>Gives the operation to a caller on another thread.</summary>
    internal ValueTask<TResult> Offer(CancellationToken cancellationToken)
    {
        PrepareOffer(cancellationToken);
        return Task;
    }

    /// <summary>The same for an operation whose caller gets another task of it.</summary>
    internal void PrepareOffer(CancellationToken cancellationToken)
    {
        _cancellationToken = cancellationToken;
        _stage = Stage.Offered;
    }

    /// <summary>Starts the wait: until <see cref="EndWait"/>, or until the token ends it. Threads: the reactor's.</summary>
    internal void Wait(CancellationToken cancellationToken)
    {
        _cancellationToken = cancellationToken;
        Wait();
    }

    /// <summary>Ends the wait; the caller sets the result next. Threads: the reactor's.</summary>
    internal void EndWait()
    {
        Debug.Assert(IsWaiting);
        _stage = Stage.Idle;
        _registration.Unregister();
        _registration = default;
        _cancellationToken = default;
    }

    /// <summary>Starts it on the reactor, whenever and wherever it is awaited. Threads: any.</summary>
    private protected void Post(CancellationToken cancellationToken)
    {
        _cancellationToken = cancellationToken;
        Post();
    }

    /// <summary>Starts another thread's operation: it completes at once, or calls <see cref="Wait()"/>.</summary>
    private protected abstract void Start();

    /// <summary>The reactor ended before the operation could start.</summary>
    private protected abstract void ReactorHasEnded();

    private protected void Wait()
    {
        _stage = Stage.Waiting;
        if (_cancellationToken.CanBeCanceled)
        {
            _registration = _cancellationToken.UnsafeRegister(
                static state =>
                {
                    var (wait, version) = ((ReactorWait<TResult>, short))state!;
                    wait.Reactor.Enqueue(WorkItem.Of(wait, version, static (wait, version) => wait.Cancel((short)version)));
                },
                (this, Version));
        }
    }

    /// <summary>The token has ended the wait; the awaiter is resumed next.</summary>
    private protected virtual void Cancelled()
    {
    }

    private void Post()
    {
        _stage = Stage.Idle;
        if (!Reactor.TryEnqueue(this, static wait => wait.Start()))
        {
            ReactorHasEnded();
        }
    }

    private void Cancel(short version)
    {
        if (IsWaiting && Version == version)
        {
            CancellationToken cancellationToken = _cancellationToken;
            EndWait();
            Cancelled();
            SetException(Reactor, new OperationCanceledException(cancellationToken));
        }
    }
}
