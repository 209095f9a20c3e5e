namespace Ioxide.Pg;

/// <summary>Commands of one session go to its connection, in order.</summary>
internal sealed class SessionTarget(ReactorPool pool, ServerConnection connection) : CommandTarget(pool.Reactor, pool.DataSource)
{
    private volatile bool _isClosed;
    private CopyInOperation? _copy;
    private int _begun;
    private int _ended;

    /// <summary>Each command has had its whole answer, and none was abandoned or cancelled. Threads: the session's user.</summary>
    internal bool HasEndedAll => Volatile.Read(ref _ended) == _begun;

    internal override void Begins() => _begun++;

    internal override void Submit(Operation operation)
    {
        if (_isClosed)
        {
            Refuse(operation, new ObjectDisposedException(nameof(PgSession), "The session is disposed; its connection may serve another."));
            return;
        }

        if (_copy is { IsRunning: true })
        {
            Refuse(operation, new InvalidOperationException(
                $"A COPY ... FROM STDIN runs on this session. Nothing was sent. Complete or dispose its {nameof(PgCopyIn)} first."));
            return;
        }

        _copy = operation as CopyInOperation;
        connection.Send(operation);
    }

    internal override void Ended(Operation operation)
    {
        pool.Ended(operation);
        if (!operation.IsAbandoned)
        {
            Volatile.Write(ref _ended, _ended + 1);
        }
    }

    internal void Close() => _isClosed = true;

    private static void Refuse(Operation operation, Exception reason)
    {
        operation.Fail(reason);
        operation.Complete();
        operation.Release();
    }
}
