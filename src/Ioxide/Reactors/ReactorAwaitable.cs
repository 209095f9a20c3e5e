using System.Threading.Tasks.Sources;

namespace Ioxide;

/// <summary>The core of an operation that is awaited: resumes who waits where his code belongs.</summary>
/// <remarks>
/// <para>What awaited under the <see cref="RuntimeContext"/> is the runtime's and resumes inline. Everything else is the application's: inline on
/// the reactor inside <see cref="Reactor.HandOver"/>; on the thread pool while the reactor is blocked, when it has ended,
/// and where <see cref="ResumesOnThreadPool"/> asks for it. The context of an await is ignored otherwise.</para>
/// <para>A mutable struct: keep it in a field that is not read-only. Threads: as <see cref="ManualResetValueTaskSourceCore{TResult}"/>.</para>
/// </remarks>
internal struct ReactorAwaitable<TResult>
{
    private ManualResetValueTaskSourceCore<TResult> _core;
    private bool _isRuntimes;

    /// <summary>The application always resumes on the thread pool.</summary>
    internal bool ResumesOnThreadPool { get; set; }

    /// <summary>What it resumes completes a task that the application awaits: see <see cref="Reactor.HandOverWithoutContext"/>.</summary>
    internal bool ResumesWithoutContext { get; set; }

    internal readonly short Version => _core.Version;

    internal void Reset()
    {
        _isRuntimes = false;
        _core.Reset();
    }

    internal readonly ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    internal readonly TResult GetResult(short token) => _core.GetResult(token);

    /// <param name="continuation">What to resume.</param>
    /// <param name="state">Handed to it.</param>
    /// <param name="token">The version.</param>
    /// <param name="flags">As the awaiter gives them.</param>
    /// <param name="keepsContext">The await began on another thread and goes back to its context, where it has one.</param>
    internal void OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags, bool keepsContext = false)
    {
        _isRuntimes = !keepsContext && RuntimeContext.IsCurrent;
        _core.OnCompleted(
            continuation, state, token, keepsContext ? flags : flags & ~ValueTaskSourceOnCompletedFlags.UseSchedulingContext);
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
