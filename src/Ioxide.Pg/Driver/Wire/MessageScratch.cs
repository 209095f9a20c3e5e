using System.Buffers;

namespace Ioxide.Pg;

/// <summary>Assembles a message that arrived in several buffers. One per connection; it grows and shrinks.</summary>
/// <param name="maxMessageBytes">The limit of a message that is read whole. Nothing is allocated for a length that a peer only claims.</param>
/// <param name="passesRows">
/// Leaves a longer row, or piece of a COPY, to a <see cref="LongMessage"/>. Otherwise it ends the connection, as any other message does.
/// </param>
internal sealed class MessageScratch(int maxMessageBytes, bool passesRows = false)
{
    /// <summary>The longest message that PostgreSQL can send: its buffers end at 1 GiB.</summary>
    internal const int ServerLimitBytes = 1024 * 1024 * 1024;

    // The memory kept between messages; more is returned at once.
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

    /// <summary>Whether a message is a row, or a piece of a COPY, that is not read whole.</summary>
    /// <exception cref="PgProtocolException">It is another message, or longer than a server can send.</exception>
    internal bool Passes(byte type, uint length)
    {
        if (length < 4 || length - 4 > (uint)MaxMessageBytes)
        {
            return passesRows && type is BackendMessage.DataRow or BackendMessage.CopyData && length is >= 4 and <= ServerLimitBytes
                ? true
                : throw Refuse(type, length);
        }

        return false;
    }

    private PgProtocolException Refuse(byte type, uint length)
        => length < 4
            ? new PgProtocolException($"The server sent a message of type 0x{type:x2} with the impossible length {length}.")
            : new PgProtocolException(
                $"The server sent a message of type 0x{type:x2} with {length:N0} bytes; the limit is {MaxMessageBytes:N0} " +
                $"({nameof(PgDataSourceOptions.MaxMessageBytes)}). The connection is closed.");
}
