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
    internal abstract void Submit(RoundTrip roundTrip);

    /// <summary>The caller has stopped waiting. Threads: the reactor's.</summary>
    internal virtual void Cancel(RoundTrip roundTrip, Exception reason)
    {
        if (roundTrip.Stage == RoundTripStage.Sent)
        {
            roundTrip.Connection!.Abandon(roundTrip, reason);
            return;
        }

        roundTrip.Fail(reason);
        bool isOut = roundTrip.Connection is { } connection && connection.Pipeline.TryWithdraw(roundTrip);

        // Otherwise it is queued, and is dropped when its turn comes.
        roundTrip.IsAbandoned = !isOut;
        roundTrip.Complete();
        if (isOut)
        {
            roundTrip.Release();
        }
    }

    /// <summary>A command has its answer. Threads: the reactor's.</summary>
    internal virtual void Ended(RoundTrip roundTrip)
    {
    }
}
