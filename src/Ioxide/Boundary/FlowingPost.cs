namespace Ioxide;

/// <summary>A callback that is posted to a context, with the execution context of who posted it.</summary>
/// <remarks>
/// What resumes an await brings its own, and is left alone. Other callbacks, as those of <see cref="Progress{T}"/>, flow to the thread pool
/// where there is no synchronization context; so they flow to a reactor.
/// </remarks>
internal sealed class FlowingPost
{
    private static readonly SendOrPostCallback s_run = static post => ((FlowingPost)post!).Run();

    private readonly SendOrPostCallback _callback;
    private readonly object? _state;
    private readonly ExecutionContext _context;

    private FlowingPost(SendOrPostCallback callback, object? state, ExecutionContext context)
    {
        _callback = callback;
        _state = state;
        _context = context;
    }

    /// <summary>Replaces the callback by one that flows, unless it resumes an await or its poster suppressed the flow.</summary>
    internal static void Wrap(ref SendOrPostCallback callback, ref object? state)
    {
        // A task's continuation comes as the state, a ValueTask's source as the target (.NET 10).
        if (state is Action || callback.Target is Action<object?> || ExecutionContext.Capture() is not { } context)
        {
            return;
        }

        state = new FlowingPost(callback, state, context);
        callback = s_run;
    }

    private void Run() => ExecutionContext.Run(_context, static post => ((FlowingPost)post!).Call(), this);

    private void Call() => _callback(_state);
}
