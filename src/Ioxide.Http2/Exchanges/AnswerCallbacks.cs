namespace Ioxide.Http2;

/// <summary>What the application has run before an answer's fields are final, and when the request is over. The last one added runs first.</summary>
internal sealed class AnswerCallbacks(HttpExchange exchange)
{
    private readonly List<(Func<object, Task> Callback, object State)> _onStarting = [];
    private readonly List<(Func<object, Task> Callback, object State)> _onCompleted = [];

    internal bool HasOnStarting => _onStarting.Count > 0;

    internal bool HasOnCompleted => _onCompleted.Count > 0;

    internal void AddOnStarting(Func<object, Task> callback, object state) => _onStarting.Add((callback, state));

    internal void AddOnCompleted(Func<object, Task> callback, object state) => _onCompleted.Add((callback, state));

    /// <summary>One may add another. The first that fails is the last.</summary>
    internal async Task FireOnStartingAsync()
    {
        try
        {
            while (_onStarting.Count > 0)
            {
                (Func<object, Task> callback, object state) = _onStarting[^1];
                _onStarting.RemoveAt(_onStarting.Count - 1);
                await callback(state).ConfigureAwait(true);
            }
        }
        catch (Exception exception)
        {
            exchange.Report(exception);
        }
    }

    /// <summary>One may add another, and one that fails is not the last.</summary>
    internal async Task FireOnCompletedAsync()
    {
        while (_onCompleted.Count > 0)
        {
            (Func<object, Task> callback, object state) = _onCompleted[^1];
            _onCompleted.RemoveAt(_onCompleted.Count - 1);
            try
            {
                await callback(state).ConfigureAwait(true);
            }
            catch (Exception exception)
            {
                exchange.LogError(exception);
            }
        }
    }

    internal void Forget()
    {
        _onStarting.Clear();
        _onCompleted.Clear();
    }
}
