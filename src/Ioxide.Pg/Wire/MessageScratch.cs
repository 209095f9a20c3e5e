using System.Buffers;

namespace Ioxide.Pg;

/// <summary>Where a message is put together that arrived in several buffers. One a connection; it grows and shrinks.</summary>
/// <param name="maxMessageBytes">A longer message ends the connection. Nothing is allocated for what a peer only claims.</param>
internal sealed class MessageScratch(int maxMessageBytes)
{
    // What is kept between messages; more goes back at once.
    private const int KeptBytes = 64 * 1024;

    private byte[] _buffer = [];

    internal int MaxMessageBytes { get; } = maxMessageBytes;

    internal Span<byte> Rent(int lengthBytes)
    {
        if (_buffer.Length < lengthBytes || (_buffer.Length > KeptBytes && lengthBytes <= KeptBytes))
        {
            Release();
            _buffer = ArrayPool<byte>.Shared.Rent(Math.Max(lengthBytes, 4096));
        }

        return _buffer.AsSpan(0, lengthBytes);
    }

    internal void Release()
    {
        byte[] buffer = _buffer;
        _buffer = [];
        if (buffer.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    internal PgProtocolException Refuse(byte type, uint length)
        => length < 4
            ? new PgProtocolException($"The server sent a message of type 0x{type:x2} with the impossible length {length}.")
            : new PgProtocolException(
                $"The server sent a message of type 0x{type:x2} with {length:N0} bytes; the limit is {MaxMessageBytes:N0}. " +
                $"Raise {nameof(PgDataSourceOptions.MaxMessageBytes)}, or fetch less in a row.");
}
