using Microsoft.AspNetCore.Connections;

namespace Ioxide.AspNetCore;

/// <summary>The framework's exceptions for the ways in which a connection ends, as the sockets transport throws them.</summary>
internal static class ConnectionErrors
{
    internal static Exception Make(CloseReason reason, Exception? cause) => reason switch
    {
        CloseReason.PeerReset => new ConnectionResetException(
            "The peer reset the connection.", cause ?? new IOException("Connection reset by peer.")),
        _ => cause as ConnectionAbortedException ?? new ConnectionAbortedException(
            reason == CloseReason.ReactorEnded ? "The reactor of the connection has ended." : "The connection was aborted.",
            cause ?? new OperationCanceledException("The connection was aborted.")),
    };
}
