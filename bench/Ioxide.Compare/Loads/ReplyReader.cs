using System.Globalization;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.Compare.Loads;

/// <summary>Reads HTTP/1.1 replies of up to 16 KB from a blocking stream, one at a time.</summary>
internal sealed class ReplyReader(Stream stream)
{
    private const string LengthLabel = "\r\nContent-Length: ";

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
            string text = Encoding.ASCII.GetString(_buffer, 0, lengthBytes);
            if (IsWhole(text))
            {
                return text.StartsWith("HTTP/1.1 200 ", StringComparison.Ordinal)
                    ? text
                    : throw new RefusedException($"The server answered: {text}");
            }
        }
    }

    private static bool IsWhole(string text)
    {
        int headLength = text.IndexOf("\r\n\r\n", StringComparison.Ordinal) + 4;
        if (headLength < 4)
        {
            return false;
        }

        int label = text.IndexOf(LengthLabel, StringComparison.OrdinalIgnoreCase);
        if (label < 0 || label > headLength)
        {
            return text.EndsWith("\r\n0\r\n\r\n", StringComparison.Ordinal);
        }

        int start = label + LengthLabel.Length;
        int end = text.IndexOf('\r', start);
        return text.Length >= headLength + int.Parse(text.AsSpan(start, end - start), CultureInfo.InvariantCulture);
    }
}
