using System.Threading.Tasks.Sources;

namespace Ioxide;

/// <summary>The core of every awaited operation: resumes its awaiter on the right thread.</summary>
/// <remarks>
/// <para>An await under the <see cref="RuntimeContext"/> is the runtime's and resumes inline. Every other await is the application's: it resumes
/// inline on the reactor inside <see cref="Reactor.HandOver"/>, or on the thread pool while the reactor is blocked, when it has ended, and
/// where <see cref="ResumesOnThreadPool"/> asks for it. The context of an await is otherwise ignored.</para>
/// <para>An operation derives from this class, or has it in a field, which is then the source of its tasks. It can be used again
/// after <see cref="Reset"/>. Threads: as <see cref="ManualResetValueTaskSourceCore{TResult}"/>.</para>
/// </remarks>
internal class ReactorAwaitable<TResult> : IValueTaskSource<TResult>, IValueTaskSource
{
    private ManualResetValueTaskSourceCore<TResult> _core;
    private bool _isRuntimes;
    private bool _keepsContext;

    /// <summary>The application always resumes on the thread pool.</summary>
    internal bool ResumesOnThreadPool { get; set; }

    /// <summary>The resumption completes a task that the application awaits: see <see cref="Reactor.HandOverWithoutContext"/>.</summary>
    internal bool ResumesWithoutContext { get; init; }

    /// <summary>The awaiter is on another thread: it resumes in its context there, or on the thread pool if it has none.</summary>
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

    /// <summary>The same, for a caller that needs no result.</summary>
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

    /// <summary>Prepares for the next use. The previous await is over.</summary>
    internal void Reset()
    {
        _isRuntimes = false;
        _core.Reset();
    }

    /// <summary>Resumes the awaiter. Called last: the operation may be in use again when it returns.</summary>
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
            // An awaiter in a simulation finds it, and queues itself there.
            _core.RunContinuationsAsynchronously = false;
            return new ContextScope(played);
        }

        _core.RunContinuationsAsynchronously = isMoved;
        return isMoved ? default : ResumesWithoutContext ? reactor.HandOverWithoutContext() : reactor.HandOver();
    }
}
