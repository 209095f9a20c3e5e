namespace Ioxide.Pg;

/// <summary>Where commands are submitted: a reactor's pool, or a session.</summary>
internal abstract class CommandTarget(Reactor reactor, PgDataSource dataSource)
{
    internal Reactor Reactor { get; } = reactor;

    internal PgDataSource DataSource { get; } = dataSource;

    /// <summary>A command is on its way. Threads: the caller's.</summary>
    internal virtual void Begins()
    {
    }

    /// <summary>Sends the command, now or when it is the command's turn. Threads: the reactor's.</summary>
    internal abstract void Submit(Operation operation);

    /// <summary>The caller has stopped waiting. Threads: the reactor's.</summary>
    internal virtual void Cancel(Operation operation, Exception reason)
    {
        if (operation.Stage == OperationStage.Sent)
        {
            operation.Connection!.Abandon(operation, reason);
            return;
        }

        operation.Fail(reason);
        bool isOut = operation.Connection is { } connection && connection.TryWithdraw(operation);

        // Otherwise it is queued, and is dropped when its turn comes.
        operation.IsAbandoned = !isOut;
        operation.Complete();
        if (isOut)
        {
            operation.Release();
        }
    }

    /// <summary>A command has its answer. Threads: the reactor's.</summary>
    internal virtual void Ended(Operation operation)
    {
    }
}
