namespace Ioxide;

/// <summary>Why a connection ended, and what its readers get for it. A mutable struct: the field of its connection.</summary>
internal struct CloseCause
{
    private Exception? _exception;

    internal CloseReason Reason { get; private set; }

    internal void Set(CloseReason reason, Exception? exception)
    {
        // The peer's FIN leaves the connection open for sending; the final reason is reported instead.
        if (Reason is CloseReason.None or CloseReason.PeerFinished)
        {
            Reason = reason;
            _exception = exception;
        }
    }

    internal readonly Exception ToError(RingConnectionOptions options)
    {
        CloseReason reason = Reason == CloseReason.None ? CloseReason.ReactorEnded : Reason;
        return options.ErrorFactory?.Invoke(reason, _exception) ?? new IOException(
            reason switch
            {
                CloseReason.PeerReset => "The peer reset the connection.",
                CloseReason.TimedOut => "The connection timed out.",
                CloseReason.Aborted => "The connection was aborted by this side.",
                CloseReason.ReactorEnded => "The reactor of the connection has ended.",
                _ => "The connection is closed.",
            },
            _exception);
    }
}
