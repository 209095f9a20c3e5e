using System.Buffers.Binary;
using System.Net.Sockets;

namespace Ioxide.Simulation;

/// <summary>What Linux says of a TCP socket: parts of <c>struct tcp_info</c>.</summary>
/// <remarks>Source: include/uapi/linux/tcp.h; <c>tcpi_bytes_received</c> since Linux 4.1.</remarks>
internal readonly ref struct TcpInfo
{
    internal const byte StateFinWait1 = 4;
    internal const byte StateClose = 7;
    internal const byte StateCloseWait = 8;
    internal const byte StateEstablished = 1;

    private const int SizeBytes = 192;
    private const int UnacknowledgedOffset = 24;
    private const int BytesReceivedOffset = 128;

    private readonly ReadOnlySpan<byte> _bytes;

    private TcpInfo(ReadOnlySpan<byte> bytes) => _bytes = bytes;

    internal byte State => _bytes[0];

    /// <summary>Segments on their way; of a listener, the connections that wait to be accepted.</summary>
    internal uint Unacknowledged => BinaryPrimitives.ReadUInt32LittleEndian(_bytes[UnacknowledgedOffset..]);

    /// <summary>Bytes that arrived, also those that were read.</summary>
    internal ulong BytesReceived => BinaryPrimitives.ReadUInt64LittleEndian(_bytes[BytesReceivedOffset..]);

    internal static unsafe TcpInfo Of(Kernel kernel, int descriptor)
    {
        byte[] bytes = new byte[SizeBytes];
        uint length = SizeBytes;
        fixed (byte* pointer = bytes)
        {
            int result = kernel.GetSocketOption(descriptor, SocketConstants.LevelTcp, SocketConstants.OptionTcpInfo, pointer, &length);
            Assert.True(result >= 0, $"TCP_INFO gave {result}");
        }

        return new TcpInfo(bytes);
    }

    internal static TcpInfo Of(Socket socket)
    {
        byte[] bytes = new byte[SizeBytes];
        _ = socket.GetRawSocketOption(SocketConstants.LevelTcp, SocketConstants.OptionTcpInfo, bytes);
        return new TcpInfo(bytes);
    }
}
