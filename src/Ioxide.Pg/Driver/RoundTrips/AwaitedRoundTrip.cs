using System.Diagnostics;

namespace Ioxide.Pg;

/// <summary>An awaited round trip: it travels from any thread to its reactor, and can be abandoned and completed.</summary>
/// <remarks>Threads: <see cref="Submit"/> any; the rest the reactor's.</remarks>
internal abstract class AwaitedRoundTrip : RoundTrip
{
    private CancellationToken _cancellationToken;
    private CancellationTokenRegistration _registration;
    private long _startTimestamp;
    private Activity? _activity;
    private long _version;

    /// <summary>Where it was submitted.</summary>
    private protected CommandTarget? Target { get; private set; }

    /// <summary>Its name in metrics and traces.</summary>
    private protected abstract string Name { get; }

    /// <summary>Distinguishes this use of the object from others. Threads: any.</summary>
    internal long Version => Volatile.Read(ref _version);

    /// <summary>The caller's await was completed.</summary>
    internal bool HasCompleted { get; private set; }

    /// <summary>The server was asked for it, or for a part of it.</summary>
    internal virtual bool IsWritten => HasWrittenCommands;

    internal override void Complete()
    {
        if (HasCompleted)
        {
            return;
        }

        HasCompleted = true;
        _registration.Unregister();
        if (_startTimestamp != 0)
        {
            Target!.DataSource.Metrics.Ended(Stopwatch.GetElapsedTime(_startTimestamp), _activity, Name, Error, Connection?.Endpoint.Host);
        }

        Target?.Ended(this);
        if (EndsTransaction)
        {
            NoteEnd();
        }

        Ending();
        SetResult();
    }

    /// <summary>Submits it to its target.</summary>
    internal void Submit(CommandTarget target, TimeSpan timeout, CancellationToken cancellationToken)
    {
        Target = target;
        target.Begins();
        Timeout = timeout;
        _cancellationToken = cancellationToken;
        if (target.DataSource.Metrics.IsObserved)
        {
            _startTimestamp = Stopwatch.GetTimestamp();
            _activity = target.DataSource.Metrics.StartActivity(Name);
        }

        if (target.Reactor.IsCurrent)
        {
            using ContextScope scope = target.Reactor.EnterRuntime();
            if (cancellationToken.CanBeCanceled)
            {
                Begin();
            }
            else
            {
                target.Submit(this);
            }
        }
        else if (!target.Reactor.TryEnqueue(this, static roundTrip => roundTrip.Begin()))
        {
            Refuse(new ObjectDisposedException(nameof(Reactor), $"Reactor {target.Reactor.Id} has ended."));
        }
    }

    /// <summary>Completes the caller's await with the result or the error.</summary>
    private protected abstract void SetResult();

    /// <summary>The caller's await is about to complete.</summary>
    private protected virtual void Ending()
    {
    }

    private void NoteEnd()
    {
        LeavesTransaction = !IsWritten || StatusBehind is (byte)'T' or (byte)'E';
        if (IsWritten && StatusBehind == 0)
        {
            Connection!.State.EndGivenUp(this);
        }
    }

    /// <summary>Prepares the object for its next use.</summary>
    internal void Reset()
    {
        Volatile.Write(ref _version, _version + 1);
        _cancellationToken = default;
        _registration = default;
        _startTimestamp = 0;
        _activity = null;
        Target = null;
        HasCompleted = false;
        IsPaused = false;
        Stage = RoundTripStage.Idle;
        IsAbandoned = false;
        IsCancelRequested = false;
        IsCancelWanted = false;
        IsRepeated = false;
        StrayCancels = 0;
        HasGivenRows = false;
        LeavesTransaction = false;
        StatusBehind = 0;
        ClearError();
    }

    private void Begin()
    {
        if (_cancellationToken.IsCancellationRequested)
        {
            Refuse(new OperationCanceledException(_cancellationToken));
            return;
        }

        if (_cancellationToken.CanBeCanceled)
        {
            _registration = _cancellationToken.UnsafeRegister(
                static state =>
                {
                    var (roundTrip, version, reactor) = ((AwaitedRoundTrip, long, Reactor))state!;
                    reactor.Enqueue(WorkItem.Of(
                        roundTrip, version, static (roundTrip, version) => roundTrip.CancelByToken(version, roundTrip._cancellationToken)));
                },
                (this, Version, Target!.Reactor));
        }

        Target!.Submit(this);
    }

    private protected void CancelByToken(long version, CancellationToken token)
    {
        // The object may serve another caller by now. An object that has not completed cannot be reused between the two checks.
        if (!HasCompleted && Version == version)
        {
            Target!.Cancel(this, new OperationCanceledException(token));
        }
    }
}

/// <summary>An awaited round trip whose object is used again when its caller and the protocol have finished with it.</summary>
internal abstract class ReusedRoundTrip : AwaitedRoundTrip
{
    private const int CallerPart = 1;
    private const int ProtocolPart = 2;

    private int _done;

    /// <summary>The caller has finished with it. Threads: any.</summary>
    internal void CallerDone() => Finish(CallerPart);

    internal override void Release()
    {
        base.Release();
        Connection = null;
        Finish(ProtocolPart);
    }

    /// <summary>Clears it, and keeps it for its next use.</summary>
    private protected virtual void Recycle() => _done = 0;

    private void Finish(int part)
    {
        if (Interlocked.Or(ref _done, part) == (CallerPart | ProtocolPart) - part)
        {
            Recycle();
        }
    }
}
