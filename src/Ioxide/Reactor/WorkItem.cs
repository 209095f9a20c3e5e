namespace Ioxide;

/// <summary>One piece of posted work: an object and what runs on it. Posting it allocates nothing if the delegate is static.</summary>
/// <remarks>Threads: any. What the work throws is reported to <see cref="ReactorEvents.UnhandledException"/>.</remarks>
[Experimental("IOX1001")]
public readonly struct WorkItem
{
    private readonly Action<object, object, object?, long> _invoke;
    private readonly object _run;
    private readonly object _target;
    private readonly object? _state;
    private readonly long _number;

    private WorkItem(
        Action<object, object, object?, long> invoke,
        object run,
        object target,
        object? state,
        long number,
        WorkOwner owner,
        bool resumesAwait = false)
    {
        _invoke = invoke;
        _run = run;
        _target = target;
        _state = state;
        _number = number;
        Owner = owner;
        ResumesAwait = resumesAwait;
    }

    /// <summary>Whose code runs: the runtime's or the application's.</summary>
    internal WorkOwner Owner { get; }

    /// <summary>What it runs continues behind the completion of an operation that it awaited; no turn in between was asked for.</summary>
    internal bool ResumesAwait { get; }

    /// <summary>The default value: there is nothing to run.</summary>
    internal bool IsNothing => _invoke is null;

    /// <summary>Work on an object.</summary>
    /// <param name="target">Passed to the delegate.</param>
    /// <param name="run">Called once.</param>
    /// <param name="owner">Whose code the delegate is.</param>
    public static WorkItem Of<T>(T target, Action<T> run, WorkOwner owner = WorkOwner.Runtime)
        where T : class => new(Invoker<T>.Plain, run, target, null, 0, owner);

    /// <summary>Work on an object with a number, such as the version of a pooled object.</summary>
    /// <inheritdoc cref="Of{T}(T, Action{T}, WorkOwner)"/>
    public static WorkItem Of<T>(T target, long number, Action<T, long> run, WorkOwner owner = WorkOwner.Runtime)
        where T : class => new(Invoker<T>.WithNumber, run, target, null, number, owner);

    /// <summary>Work on an object with another one.</summary>
    /// <inheritdoc cref="Of{T}(T, Action{T}, WorkOwner)"/>
    public static WorkItem Of<T, TState>(T target, TState state, Action<T, TState> run, WorkOwner owner = WorkOwner.Runtime)
        where T : class
        where TState : class? => new(Invoker<T, TState>.WithState, run, target, state, 0, owner);

    /// <summary>The application's work that an operation's end posts. See <see cref="ResumesAwait"/>.</summary>
    internal static WorkItem OfAwait<T, TState>(T target, TState state, Action<T, TState> run)
        where T : class
        where TState : class?
        => new(Invoker<T, TState>.WithState, run, target, state, 0, WorkOwner.Application, resumesAwait: true);

    internal void Run() => _invoke(_run, _target, _state, _number);

    // The factories above are the only makers of items, so the types are known; a checked cast would cost a look-up per item.
    private static class Invoker<T>
        where T : class
    {
        internal static readonly Action<object, object, object?, long> Plain =
            static (run, target, _, _) => Unsafe.As<Action<T>>(run)(Unsafe.As<T>(target));

        internal static readonly Action<object, object, object?, long> WithNumber =
            static (run, target, _, number) => Unsafe.As<Action<T, long>>(run)(Unsafe.As<T>(target), number);
    }

    private static class Invoker<T, TState>
        where T : class
        where TState : class?
    {
        internal static readonly Action<object, object, object?, long> WithState =
            static (run, target, state, _) => Unsafe.As<Action<T, TState>>(run)(Unsafe.As<T>(target), Unsafe.As<object?, TState>(ref state));
    }
}
