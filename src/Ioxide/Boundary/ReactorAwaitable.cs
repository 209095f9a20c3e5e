using System.Threading.Tasks.Sources;

namespace Ioxide;

/// <summary>The core of every awaited operation: resumes its awaiter on the right thread.</summary>
/// <remarks>
/// <para>An await under <see cref="Reactor.RuntimeContext"/> is the runtime's and resumes inline. Every other await is the application's: it resumes
/// inline on the reactor inside <see cref="Reactor.EnterApplication"/>, or on the thread pool while the reactor is blocked, when it has ended, and
/// where <see cref="ResumesOnThreadPool"/> asks for it. The context of an await is otherwise ignored.</para>
/// <para>An operation derives from this class, or has it in a field, which is then the source of its tasks. It can be used again
/// after <see cref="Reset"/>. Threads: as <see cref="ManualResetValueTaskSourceCore{TResult}"/>.</para>
/// </remarks>
[Experimental("IOX1001")]
public class ReactorAwaitable<TResult> : IValueTaskSource<TResult>, IValueTaskSource
{
    private ManualResetValueTaskSourceCore<TResult> _core;
    private bool _isRuntimes;
    private bool _keepsContext;

    /// <summary>The application always resumes on the thread pool.</summary>
    public bool ResumesOnThreadPool { get; set; }

    /// <summary>The resumption completes a task of the application, and runs inside no context.</summary>
    /// <remarks>
    /// An await with <c>ConfigureAwait(false)</c> continues in place only on a thread without a context; otherwise the framework sends it to the
    /// thread pool (Task's IsValidLocationForInlining). Libraries await this way and would leave the reactor with each answer. An await that
    /// keeps its context is posted to it.
    /// </remarks>
    public bool ResumesWithoutContext { get; init; }

    /// <summary>The awaiter is on another thread: it resumes in its context there, or on the thread pool if it has none.</summary>
    public bool StartedOffReactor
    {
        get => _keepsContext;
        set
        {
            _keepsContext = value;
            ResumesOnThreadPool = value;
        }
    }

    /// <summary>Changes with each <see cref="Reset"/>.</summary>
    public short Version => _core.Version;

    /// <summary>The operation as its caller awaits it, once per use.</summary>
    public ValueTask<TResult> Task => new(this, _core.Version);

    /// <summary>The same, for a caller that needs no result.</summary>
    public ValueTask TaskWithoutResult => new(this, _core.Version);

    /// <inheritdoc/>
    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    /// <inheritdoc/>
    public virtual TResult GetResult(short token) => _core.GetResult(token);

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    /// <inheritdoc/>
    public virtual void OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        _isRuntimes = !_keepsContext && RuntimeContext.IsCurrent;
        _core.OnCompleted(
            continuation, state, token, _keepsContext ? flags : flags & ~ValueTaskSourceOnCompletedFlags.UseSchedulingContext);
    }

    /// <summary>Prepares for the next use. The previous await is over.</summary>
    public void Reset()
    {
        _isRuntimes = false;
        _core.Reset();
    }

    /// <summary>Resumes the awaiter. Called last: the operation may be in use again when it returns.</summary>
    /// <param name="reactor">Where the awaiter belongs.</param>
    /// <param name="result">What the await gives.</param>
    public void SetResult(Reactor reactor, TResult result)
    {
        using ContextScope scope = Prepare(reactor);
        _core.SetResult(result);
    }

    /// <summary>As <see cref="SetResult"/>, with an error that the await throws.</summary>
    /// <param name="reactor">Where the awaiter belongs.</param>
    /// <param name="error">What the await throws.</param>
    public void SetException(Reactor reactor, Exception error)
    {
        using ContextScope scope = Prepare(reactor);
        _core.SetException(error);
    }

    private ContextScope Prepare(Reactor reactor)
    {
        if (_isRuntimes)
        {
            _core.RunContinuationsAsynchronously = false;
            return reactor.EnterRuntime();
        }

        bool isMoved = ResumesOnThreadPool || reactor.IsBlocked || reactor.HasEnded;
        if (isMoved && reactor.Kernel.ThreadPoolContext is { } played)
        {
            // Simulation only: the thread pool is played on this thread, and its context collects the continuation.
            _core.RunContinuationsAsynchronously = false;
            return new ContextScope(played);
        }

        _core.RunContinuationsAsynchronously = isMoved;
        return isMoved || !reactor.IsCurrent ? default : ResumesWithoutContext ? new ContextScope(null) : reactor.EnterApplication();
    }
}
