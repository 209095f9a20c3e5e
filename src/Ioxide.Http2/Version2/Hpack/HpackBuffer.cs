namespace Ioxide.Http2;

/// <summary>
/// Bytes of one header block while it is written; grows as needed and is reused. Bounded by the length of the application's fields.
/// </summary>
internal sealed class HpackBuffer
{
    private const int FirstBytes = 256;

    private byte[] _bytes = new byte[FirstBytes];

    internal int Length { get; private set; }

    internal ReadOnlySpan<byte> Written => _bytes.AsSpan(0, Length);

    internal void Clear() => Length = 0;

    /// <summary>Room for at least this many bytes; <see cref="Advance"/> takes the number written.</summary>
    internal Span<byte> GetSpan(int bytes)
    {
        if (_bytes.Length - Length < bytes)
        {
            Array.Resize(ref _bytes, Math.Max(_bytes.Length * 2, Length + bytes));
        }

        return _bytes.AsSpan(Length);
    }

    internal void Advance(int bytes) => Length += bytes;

    internal void Write(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(GetSpan(bytes.Length));
        Length += bytes.Length;
    }
}
