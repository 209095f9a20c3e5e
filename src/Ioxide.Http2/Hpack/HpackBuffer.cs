namespace Ioxide.Http2;

/// <summary>Bytes of one header block while it is written; grows as needed and is used again. Bounded by what the application's fields are long.</summary>
internal sealed class HpackBuffer
{
    private const int FirstBytes = 256;

    private byte[] _bytes = new byte[FirstBytes];

    internal int Length { get; private set; }

    internal ReadOnlySpan<byte> Written => _bytes.AsSpan(0, Length);

    internal void Clear() => Length = 0;

    /// <summary>Room for at least so many bytes; <see cref="Advance"/> says how many were written.</summary>
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
