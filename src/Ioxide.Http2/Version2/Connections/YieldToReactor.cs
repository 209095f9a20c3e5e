using System.Runtime.CompilerServices;

namespace Ioxide.Http2;

/// <summary>Awaited by runtime code on a reactor to continue in a later turn, even while a handler blocks.</summary>
internal readonly struct YieldToReactor(Reactor reactor) : ICriticalNotifyCompletion
{
    private static readonly SendOrPostCallback s_run = static continuation => ((Action)continuation!)();

    public bool IsCompleted => false;

    public YieldToReactor GetAwaiter() => this;

    public void GetResult()
    {
    }

    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    public void UnsafeOnCompleted(Action continuation) => reactor.RuntimeContext.Post(s_run, continuation);
}
