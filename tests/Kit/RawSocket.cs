using System.Net;
using System.Net.Sockets;

namespace Ioxide.TestKit;

/// <summary>Plain sockets as the other side: real bytes, each wait bounded.</summary>
internal static class RawSocket
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(20);

    /// <summary>A socket for an address, without Nagle's delay.</summary>
    internal static Socket Create(EndPoint endPoint)
        => endPoint is UnixDomainSocketEndPoint
            ? new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };

    /// <summary>A connected one, with so much room to receive where that is said. The caller disposes it.</summary>
    internal static async Task<Socket> ConnectAsync(EndPoint endPoint, int receiveBufferBytes = 0)
    {
        Socket socket = Create(endPoint);
        try
        {
            if (receiveBufferBytes > 0)
            {
                socket.ReceiveBufferSize = receiveBufferBytes;
            }

            await socket.ConnectAsync(endPoint).Within(s_limit, $"connected to {endPoint}").ConfigureAwait(false);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Waits until a connect to the address is refused.</summary>
    /// <remarks>
    /// A closed listener may still accept for a moment: a child of this process holds a copy of each descriptor between its fork and
    /// its exec (close(2), fork(2)).
    /// </remarks>
    internal static async Task UntilNobodyListensAsync(EndPoint endPoint)
        => await Waits.Until(
            async () =>
            {
                try
                {
                    (await ConnectAsync(endPoint).ConfigureAwait(false)).Dispose();
                    return false;
                }
                catch (SocketException)
                {
                    return true;
                }
            },
            static isRefused => isRefused,
            s_limit, $"a connect to {endPoint} is refused").ConfigureAwait(false);

    /// <summary>An IPv4 loopback address that nothing listens on and that nobody else gets until the socket is disposed.</summary>
    internal static Socket Reserve()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    /// <summary>A listening socket on a free IPv4 loopback port.</summary>
    internal static Socket Listen(int backlog = 128)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        socket.Listen(backlog);
        return socket;
    }

    internal static async Task SendAllAsync(this Socket socket, ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            int sent = await socket.SendAsync(bytes, SocketFlags.None).AsTask().Within(s_limit, "bytes are sent").ConfigureAwait(false);
            bytes = bytes[sent..];
        }
    }

    /// <summary>Exactly so many bytes; an earlier end of the stream fails.</summary>
    internal static async Task<byte[]> ReceiveExactlyAsync(this Socket socket, int count)
    {
        byte[] bytes = new byte[count];
        for (int received = 0; received < count;)
        {
            int more = await socket.ReceiveAsync(bytes.AsMemory(received), SocketFlags.None)
                .AsTask().Within(s_limit, $"byte {received} of {count}").ConfigureAwait(false);
            if (more == 0)
            {
                throw new EndOfStreamException($"The stream ended after {received} of {count} bytes.");
            }

            received += more;
        }

        return bytes;
    }

    /// <summary>Every byte up to the end of the stream.</summary>
    internal static async Task<byte[]> ReceiveToEndAsync(this Socket socket)
    {
        using var all = new MemoryStream();
        byte[] chunk = new byte[64 * 1024];
        while (true)
        {
            int count = await socket.ReceiveAsync(chunk.AsMemory(), SocketFlags.None)
                .AsTask().Within(s_limit, $"the end of the stream, {all.Length} bytes so far").ConfigureAwait(false);
            if (count == 0)
            {
                return all.ToArray();
            }

            all.Write(chunk, 0, count);
        }
    }

    /// <summary>Closes with a reset instead of an end of the stream.</summary>
    internal static void Reset(this Socket socket)
    {
        socket.LingerState = new LingerOption(true, 0);
        socket.Dispose();
    }
}
