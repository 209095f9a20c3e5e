using System.Net.Sockets;

namespace SocketServer;

/// <summary>Serves one socket: receive, count the requests, send that many replies, again.</summary>
/// <remarks>One operation is in flight at a time, so nothing here needs a lock.</remarks>
internal sealed class Connection : IDisposable
{
    private const int ReceiveLengthBytes = 4096;
    private const int MaxRepliesPerReceive = ReceiveLengthBytes / 4;

    private static readonly byte[] s_reply =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!"u8.ToArray();

    private static readonly byte[] s_replies = Repeat(s_reply, MaxRepliesPerReceive);

    private readonly Socket _socket;
    private readonly SocketAsyncEventArgs _receive;
    private readonly SocketAsyncEventArgs _send;
    private RequestScanner _scanner;

    internal Connection(Socket socket)
    {
        _socket = socket;
        _socket.NoDelay = true;

        // The execution context would be captured and restored for every operation, for nothing.
        _receive = new SocketAsyncEventArgs(true);
        _receive.SetBuffer(new byte[ReceiveLengthBytes]);
        _receive.Completed += (_, _) => Continue(received: true);
        _send = new SocketAsyncEventArgs(true);
        _send.Completed += (_, _) => Continue(received: false);
    }

    internal void Start()
    {
        if (!_socket.ReceiveAsync(_receive))
        {
            Continue(received: true);
        }
    }

    public void Dispose()
    {
        _socket.Dispose();
        _receive.Dispose();
        _send.Dispose();
    }

    /// <summary>Goes on after an operation and as long as the next ones finish at once.</summary>
    private void Continue(bool received)
    {
        while (true)
        {
            int replyCount = 0;
            if (received)
            {
                if (_receive.SocketError != SocketError.Success || _receive.BytesTransferred == 0)
                {
                    Dispose();
                    return;
                }

                replyCount = _scanner.Count(_receive.MemoryBuffer.Span[.._receive.BytesTransferred]);
            }
            else if (_send.SocketError != SocketError.Success)
            {
                Dispose();
                return;
            }

            bool pending;
            if (replyCount > 0)
            {
                _send.SetBuffer(s_replies, 0, replyCount * s_reply.Length);
                pending = _socket.SendAsync(_send);
                received = false;
            }
            else
            {
                pending = _socket.ReceiveAsync(_receive);
                received = true;
            }

            if (pending)
            {
                return;
            }
        }
    }

    private static byte[] Repeat(byte[] reply, int count)
    {
        byte[] replies = new byte[reply.Length * count];
        for (int i = 0; i < count; i++)
        {
            reply.CopyTo(replies, i * reply.Length);
        }

        return replies;
    }
}
