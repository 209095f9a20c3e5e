using System.Net.Sockets;

namespace Ioxide.Compare.Loads;

/// <summary>Connections that ask for an answer without an end and read nothing of it.</summary>
internal sealed class NonReaders : HeldConnections
{
    private const int Count = 1000;

    private static readonly byte[] s_request = "GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n"u8.ToArray();

    internal NonReaders(int port)
        : base(port, Count, LikeOverANetwork)
    {
        foreach (Socket socket in Sockets)
        {
            socket.Send(s_request);
        }
    }

    /// <summary>
    /// With loopback's segments of 64 KiB the kernel would queue 2.5 MB for each, and run short of memory for TCP.
    /// </summary>
    private static void LikeOverANetwork(Socket socket)
    {
        const int LevelTcp = 6;
        const int MaximumSegment = 2;
        const int EthernetSegmentBytes = 1460;
        const int ReceiveBufferBytes = 4096;
        socket.SetRawSocketOption(LevelTcp, MaximumSegment, BitConverter.GetBytes(EthernetSegmentBytes));
        socket.ReceiveBufferSize = ReceiveBufferBytes;
    }
}
