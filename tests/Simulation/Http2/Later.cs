using System.Runtime.CompilerServices;

namespace Ioxide.Simulation;

/// <summary>Awaited, it goes on some time later: where its context brings it, or on another thread.</summary>
internal readonly struct Later(Http2World world, long delayNs, bool keepsContext) : INotifyCompletion
{
    public bool IsCompleted => false;

    public Later GetAwaiter() => this;

    public void GetResult()
    {
    }

    public void OnCompleted(Action continuation)
    {
        if (keepsContext && SynchronizationContext.Current is { } context)
        {
            world.RunElsewhere(() => context.Post(static continuation => ((Action)continuation!)(), continuation), delayNs);
        }
        else
        {
            world.RunElsewhere(continuation, delayNs);
        }
    }
}
