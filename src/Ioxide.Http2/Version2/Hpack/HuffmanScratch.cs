namespace Ioxide.Http2;

/// <summary>Where a decoder puts decoded strings, one at a time. A string that comes again, as paths do, is still there.</summary>
/// <remarks>Threads: the decoder's. Bounds: the longest allowed string, and encoded strings of 64 bytes that are recognized.</remarks>
internal sealed class HuffmanScratch
{
    private const int FirstBytes = 256;
    private const int RecognizedBytes = 64;

    private readonly byte[] _encoded = new byte[RecognizedBytes];
    private byte[] _bytes = new byte[FirstBytes];
    private int _encodedLength;
    private int _length;

    /// <summary>Decodes a string.</summary>
    /// <param name="source">The encoded bytes, padding included.</param>
    /// <param name="maxBytes">The limit of the decoded string.</param>
    /// <param name="text">The string, until the next call. Empty after an error.</param>
    internal HuffmanResult Decode(ReadOnlySpan<byte> source, int maxBytes, out ReadOnlySpan<byte> text)
    {
        if (_encodedLength != 0 && source.SequenceEqual(_encoded.AsSpan(0, _encodedLength)))
        {
            text = _bytes.AsSpan(0, _length);
            return HuffmanResult.Done;
        }

        int room = Math.Min(Huffman.MaxDecodedLength(source.Length), maxBytes);
        if (_bytes.Length < room)
        {
            _bytes = new byte[Math.Max(room, Math.Min(_bytes.Length * 2, maxBytes))];
        }

        HuffmanResult result = Huffman.Decode(source, _bytes.AsSpan(0, room), out _length);
        bool isRecognized = result == HuffmanResult.Done && source.Length <= RecognizedBytes;
        _encodedLength = isRecognized ? source.Length : 0;
        source[.._encodedLength].CopyTo(_encoded);
        text = result == HuffmanResult.Done ? _bytes.AsSpan(0, _length) : default;
        return result;
    }
}
