using System.Threading.Tasks.Sources;

namespace Ioxide.AspNetCore;

/// <summary>Accepted connections on their way from the reactors to the server's accept loop.</summary>
/// <remarks>
/// The loop is resumed inline on the reactor that accepted, wherever it was before; going through a synchronization context
/// would bind it to one reactor. One accept at a time. Threads: any.
/// </remarks>
internal sealed class AcceptQueue : IValueTaskSource<ConnectionContext?>
{
    private readonly Lock _lock = new();
    private readonly Queue<ConnectionContext> _waiting = new();
    private ManualResetValueTaskSourceCore<ConnectionContext?> _source;
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private bool _isAccepting;
    private bool _isCompleted;

    internal void Enqueue(ConnectionContext connection)
    {
        lock (_lock)
        {
            if (!_isAccepting)
            {
                _waiting.Enqueue(connection);
                return;
            }

            _isAccepting = false;
        }

        Finish(connection);
    }

    /// <summary>Ends the queue. Connections that wait are still handed out.</summary>
    internal void Complete()
    {
        lock (_lock)
        {
            _isCompleted = true;
            if (!_isAccepting)
            {
                return;
            }

            _isAccepting = false;
        }

        Finish(null);
    }

    internal ValueTask<ConnectionContext?> DequeueAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ConnectionContext?>(cancellationToken);
        }

        short version;
        lock (_lock)
        {
            if (_waiting.TryDequeue(out ConnectionContext? connection))
            {
                return new ValueTask<ConnectionContext?>(connection);
            }

            if (_isCompleted)
            {
                return new ValueTask<ConnectionContext?>((ConnectionContext?)null);
            }

            if (_isAccepting)
            {
                throw new InvalidOperationException("An accept is already pending.");
            }

            _source.Reset();
            version = _source.Version;
            _isAccepting = true;
            _token = cancellationToken;

            // Before a connection can end the accept, or the registration would outlive it. A token that is cancelled by now calls back at once.
            _registration = cancellationToken.UnsafeRegister(static (state, token) => ((AcceptQueue)state!).Cancel(token), this);
        }

        return new ValueTask<ConnectionContext?>(this, version);
    }

    ConnectionContext? IValueTaskSource<ConnectionContext?>.GetResult(short token) => _source.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<ConnectionContext?>.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource<ConnectionContext?>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _source.OnCompleted(continuation, state, token, flags & ~ValueTaskSourceOnCompletedFlags.UseSchedulingContext);

    private void Finish(ConnectionContext? connection)
    {
        _registration.Unregister();
        _source.SetResult(connection);
    }

    private void Cancel(CancellationToken token)
    {
        lock (_lock)
        {
            // The token of an earlier accept may have begun to call back before that was over.
            if (!_isAccepting || token != _token)
            {
                return;
            }

            _isAccepting = false;
        }

        _source.SetException(new OperationCanceledException(token));
    }
}
