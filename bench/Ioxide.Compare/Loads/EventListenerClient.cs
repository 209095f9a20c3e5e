using System.Net.Sockets;
using System.Text;

namespace Ioxide.Compare.Loads;

/// <summary>One connection to <c>/sse</c>: takes events and checks that none is missing or out of order.</summary>
internal sealed class EventListenerClient
{
    private readonly byte[] _buffer = new byte[16 * 1024];
    private int _lengthBytes;
    private byte[] _next = [];
    private int _skippedTo;

    internal EventListenerClient(Socket socket)
    {
        Socket = socket;
        socket.Send("GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n"u8);
    }

    internal Socket Socket { get; }

    internal int LastId { get; private set; }

    /// <summary>Takes everything up to an event that is on its way; earlier ones may be missing.</summary>
    internal void SkipTo(int id)
    {
        _skippedTo = id;
        Expect(id);
        while (LastId < id)
        {
            Receive();
        }
    }

    /// <summary>Takes what is there, and waits where nothing is.</summary>
    /// <exception cref="RefusedException">The stream ended, or an event is missing.</exception>
    internal void Receive()
    {
        int receivedBytes = Socket.Receive(_buffer.AsSpan(_lengthBytes));
        if (receivedBytes == 0)
        {
            throw new RefusedException("the server ended a stream of events, or one is missing");
        }

        _lengthBytes += receivedBytes;
        while (_buffer.AsSpan(0, _lengthBytes).IndexOf(_next) is int at && at >= 0)
        {
            if (LastId >= _skippedTo && _buffer.AsSpan(0, at).IndexOf("data: "u8) >= 0)
            {
                throw new RefusedException($"an event came before event {LastId + 1}");
            }

            int end = at + _next.Length;
            _buffer.AsSpan(end, _lengthBytes - end).CopyTo(_buffer);
            _lengthBytes -= end;
            LastId = Math.Max(LastId + 1, _skippedTo);
            Expect(LastId + 1);
        }
    }

    private void Expect(int id) => _next = Encoding.ASCII.GetBytes($"data: event {id}\n\n");
}
