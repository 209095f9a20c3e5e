using System.Runtime.CompilerServices;

namespace Ioxide.Simulation;

/// <summary>Awaits of the application. What belongs on the thread pool goes on on the one that the world plays.</summary>
internal static class WorldAwaits
{
    internal static InWorld<T> In<T>(this ValueTask<T> task, World world) => new(task.GetAwaiter(), world);

    internal static InWorld<T> In<T>(this Task<T> task, World world) => new(new ValueTask<T>(task).GetAwaiter(), world);

    internal static InWorld In(this ValueTask task, World world) => new(task.GetAwaiter(), world);
}

/// <summary>Behind it the application runs, and that must not be on a blocked stack.</summary>
internal readonly struct InWorld<T>(ValueTaskAwaiter<T> awaiter, World world) : ICriticalNotifyCompletion
{
    public bool IsCompleted => awaiter.IsCompleted;

    public InWorld<T> GetAwaiter() => this;

    public T GetResult()
    {
        world.CheckApplication();
        return awaiter.GetResult();
    }

    public void OnCompleted(Action continuation) => awaiter.OnCompleted(world.Move(continuation));

    public void UnsafeOnCompleted(Action continuation) => awaiter.UnsafeOnCompleted(world.Move(continuation));
}

/// <inheritdoc cref="InWorld{T}"/>
internal readonly struct InWorld(ValueTaskAwaiter awaiter, World world) : ICriticalNotifyCompletion
{
    public bool IsCompleted => awaiter.IsCompleted;

    public InWorld GetAwaiter() => this;

    public void GetResult()
    {
        world.CheckApplication();
        awaiter.GetResult();
    }

    public void OnCompleted(Action continuation) => awaiter.OnCompleted(world.Move(continuation));

    public void UnsafeOnCompleted(Action continuation) => awaiter.UnsafeOnCompleted(world.Move(continuation));
}
