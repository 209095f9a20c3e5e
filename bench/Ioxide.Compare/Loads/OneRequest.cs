using System.Buffers.Binary;
using Ioxide.Compare.Servers;

namespace Ioxide.Compare.Loads;

/// <summary>Opens a connection that does one GET and then waits, in the protocol of the endpoint.</summary>
internal static class OneRequest
{
    private const int FrameHeadBytes = 9;
    private const byte Settings = 4;
    private const byte EndStream = 1;

    private static readonly byte[] s_http1 = "GET /fixed HTTP/1.1\r\nHost: localhost\r\n\r\n"u8.ToArray();

    /// <returns>The connection, whose answer has been read.</returns>
    /// <exception cref="RefusedException">The connection ended before the answer did.</exception>
    internal static Stream Do(ServerPorts ports, WorkloadEndpoint endpoint)
    {
        Stream connection = LoopbackStream.Connect(ports, endpoint);
        try
        {
            if (endpoint == WorkloadEndpoint.Http2)
            {
                DoHttp2(connection);
            }
            else
            {
                connection.Write(s_http1);
                new ReplyReader(connection).Read();
            }

            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    private static void DoHttp2(Stream connection)
    {
        connection.Write(Http2Bytes.Opening(path: "/fixed").Span);
        byte[] head = new byte[FrameHeadBytes];
        byte[] payload = new byte[16 * 1024];
        bool hasEnded = false;
        bool hasSettings = false;
        while (!hasEnded || !hasSettings)
        {
            if (connection.ReadAtLeast(head, head.Length, throwOnEndOfStream: false) < head.Length)
            {
                throw new RefusedException("The server closed the connection before its answer's end.");
            }

            int length = (int)(BinaryPrimitives.ReadUInt32BigEndian(head) >> 8);
            connection.ReadExactly(payload, 0, length);
            bool isOfStream = BinaryPrimitives.ReadUInt32BigEndian(head.AsSpan(5)) == 1;
            hasSettings |= head[3] == Settings && head[4] == 0;
            hasEnded |= isOfStream && (head[4] & EndStream) != 0;
        }

        connection.Write(Http2Bytes.SettingsAcknowledged.Span);
    }
}
