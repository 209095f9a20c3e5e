using System.Runtime.CompilerServices;

namespace Ioxide.Simulation;

/// <summary>Awaited, it goes on on what counts as another thread, some time later.</summary>
internal readonly struct OtherThread(World world) : INotifyCompletion
{
    public bool IsCompleted => false;

    public OtherThread GetAwaiter() => this;

    public void GetResult()
    {
    }

    public void OnCompleted(Action continuation) => world.RunElsewhere(continuation);
}
