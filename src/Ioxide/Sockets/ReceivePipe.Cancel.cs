namespace Ioxide;

/// <summary>Cancels reads, and gives connections that have just begun some time at a stop.</summary>
internal sealed partial class ReceivePipe
{
    private static readonly Action<object?, object?, long, long> s_cancel =
        static (pipe, _, _, _) => ((ReceivePipe)pipe!).CancelOnceHeard();

    private long _prologueEnd;
    private Beginning _beginning;

    private enum Beginning
    {
        /// <summary>The server has not read yet.</summary>
        Expected,

        /// <summary>Reads come before the peer's first message.</summary>
        Prologue,

        /// <summary>The server reads the peer's first message, or never will.</summary>
        Begun,
    }

    /// <summary>The peer has sent nothing yet, and the connection's listener has stopped.</summary>
    private bool IsNewBehindStop => _received == _prologueEnd && !HasEnded && _connection.Listener is { IsUnbound: true };

    /// <inheritdoc/>
    public override void CancelPendingRead()
    {
        if (_reactor.IsCurrent && !IsNewBehindStop)
        {
            // The reader is resumed from the loop, never inside other application code.
            _isCancelRequested = true;
            _reactor.Enqueue(new WorkItem(static (pipe, _, _, _) => ((ReceivePipe)pipe!).Notify(), this));
            return;
        }

        // A turn later, so that arrived bytes are seen first. A stopping server cancels the reads of connections that look idle or have
        // just begun, and a request that lies in the socket would be lost.
        _reactor.Enqueue(new WorkItem(
            static (pipe, _, _, _) => ((ReceivePipe)pipe!)._reactor.Enqueue(new WorkItem(s_cancel, pipe)), this));
    }

    /// <summary>
    /// From here on, reads come before the peer's first message: a TLS handshake or a PROXY protocol header. A stop gives a young
    /// connection time for its first message.
    /// </summary>
    /// <remarks>Threads: the reactor's. The reads of a prologue that fails end with the connection.</remarks>
    internal void BeginPrologue() => Interlocked.CompareExchange(ref _beginning, Beginning.Prologue, Beginning.Expected);

    /// <summary>Everything consumed so far was the prologue.</summary>
    internal void EndPrologue()
    {
        _prologueEnd = _consumed;
        Interlocked.CompareExchange(ref _beginning, Beginning.Expected, Beginning.Prologue);
    }

    /// <summary>The server reads the peer's first message, or never will. Threads: any.</summary>
    internal void NoteBegun()
    {
        if (Interlocked.CompareExchange(ref _beginning, Beginning.Begun, Beginning.Expected) == Beginning.Expected)
        {
            _connection.Listener?.NoteBegun();
        }
    }

    private void CancelOnceHeard()
    {
        if (IsNewBehindStop && _connection.Options.FirstBytesPatience > TimeSpan.Zero)
        {
            _ = CancelLaterAsync();
        }
        else
        {
            CancelRead();
        }
    }

    private async Task CancelLaterAsync()
    {
        try
        {
            await _reactor.DelayAsync(_connection.Options.FirstBytesPatience).ConfigureAwait(false);
        }
        catch (ObjectDisposedException)
        {
            // The reactor ends, and the connection with it.
            return;
        }

        CancelRead();
    }

    private void CancelRead()
    {
        _isCancelRequested = true;
        Notify();
    }
}
