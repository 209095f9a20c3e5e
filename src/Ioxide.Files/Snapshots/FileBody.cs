namespace Ioxide.Files;

/// <summary>The bytes of one file, in native memory. Immutable once their chunk is sealed. Threads: any.</summary>
/// <param name="chunk">Holds the bytes; null where there are none.</param>
/// <param name="start">The first of them.</param>
/// <param name="length">Bytes.</param>
internal readonly struct FileBody(BodyChunk? chunk, int start, int length)
{
    internal BodyChunk? Chunk { get; } = chunk;

    internal int Length => length;

    /// <summary>The bytes. It keeps the chunk, and so the bytes, alive.</summary>
    internal ReadOnlyMemory<byte> Bytes => Fill();

    /// <summary>Its first bytes alone.</summary>
    internal FileBody First(int count) => count == 0 ? default : new FileBody(Chunk, start, count);

    /// <summary>The same bytes, to be written before the chunk is sealed.</summary>
    internal Memory<byte> Fill() => Chunk is null ? default : Chunk.Memory.Slice(start, length);
}
