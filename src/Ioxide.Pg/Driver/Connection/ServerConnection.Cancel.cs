using System.Diagnostics;

namespace Ioxide.Pg;

/// <summary>Cancels a command. The server may stop another one instead.</summary>
/// <remarks>
/// <para>A CancelRequest names a session and no command. The server signals the session between the sending of the request and the end of
/// the request's connection, and stops the message that it works on then. Without such a message the signal is dropped at the next one.
/// The server signals twice, the process and its group, so one request can strike two commands. It strikes none that is sent after
/// the end of the request's connection.</para>
/// <para>Commands that were already in the pipeline may be struck, because the cancelled one can end just before the signal. A struck
/// command is run again where that is safe (<see cref="MayRunAgain"/>); otherwise it fails with <see cref="PgStrayCancelException"/>.
/// A reset is always run again, and nothing is sent behind it while it may be struck: a strike before its BEGIN leaves a session that is
/// neither clean nor in a failed transaction, so that the server would run what follows.</para>
/// <para>Source: PostgreSQL manual, 55.2.8 Cancelling Requests in Progress; ProcessInterrupts in src/backend/tcop/postgres.c, signal_child in
/// src/backend/postmaster/postmaster.c.</para>
/// </remarks>
internal sealed partial class ServerConnection
{
    // After this many strikes a command is not run again.
    private const int MaxStrikes = 8;

    private bool _isRequestingCancel;

    // A request was sent that may still strike a command.
    private bool _isCancelLoose;

    // Commands that were in the pipeline when the last request was carried out. Later ones cannot be struck.
    private int _strayCancelReach;

    // A request was sent, but the end of its connection was not seen: its signal may come at any time.
    private bool _isCancelLost;

    /// <summary>New commands wait: a CancelRequest is on its way, or its command has not ended.</summary>
    internal bool IsCancelling => _isRequestingCancel || _isCancelLost || _sent.Head is { IsCancelRequested: true };

    /// <summary>The last thing sent is a reset, and a cancel request for a command before it could strike it.</summary>
    private bool IsResetInReach => _sent.Tail is SessionReset && (_sent.Count > 1 || _isCancelLoose);

    /// <summary>Asks the server to cancel its running command, and breaks the connection if the server stays silent.</summary>
    internal void RequestCancel(RoundTrip roundTrip)
    {
        if (roundTrip.IsCancelRequested || IsBroken)
        {
            return;
        }

        roundTrip.IsCancelRequested = true;
        _clock.WatchCancel(Pool.Options.CancelTimeout);
        SendCancel();
    }

    /// <summary>Cancels the running command at the user's request: it fails with 57014.</summary>
    internal async Task CancelRunningAsync()
    {
        while (_sent.Head is SessionReset && !IsBroken)
        {
            // It belongs to the previous user: this session runs nothing yet.
            await Reactor.DelayAsync(TimeSpan.FromMilliseconds(1)).ConfigureAwait(true);
        }

        if (_sent.Head is { } head && !_isRequestingCancel)
        {
            RequestCancel(head);
        }

        while (_isRequestingCancel)
        {
            await Reactor.DelayAsync(TimeSpan.FromMilliseconds(1)).ConfigureAwait(true);
        }
    }

    /// <summary>The request is about to be written. False: its command has ended, and the request must not be sent.</summary>
    internal bool TryLooseCancel(RoundTrip roundTrip)
    {
        if (IsBroken || !ReferenceEquals(_sent.Head, roundTrip))
        {
            return false;
        }

        _isCancelLoose = true;
        return true;
    }

    private void SendCancel()
    {
        if (!_isRequestingCancel && !_isCancelLost)
        {
            _ = CancelAsync();
        }
    }

    private async Task CancelAsync()
    {
        Debug.Assert(SynchronizationContext.Current == Reactor.RuntimeContext);
        _isRequestingCancel = true;
        RoundTrip? asked = null;
        while (!IsBroken && !_isCancelLost && _sent.Head is { IsCancelRequested: true } head && !ReferenceEquals(head, asked))
        {
            asked = head;
            _isCancelLost = await RequestAsync(head).ConfigureAwait(true) == CancelOutcome.Unknown;
        }

        _isRequestingCancel = false;
        _strayCancelReach = _sent.Count;
        ForgetCancelOutOfReach();
        if (_isDescribed && _open is { } described)
        {
            WriteOn(described);
        }

        SendWaiting();
        if (!IsHeldUp)
        {
            Settle();
        }
    }

    private async Task<CancelOutcome> RequestAsync(RoundTrip roundTrip)
    {
        try
        {
            return await Pool.CancelAsync(this, _session, roundTrip).ConfigureAwait(true);
        }
        catch (Exception exception)
        {
            // Its caller has been answered already; the running clock detects a silent server.
            Pool.DataSource.Log.CancelFailed(Endpoint, exception);
            return CancelOutcome.NotSent;
        }
    }

    /// <summary>Whether an error of the oldest command was caused by a cancel request for another command.</summary>
    private bool IsStruck(RoundTrip roundTrip, PgServerMessage error)
        => _isCancelLoose && roundTrip is { IsCancelRequested: false, MayBeStruck: true }
            && error is { SqlState: PgSqlState.QueryCanceled, IsStatementTimeout: false };

    /// <summary>Whether a command that was struck may be run again automatically: it left no effects, and nothing was started after it.</summary>
    private bool MayRunAgain(RoundTrip roundTrip)
        => roundTrip.Strikes < MaxStrikes && !roundTrip.IsAbandoned && roundTrip.CanRepeat && roundTrip.IsUndoneByItsError && !IsBroken
            && TransactionStatus == (byte)'I' && (!IsLeased || _sent.Count == 0);

    private void RunAgain(RoundTrip roundTrip)
    {
        bool wasRepeated = roundTrip.IsRepeated;
        roundTrip.Restart();
        roundTrip.IsRepeated = wasRepeated;
        roundTrip.Strikes++;
        Resubmit(roundTrip);
    }

    /// <summary>The oldest command of the pipeline has ended.</summary>
    private void PassReach()
    {
        _strayCancelReach -= _strayCancelReach > 0 ? 1 : 0;
        ForgetCancelOutOfReach();
    }

    private void ForgetCancelOutOfReach()
    {
        if (_strayCancelReach == 0 && !_isRequestingCancel && !_isCancelLost)
        {
            _isCancelLoose = false;
        }
    }

    private PgConnectionException CancelLostError()
        => new($"{Endpoint} did not say what became of a cancel request; the connection is closed, because the request "
            + "could strike a later command.");
}
