using System.Diagnostics;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.Compare.Loads;

/// <summary>The least of RFC 6455 that an echo needs: the upgrade, a masked binary frame out, a frame back.</summary>
internal sealed class WebSocketClient(Socket socket, int inFlight)
{
    internal const int MessageLengthBytes = 32;

    private const int MaskLengthBytes = 4;
    private const int HeadLengthBytes = 2;
    private const byte FinalBinaryFrame = 0x82;
    private const byte FinalCloseFrame = 0x88;
    private const byte MaskBit = 0x80;
    private const int HeadCapacityBytes = 1024;

    private readonly byte[] _request = new byte[inFlight * (HeadLengthBytes + MaskLengthBytes + MessageLengthBytes)];
    private readonly byte[] _reply = new byte[inFlight * (HeadLengthBytes + MessageLengthBytes)];
    private readonly byte[] _head = new byte[HeadCapacityBytes];
    private int _headLengthBytes;
    private int _replyLengthBytes;
    private byte _sequence;
    private long _sentAt;

    /// <summary>Asks for the upgrade. Its answer comes by <see cref="TryUpgrade"/>.</summary>
    internal void RequestUpgrade(string path)
        => socket.Send(Encoding.ASCII.GetBytes(
            $"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"));

    /// <summary>Takes what is there of the answer to <see cref="RequestUpgrade"/>.</summary>
    /// <returns>True when the connection is a WebSocket.</returns>
    /// <exception cref="RefusedException">The server does not switch protocols.</exception>
    internal bool TryUpgrade()
    {
        int receivedBytes = socket.Receive(_head.AsSpan(_headLengthBytes));
        _headLengthBytes += receivedBytes;
        string text = Encoding.ASCII.GetString(_head, 0, _headLengthBytes);
        if (receivedBytes == 0)
        {
            throw new RefusedException($"The server closed the connection instead of upgrading it: {text}");
        }

        if (!text.EndsWith("\r\n\r\n", StringComparison.Ordinal))
        {
            return false;
        }

        return text.StartsWith("HTTP/1.1 101 ", StringComparison.Ordinal)
            ? true
            : throw new RefusedException($"The server did not upgrade: {text}");
    }

    /// <summary>Sends a close frame without a code (RFC 6455, 5.5.1). The end comes by <see cref="TryEnd"/>.</summary>
    internal void RequestClose() => socket.Send([FinalCloseFrame, MaskBit, 0, 0, 0, 0]);

    /// <summary>Takes what is there behind <see cref="RequestClose"/>.</summary>
    /// <returns>True when the server has closed the connection.</returns>
    internal bool TryEnd() => socket.Receive(_head) == 0;

    /// <summary>Sends the messages of a batch, by one call.</summary>
    internal void Send()
    {
        const int frameLengthBytes = HeadLengthBytes + MaskLengthBytes + MessageLengthBytes;
        for (int start = 0; start < _request.Length; start += frameLengthBytes)
        {
            // Each message differs, so that an echo of an earlier one is noticed.
            Span<byte> frame = _request.AsSpan(start, frameLengthBytes);
            frame[0] = FinalBinaryFrame;
            frame[1] = MaskBit | MessageLengthBytes;

            // A mask of zeros, which the frame carries already, leaves the message as it is.
            frame[(HeadLengthBytes + MaskLengthBytes)..].Fill(++_sequence);
        }

        _replyLengthBytes = 0;
        _sentAt = Stopwatch.GetTimestamp();
        socket.Send(_request);
    }

    /// <summary>Takes what is there.</summary>
    /// <returns>True when the echoes of the batch are whole.</returns>
    /// <exception cref="RefusedException">The connection ended, or an echo is another message.</exception>
    internal bool TryReceive(out TimeSpan latency)
    {
        latency = default;
        int receivedBytes = socket.Receive(_reply.AsSpan(_replyLengthBytes));
        if (receivedBytes == 0)
        {
            throw new RefusedException("The server closed a WebSocket.");
        }

        _replyLengthBytes += receivedBytes;
        if (_replyLengthBytes < _reply.Length)
        {
            return false;
        }

        latency = Stopwatch.GetElapsedTime(_sentAt);
        return AreEchoes() ? true : throw new RefusedException($"The server echoed another message: {Convert.ToHexString(_reply)}");
    }

    private bool AreEchoes()
    {
        const int frameLengthBytes = HeadLengthBytes + MessageLengthBytes;
        byte expected = (byte)(_sequence - inFlight);
        for (int start = 0; start < _reply.Length; start += frameLengthBytes)
        {
            ReadOnlySpan<byte> frame = _reply.AsSpan(start, frameLengthBytes);
            expected++;
            if (frame[0] != FinalBinaryFrame || frame[1] != MessageLengthBytes || frame[HeadLengthBytes..].ContainsAnyExcept(expected))
            {
                return false;
            }
        }

        return true;
    }
}
