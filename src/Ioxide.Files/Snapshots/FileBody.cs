namespace Ioxide.Files;

/// <summary>The bytes of one representation, in native memory. Immutable once its chunk is sealed. Threads: any.</summary>
internal sealed class FileBody
{
    private readonly int _start;
    private readonly int _length;

    /// <param name="chunk">Holds the bytes.</param>
    /// <param name="start">The first of them.</param>
    /// <param name="length">Bytes, above 0.</param>
    internal FileBody(BodyChunk chunk, int start, int length)
    {
        Chunk = chunk;
        _start = start;
        _length = length;
    }

    internal BodyChunk Chunk { get; }

    /// <summary>The bytes. It keeps the chunk, and so the bytes, alive.</summary>
    internal ReadOnlyMemory<byte> Bytes => Fill();

    /// <summary>The same bytes, to be written before the chunk is sealed.</summary>
    internal Memory<byte> Fill() => Chunk.Memory.Slice(_start, _length);
}
