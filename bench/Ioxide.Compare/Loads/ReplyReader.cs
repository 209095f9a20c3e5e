using System.Net.Sockets;
using System.Text;

namespace Ioxide.Compare.Loads;

/// <summary>Reads HTTP/1.1 replies of up to 16 KB from a blocking stream, one at a time.</summary>
internal sealed class ReplyReader(Stream stream)
{
    private readonly byte[] _buffer = new byte[16 * 1024];

    internal ReplyReader(Socket socket)
        : this(new NetworkStream(socket))
    {
    }

    /// <summary>Reads one reply, whose body has a length or is chunked as a whole.</summary>
    /// <returns>The reply's head and body.</returns>
    /// <exception cref="RefusedException">The connection ended, the reply is too long or is not a success.</exception>
    internal string Read()
    {
        int lengthBytes = 0;
        while (true)
        {
            int receivedBytes = stream.Read(_buffer.AsSpan(lengthBytes));
            if (receivedBytes == 0)
            {
                throw new RefusedException("The server closed the connection, or its reply is too long.");
            }

            lengthBytes += receivedBytes;
            if (RawResponse.TryRead(_buffer.AsSpan(0, lengthBytes), isHead: false, hasEnded: false, out _) is { } response)
            {
                string text = Encoding.ASCII.GetString(_buffer, 0, lengthBytes);
                return response.Status == 200 ? text : throw new RefusedException($"The server answered: {text}");
            }
        }
    }
}
