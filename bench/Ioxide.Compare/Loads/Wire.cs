using System.Net.Sockets;
using Ioxide.Compare.Servers;

namespace Ioxide.Compare.Loads;

/// <summary>A connection of a load whose thread also serves others: it takes what is there and never waits for more.</summary>
/// <remarks>Threads: one.</remarks>
internal abstract class Wire(Socket socket) : IDisposable
{
    /// <summary>Becomes readable when <see cref="Take"/> is worth a call.</summary>
    internal Socket Socket { get; } = socket;

    /// <summary>For what may wait, before the first <see cref="Take"/>.</summary>
    internal abstract Stream Stream { get; }

    /// <exception cref="SocketException">Nobody listens there, or descriptors or ports have run out.</exception>
    /// <exception cref="IOException">The handshake failed.</exception>
    internal static Wire Connect(ServerPorts ports, WorkloadEndpoint endpoint)
        => endpoint == WorkloadEndpoint.Https ? TlsWire.Connect(ports.Https) : new PlainWire(LoopbackSocket.Connect(ports.Http));

    /// <summary>Waits while the socket's buffer is full.</summary>
    internal abstract void Send(ReadOnlySpan<byte> bytes);

    /// <summary>Takes bytes of the application, after the socket was found readable.</summary>
    /// <returns>How many; 0 where they are not whole yet.</returns>
    /// <exception cref="RefusedException">The connection has ended, or there is more than was asked for.</exception>
    internal abstract int Take(Span<byte> destination);

    public abstract void Dispose();

    private sealed class PlainWire(Socket socket) : Wire(socket)
    {
        internal override Stream Stream { get; } = new NetworkStream(socket);

        internal override void Send(ReadOnlySpan<byte> bytes) => Socket.Send(bytes);

        internal override int Take(Span<byte> destination)
        {
            int takenBytes = destination.Length > 0 ? Socket.Receive(destination) : 0;
            return takenBytes > 0 ? takenBytes : throw new RefusedException("the server closed a connection or answered too much");
        }

        public override void Dispose() => Socket.Dispose();
    }
}
