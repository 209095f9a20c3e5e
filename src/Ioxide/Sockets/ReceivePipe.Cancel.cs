namespace Ioxide;

/// <summary>Ending a read before its time, and what a stop leaves to connections that have just begun.</summary>
internal sealed partial class ReceivePipe
{
    private static readonly Action<object?, object?, long, long> s_cancel =
        static (pipe, _, _, _) => ((ReceivePipe)pipe!).CancelOnceHeard();

    /// <summary>Nothing has come from the peer yet, and whoever accepted it has stopped.</summary>
    private bool IsNewBehindStop => _received == _prologueEnd && !_isEnded && _connection.Listener is { IsUnbound: true };

    /// <inheritdoc/>
    public override void CancelPendingRead()
    {
        if (_reactor.IsCurrent && !IsNewBehindStop)
        {
            // The reader is resumed from the loop, never inside the call of another piece of application code.
            _isCancelRequested = true;
            _reactor.Enqueue(new WorkItem(static (pipe, _, _, _) => ((ReceivePipe)pipe!).Notify(), this));
            return;
        }

        // A turn later: what has arrived is seen first. A server that stops cancels the reads of connections that look idle or have
        // just begun, and a request that lies in the socket would be lost.
        _reactor.Enqueue(new WorkItem(
            static (pipe, _, _, _) => ((ReceivePipe)pipe!)._reactor.Enqueue(new WorkItem(s_cancel, pipe)), this));
    }

    internal void BeginPrologue() => _isInPrologue = true;

    internal void EndPrologue()
    {
        _isInPrologue = false;
        _prologueEnd = _consumed;
    }

    /// <summary>The server reads the peer's first message, or never will. Threads: any.</summary>
    internal void NoteBegun()
    {
        if (!_isInPrologue && !Interlocked.Exchange(ref _hasBegun, true))
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
            Cancel();
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
            // The reactor ends and so does the connection.
            return;
        }

        Cancel();
    }

    private void Cancel()
    {
        _isCancelRequested = true;
        Notify();
    }
}
