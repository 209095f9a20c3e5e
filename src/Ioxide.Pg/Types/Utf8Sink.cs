using System.Buffers;
using System.Globalization;

namespace Ioxide.Pg;

/// <summary>Collects UTF-8 bytes for an <see cref="IBufferWriter{T}"/>, or in scratch memory. It allocates nothing.</summary>
/// <remarks>With a writer, call <see cref="Flush"/> at the end. With scratch memory, <see cref="Dispose"/> returns rented memory.</remarks>
internal ref struct Utf8Sink
{
    private const int MinRoomBytes = 256;
    private const int MaxFormattedBytes = 64;

    private readonly IBufferWriter<byte>? _writer;
    private Span<byte> _span;
    private int _position;
    private byte[]? _rented;

    /// <param name="writer">The destination.</param>
    internal Utf8Sink(IBufferWriter<byte> writer) => _writer = writer;

    /// <param name="scratch">Initial memory; more is rented as needed.</param>
    internal Utf8Sink(Span<byte> scratch) => _span = scratch;

    /// <summary>The collected bytes; only with scratch memory.</summary>
    internal readonly ReadOnlySpan<byte> Written => _span[.._position];

    /// <summary>Bytes that were not yet passed to the writer.</summary>
    internal readonly int Pending => _position;

    /// <summary>Returns room for at least <paramref name="lengthBytes"/> bytes; <see cref="Advance"/> commits the used ones.</summary>
    internal Span<byte> Room(int lengthBytes)
    {
        if (_span.Length - _position < lengthBytes)
        {
            Grow(lengthBytes);
        }

        return _span[_position..];
    }

    internal void Advance(int countBytes) => _position += countBytes;

    internal void Write(byte value)
    {
        if (_position == _span.Length)
        {
            Grow(1);
        }

        _span[_position++] = value;
    }

    internal void Write(char ascii) => Write((byte)ascii);

    /// <summary>Writes a character so many times.</summary>
    internal void Write(char ascii, int count)
    {
        for (; count > 0; count--)
        {
            Write((byte)ascii);
        }
    }

    /// <summary>Writes a value whose text has at most 64 bytes: a number, a UUID.</summary>
    internal void WriteFormatted<T>(T value, ReadOnlySpan<char> format = default)
        where T : IUtf8SpanFormattable
    {
        value.TryFormat(Room(MaxFormattedBytes), out int written, format, CultureInfo.InvariantCulture);
        Advance(written);
    }

    internal void Write(scoped ReadOnlySpan<byte> value)
    {
        if (value.Length <= _span.Length - _position)
        {
            value.CopyTo(_span[_position..]);
            _position += value.Length;
            return;
        }

        WriteLong(value);
    }

    /// <summary>Passes written bytes to the writer.</summary>
    internal void Flush()
    {
        if (_writer is not null && _position > 0)
        {
            _writer.Advance(_position);
            _span = default;
            _position = 0;
        }
    }

    /// <summary>Discards the collected bytes; only with scratch memory.</summary>
    internal void Clear() => _position = 0;

    internal void Dispose()
    {
        if (_rented is { } rented)
        {
            _rented = null;
            _span = default;
            _position = 0;
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    private void WriteLong(scoped ReadOnlySpan<byte> value)
    {
        if (_writer is null)
        {
            Grow(value.Length);
            value.CopyTo(_span[_position..]);
            _position += value.Length;
            return;
        }

        // A long value fills the writer's buffers piece by piece, instead of requesting one buffer of its length.
        while (!value.IsEmpty)
        {
            if (_position == _span.Length)
            {
                Grow(1);
            }

            int count = Math.Min(value.Length, _span.Length - _position);
            value[..count].CopyTo(_span[_position..]);
            _position += count;
            value = value[count..];
        }
    }

    private void Grow(int lengthBytes)
    {
        if (_writer is not null)
        {
            Flush();
            _span = _writer.GetSpan(Math.Max(lengthBytes, MinRoomBytes));
            return;
        }

        int wanted = Math.Max(checked(_position + lengthBytes), (int)Math.Min(2L * _span.Length, Array.MaxLength));
        byte[] larger = ArrayPool<byte>.Shared.Rent(Math.Max(wanted, MinRoomBytes));
        _span[.._position].CopyTo(larger);
        if (_rented is not null)
        {
            ArrayPool<byte>.Shared.Return(_rented);
        }

        _rented = larger;
        _span = larger;
    }
}
