namespace Ioxide.AspNetCore;

/// <summary>The framework's exceptions for the ways in which a connection ends, as the sockets transport throws them.</summary>
internal static class ConnectionErrors
{
    internal static Exception Make(CloseReason reason, Exception? cause)
    {
        if (reason == CloseReason.PeerReset)
        {
            // Code that cares looks into the inner exception for its SocketErrorCode.
            cause ??= new SocketException((int)SocketError.ConnectionReset);
            return new ConnectionResetException(cause.Message, cause);
        }

        return cause as ConnectionAbortedException ?? new ConnectionAbortedException(
            reason == CloseReason.ReactorEnded ? "The reactor of the connection has ended." : "The connection was aborted.",
            cause ?? new OperationCanceledException("The connection was aborted."));
    }
}
