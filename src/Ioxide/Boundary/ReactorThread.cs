namespace Ioxide;

/// <summary>A reactor's thread, from its start to the reactor's end. What application code sets on it does not stay, as on the thread pool.</summary>
/// <remarks>Culture and the principal are part of the execution context, which <see cref="ContextScope"/> restores.</remarks>
internal sealed class ReactorThread(Reactor reactor)
{
    private readonly TaskCompletionSource _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly string _name = $"Ioxide reactor {reactor.Id}";
    private Thread? _thread;

    /// <summary>Completes when the loop runs, or fails with the reason why it does not. Threads: any.</summary>
    internal Task Started => _started.Task;

    /// <param name="processor">Pins the thread to it; negative pins to none.</param>
    internal void Start(int processor)
    {
        _thread = new Thread(() => Run(processor)) { IsBackground = true, Name = _name };

        // What flowed from the starter would be in the execution context of every callback.
        _thread.UnsafeStart();
    }

    /// <summary>Runs the loop on the calling thread until it is stopped, for a kernel that simulates all threads.</summary>
    internal void RunHere()
    {
        Run(processor: -1);
        Reactor.ExchangeCurrent(null);
    }

    /// <summary>Once per turn: three reads take 5 to 12 ns, where a turn takes microseconds. Threads: this one.</summary>
    internal void Reset()
    {
        if (_thread is not { } thread)
        {
            return;
        }

        if (thread.Priority != ThreadPriority.Normal)
        {
            thread.Priority = ThreadPriority.Normal;
        }

        if (!thread.IsBackground)
        {
            thread.IsBackground = true;
        }

        if (!ReferenceEquals(thread.Name, _name))
        {
            thread.Name = _name;
        }
    }

    private void Run(int processor)
    {
        Reactor.ExchangeCurrent(reactor);
        Breach.StateHere = static () => Reactor.Current?.Describe();
        Exception? fault = null;
        try
        {
            if (processor >= 0)
            {
                // Pinning is best effort: if the mask has changed meanwhile, the thread runs anywhere.
                _ = Sys.PinThread(processor);
            }

            reactor.Begin();
            IoxideEventSource.Log.ReactorStart(reactor.Id);
            _started.SetResult();
        }
        catch (Exception exception)
        {
            // The caller of ReactorGroup.Start receives it, and finds every descriptor closed.
            reactor.End.WithoutBegin();
            _started.SetException(exception);
            return;
        }

        try
        {
            reactor.Blocked.LoopBegins();
            reactor.Loop();
        }
        catch (Exception exception)
        {
            fault = exception;
        }

        reactor.End.Run(fault);
    }
}
