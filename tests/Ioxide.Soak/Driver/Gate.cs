namespace Ioxide.Soak;

/// <summary>Lets loads work, or keeps them out until the server is looked at while nobody is connected.</summary>
internal sealed class Gate : IDisposable
{
    private readonly Lock _lock = new();
    private CancellationTokenSource _closing = new();
    private TaskCompletionSource<bool> _opened = NewSignal<bool>();
    private TaskCompletionSource<bool>? _empty;
    private bool _isOpen;
    private int _inside;

    /// <summary>Whoever is inside goes on while it holds.</summary>
    internal bool IsOpen => Volatile.Read(ref _isOpen);

    /// <summary>Waits until the gate is open and goes in; false when it never opens again.</summary>
    internal async ValueTask<bool> EnterAsync()
    {
        while (true)
        {
            Task<bool> opened;
            lock (_lock)
            {
                if (_isOpen)
                {
                    _inside++;
                    return true;
                }

                opened = _opened.Task;
            }

            if (!await opened)
            {
                return false;
            }
        }
    }

    internal void Leave()
    {
        lock (_lock)
        {
            if (--_inside == 0)
            {
                _empty?.TrySetResult(true);
            }
        }
    }

    internal void Open()
    {
        lock (_lock)
        {
            _closing.Dispose();
            _closing = new();
            _isOpen = true;
            _opened.TrySetResult(true);
        }
    }

    /// <summary>Closes the gate; completes when nobody is inside.</summary>
    internal Task CloseAsync()
    {
        CancellationTokenSource closing;
        Task empty;
        lock (_lock)
        {
            closing = _closing;
            _isOpen = false;
            if (_opened.Task.IsCompleted)
            {
                _opened = NewSignal<bool>();
            }

            _empty = NewSignal<bool>();
            empty = _empty.Task;
            if (_inside == 0)
            {
                _empty.SetResult(true);
            }
        }

        closing.Cancel();
        return empty;
    }

    /// <summary>Sends away who waits before a closed gate.</summary>
    internal void End()
    {
        lock (_lock)
        {
            _opened.TrySetResult(false);
        }
    }

    /// <summary>Waits inside, and no longer than until the gate closes.</summary>
    internal async Task PauseAsync(TimeSpan duration)
    {
        CancellationToken closing;
        lock (_lock)
        {
            closing = _isOpen ? _closing.Token : new CancellationToken(canceled: true);
        }

        try
        {
            await Task.Delay(duration, closing);
        }
        catch (OperationCanceledException)
        {
            // The gate closes: whoever waits goes on, and out.
        }
    }

    public void Dispose() => _closing.Dispose();

    private static TaskCompletionSource<T> NewSignal<T>() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
