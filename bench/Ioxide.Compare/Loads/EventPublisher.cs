using System.Net.Sockets;
using System.Text;

namespace Ioxide.Compare.Loads;

/// <summary>Publishes events by <c>POST /sse/ID</c>, one at a time.</summary>
internal sealed class EventPublisher(Socket socket, int listenerCount)
{
    private readonly ReplyReader _replies = new(socket);

    /// <summary>Of the event published last; the first is 1.</summary>
    internal int LastId { get; private set; }

    internal bool IsWaiting { get; private set; }

    internal void Publish()
    {
        LastId++;
        IsWaiting = true;
        socket.Send(Encoding.ASCII.GetBytes($"POST /sse/{LastId} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"));
    }

    /// <exception cref="RefusedException">Not every listener got the event.</exception>
    internal void Receive()
    {
        int count = ReadCount();
        if (count != listenerCount)
        {
            throw new RefusedException($"an event went to {count} of {listenerCount} listeners");
        }
    }

    /// <returns>How many listeners it went to.</returns>
    internal int PublishAndCount()
    {
        Publish();
        return ReadCount();
    }

    private int ReadCount()
    {
        string reply = _replies.Read();
        IsWaiting = false;
        string body = reply[(reply.IndexOf("\r\n\r\n", StringComparison.Ordinal) + 4)..];

        // A chunked number comes as its length, itself, and an empty chunk.
        string[] lines = body.Split("\r\n");
        return int.TryParse(lines.Length == 1 ? lines[0] : lines[1], out int count)
            ? count
            : throw new RefusedException($"publishing was answered with: {reply}");
    }
}
