using System.Threading.Tasks.Sources;

namespace Ioxide;

/// <summary>The core of every operation that is awaited: resumes who waits where its code belongs.</summary>
/// <remarks>
/// <para>What awaited under the <see cref="RuntimeContext"/> is the runtime's and resumes inline. Everything else is the application's: inline on
/// the reactor inside <see cref="Reactor.HandOver"/>; on the thread pool while the reactor is blocked, when it has ended,
/// and where <see cref="ResumesOnThreadPool"/> asks for it. The context of an await is ignored otherwise.</para>
/// <para>An operation is one, or has one in a field, which is then the source of the tasks that it gives out. It is used again
/// after <see cref="Reset"/>. Threads: as <see cref="ManualResetValueTaskSourceCore{TResult}"/>.</para>
/// </remarks>
internal class ReactorAwaitable<TResult> : IValueTaskSource<TResult>, IValueTaskSource
{
    private ManualResetValueTaskSourceCore<TResult> _core;
    private bool _isRuntimes;
    private bool _keepsContext;

    /// <summary>The application always resumes on the thread pool.</summary>
    internal bool ResumesOnThreadPool { get; set; }

    /// <summary>What it resumes completes a task that the application awaits: see <see cref="Reactor.HandOverWithoutContext"/>.</summary>
    internal bool ResumesWithoutContext { get; init; }

    /// <summary>Who awaits is on another thread: it goes on in its context there, and on the thread pool where it has none.</summary>
    internal bool IsFromElsewhere
    {
        get => _keepsContext;
        set
        {
            _keepsContext = value;
            ResumesOnThreadPool = value;
        }
    }

    internal short Version => _core.Version;

    /// <summary>The operation as its caller awaits it.</summary>
    internal ValueTask<TResult> Task => new(this, _core.Version);

    /// <summary>The same, for a caller that wants no result.</summary>
    internal ValueTask TaskWithoutResult => new(this, _core.Version);

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public virtual TResult GetResult(short token) => _core.GetResult(token);

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    public virtual void OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        _isRuntimes = !_keepsContext && RuntimeContext.IsCurrent;
        _core.OnCompleted(
            continuation, state, token, _keepsContext ? flags : flags & ~ValueTaskSourceOnCompletedFlags.UseSchedulingContext);
    }

    /// <summary>To be used again. What was awaited is over.</summary>
    internal void Reset()
    {
        _isRuntimes = false;
        _core.Reset();
    }

    /// <summary>Resumes who waits. Called last: the operation may be in use again when it returns.</summary>
    internal void SetResult(Reactor reactor, TResult result)
    {
        using ContextScope scope = Prepare(reactor);
        _core.SetResult(result);
    }

    /// <inheritdoc cref="SetResult"/>
    internal void SetException(Reactor reactor, Exception error)
    {
        using ContextScope scope = Prepare(reactor);
        _core.SetException(error);
    }

    private ContextScope Prepare(Reactor reactor)
    {
        if (_isRuntimes)
        {
            _core.RunContinuationsAsynchronously = false;
            return reactor.TakeOver();
        }

        bool isMoved = ResumesOnThreadPool || reactor.IsBlocked || reactor.HasEnded;
        if (isMoved && reactor.Kernel.ThreadPoolContext is { } played)
        {
            // What awaits in a simulation finds it, and queues itself there.
            _core.RunContinuationsAsynchronously = false;
            return new ContextScope(played);
        }

        _core.RunContinuationsAsynchronously = isMoved;
        return isMoved ? default : ResumesWithoutContext ? reactor.HandOverWithoutContext() : reactor.HandOver();
    }
}
