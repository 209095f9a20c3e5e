using System.Net.Security;
using System.Net.Sockets;

namespace Ioxide.Compare.Loads;

/// <summary>TLS by SslStream on a socket that the load's own thread reads.</summary>
/// <remarks>
/// SslStream always has a read under way. What the thread received is handed to it in <see cref="FedStream.Feed"/>, which continues that read on the
/// same thread: nothing here waits, and the thread pool has no part in it.
/// </remarks>
internal sealed class TlsWire : Wire
{
    private const int RecordBytes = 16 * 1024;

    private readonly FedStream _socketStream;
    private readonly SslStream _secured;
    private readonly byte[] _plain = new byte[RecordBytes];
    private Task<int>? _reading;

    private TlsWire(Socket socket, FedStream socketStream, SslStream secured)
        : base(socket)
    {
        _socketStream = socketStream;
        _secured = secured;
    }

    internal override Stream Stream => _secured;

    /// <inheritdoc cref="Wire.Connect"/>
    internal static TlsWire Connect(int port)
    {
        Socket socket = LoopbackSocket.Connect(port);
        var socketStream = new FedStream(socket);
        return new TlsWire(socket, socketStream, LoopbackStream.Secure(socketStream));
    }

    internal override void Send(ReadOnlySpan<byte> bytes) => _secured.Write(bytes);

    internal override int Take(Span<byte> destination)
    {
        int takenBytes = 0;
        if (_reading is null)
        {
            _socketStream.IsFed = true;
            _reading = ReadAsync();
        }

        _socketStream.Feed();
        while (_reading.IsCompleted)
        {
            int readBytes = _reading.GetAwaiter().GetResult();
            if (readBytes == 0 || readBytes > destination.Length - takenBytes)
            {
                throw new RefusedException("the server closed a connection or answered too much");
            }

            _plain.AsSpan(0, readBytes).CopyTo(destination[takenBytes..]);
            takenBytes += readBytes;
            _reading = ReadAsync();
        }

        return takenBytes;
    }

    public override void Dispose() => _secured.Dispose();

    private Task<int> ReadAsync() => _secured.ReadAsync(_plain).AsTask();
}
