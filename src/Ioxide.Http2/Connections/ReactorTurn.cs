using System.Runtime.CompilerServices;

namespace Ioxide.Http2;

/// <summary>To be awaited by the runtime's code on a reactor: what follows runs in a later turn, also while a handler blocks.</summary>
internal readonly struct ReactorTurn(Reactor reactor) : ICriticalNotifyCompletion
{
    private static readonly SendOrPostCallback s_run = static continuation => ((Action)continuation!)();

    public bool IsCompleted => false;

    public ReactorTurn GetAwaiter() => this;

    public void GetResult()
    {
    }

    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    public void UnsafeOnCompleted(Action continuation) => reactor.RuntimeContext.Post(s_run, continuation);
}
