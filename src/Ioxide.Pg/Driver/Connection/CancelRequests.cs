using System.Diagnostics;
using Ioxide.Pg.Data;

namespace Ioxide.Pg;

/// <summary>Cancels commands of one connection. The server may stop another one instead.</summary>
/// <remarks>
/// <para>A CancelRequest names a session and no command. The server signals the session between the sending of the request and the end of
/// the request's connection, and stops the message that it works on then. Without such a message the signal is dropped at the next one.
/// The server signals twice, the process and its group, so one request can strike two commands. It strikes none that is sent after
/// the end of the request's connection.</para>
/// <para>Commands that were already in the pipeline may be struck, because the cancelled one can end just before the signal. A struck
/// command is run again where that is safe (<see cref="CommandRepeats"/>); otherwise it fails with <see cref="PgStrayCancelException"/>.
/// A reset is always run again, and nothing is sent behind it while it may be struck: a strike before its BEGIN leaves a session that is
/// neither clean nor in a failed transaction, so that the server would run what follows.</para>
/// <para>Source: PostgreSQL manual, 55.2.8 Cancelling Requests in Progress; ProcessInterrupts in src/backend/tcop/postgres.c, signal_child in
/// src/backend/postmaster/postmaster.c. Threads: the reactor's.</para>
/// </remarks>
internal sealed class CancelRequests(ServerConnection connection)
{
    /// <summary>After this many strikes a command is not run again.</summary>
    internal const int MaxStrayCancels = 8;

    // Commands that were in the pipeline when the last request was carried out. Later ones cannot be struck.
    private int _strayReach;

    /// <summary>A request is on its way.</summary>
    internal bool IsRequesting { get; private set; }

    /// <summary>A request was sent that may still strike a command.</summary>
    internal bool IsLoose { get; private set; }

    /// <summary>A request was sent, but the end of its connection was not seen: its signal may come at any time.</summary>
    internal bool IsLost { get; private set; }

    /// <summary>Asks the server to cancel its running command, and breaks the connection if the server stays silent.</summary>
    internal void Request(RoundTrip roundTrip)
    {
        if (roundTrip.IsCancelRequested || connection.IsBroken)
        {
            return;
        }

        roundTrip.IsCancelRequested = true;
        connection.Clock.WatchCancel();
        Send();
    }

    /// <summary>Sends a request for the oldest command, unless one is on its way.</summary>
    internal void Send()
    {
        if (!IsRequesting && !IsLost)
        {
            _ = SendAsync();
        }
    }

    /// <summary>Cancels the session's running command at the user's request: it fails with 57014.</summary>
    /// <param name="session">The session. Once it is closed, the running command is another's.</param>
    internal async Task CancelRunningAsync(SessionTarget session)
    {
        while (connection.Pipeline.Oldest is SessionReset && !connection.IsBroken && !session.IsClosed)
        {
            // It belongs to the previous user: this session runs nothing yet.
            await connection.Reactor.DelayAsync(TimeSpan.FromMilliseconds(1)).ConfigureAwait(true);
        }

        if (session.IsClosed)
        {
            return;
        }

        if (connection.Pipeline.Oldest is { } oldest && !IsRequesting)
        {
            Request(oldest);
        }

        while (IsRequesting)
        {
            await connection.Reactor.DelayAsync(TimeSpan.FromMilliseconds(1)).ConfigureAwait(true);
        }
    }

    /// <summary>The request is about to be written. False: its command has ended, and the request must not be sent.</summary>
    internal bool TryLoose(RoundTrip roundTrip)
    {
        if (connection.IsBroken || !ReferenceEquals(connection.Pipeline.Oldest, roundTrip))
        {
            return false;
        }

        IsLoose = true;
        return true;
    }

    /// <summary>Whether an error of the oldest command was caused by a cancel request for another command.</summary>
    internal bool WasHitByStrayCancel(RoundTrip roundTrip, PgServerMessage error)
        => IsLoose && roundTrip is { IsCancelRequested: false, MayBeStruck: true }
            && error is { SqlState: PgSqlState.QueryCanceled, IsStatementTimeout: false };

    /// <summary>The oldest command of the pipeline has ended.</summary>
    internal void AdvanceCancelWindow()
    {
        _strayReach -= _strayReach > 0 ? 1 : 0;
        ForgetOutOfReach();
    }

    internal PgConnectionException LostError()
        => new($"{connection.Endpoint} did not say what became of a cancel request; the connection is closed, because the request "
            + "could strike a later command.");

    private async Task SendAsync()
    {
        Debug.Assert(SynchronizationContext.Current == connection.Reactor.RuntimeContext);
        IsRequesting = true;
        RoundTrip? asked = null;
        while (!connection.IsBroken && !IsLost && connection.Pipeline.Oldest is { IsCancelRequested: true } oldest && !ReferenceEquals(oldest, asked))
        {
            asked = oldest;
            IsLost = await RequestAsync(oldest).ConfigureAwait(true) == CancelOutcome.Unknown;
        }

        IsRequesting = false;
        _strayReach = connection.Pipeline.SentCount;
        ForgetOutOfReach();
        connection.Pipeline.WriteHeldBack();
        if (!connection.IsRunningUserCode)
        {
            connection.OfferCapacityToPool();
        }
    }

    private async Task<CancelOutcome> RequestAsync(RoundTrip roundTrip)
    {
        try
        {
            return await connection.Pool.Attempts.CancelAsync(connection, roundTrip).ConfigureAwait(true);
        }
        catch (Exception exception)
        {
            // Its caller has been answered already; the running clock detects a silent server.
            connection.Pool.DataSource.Log.CancelFailed(connection.Endpoint, exception);
            return CancelOutcome.NotSent;
        }
    }

    private void ForgetOutOfReach()
    {
        if (_strayReach == 0 && !IsRequesting && !IsLost)
        {
            IsLoose = false;
        }
    }
}
