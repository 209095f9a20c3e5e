namespace Ioxide.Files;

/// <summary>Gives the bodies that one loading of a folder reads their memory, and seals it at the end. Threads: any.</summary>
/// <param name="spareBytes">Of the budget, what is left for files that grow while they are read.</param>
internal sealed class SnapshotMemory(long spareBytes = 0)
{
    /// <summary>Room for many small files; a larger file has a chunk of its own.</summary>
    private const int ChunkBytes = 8 * 1024 * 1024;

    private const int MaxOwnChunkBytes = ChunkBytes / 4;

    // Each is a mapping of its own, of which a process may have some 65,000.
    private const int MaxSmallChunks = 64;

    private readonly Lock _lock = new();
    private readonly List<BodyChunk> _chunks = [];
    private BodyChunk? _shared;
    private long _spareBytes = spareBytes;

    /// <summary>Room for one body.</summary>
    /// <param name="length">Bytes, above 0.</param>
    /// <exception cref="IOException">The kernel gives no more memory.</exception>
    internal FileBody Take(int length)
    {
        lock (_lock)
        {
            if (length >= MaxOwnChunkBytes)
            {
                return Add(length).Take(length)!.Value;
            }

            if (_shared?.Take(length) is { } body)
            {
                return body;
            }

            _shared = Add(ChunkBytes);
            return _shared.Take(length)!.Value;
        }
    }

    /// <summary>Whether a body may be taken that its file's place has no room for. What it replaces is held until the end as well.</summary>
    internal bool TryUseSpare(long length)
    {
        lock (_lock)
        {
            if (length > _spareBytes)
            {
                return false;
            }

            _spareBytes -= length;
            return true;
        }
    }

    /// <summary>Copies bytes into memory of this loading.</summary>
    internal FileBody Copy(ReadOnlySpan<byte> bytes)
    {
        FileBody copy = Take(bytes.Length);
        bytes.CopyTo(copy.Fill().Span);
        GC.KeepAlive(copy.Chunk);
        return copy;
    }

    /// <summary>
    /// Chunks whose bodies had better be copied into new ones: those of which less than half is still named, and, where many
    /// reloads have left many small ones, all of these.
    /// </summary>
    /// <param name="named">Bytes of each chunk that the next snapshot names.</param>
    internal static HashSet<BodyChunk> FindSparse(IReadOnlyDictionary<BodyChunk, long> named)
    {
        bool isScattered = named.Keys.Count(static chunk => chunk.Used < MaxOwnChunkBytes) > MaxSmallChunks;
        return
        [
            .. named.Where(chunk => chunk.Key.Used < MaxOwnChunkBytes ? isScattered : chunk.Value * 2 < chunk.Key.Used)
                .Select(static chunk => chunk.Key),
        ];
    }

    /// <summary>Makes everything read only. Nothing is taken afterwards.</summary>
    internal void Seal()
    {
        lock (_lock)
        {
            foreach (BodyChunk chunk in _chunks)
            {
                chunk.Seal();
            }

            _chunks.Clear();
            _shared = null;
        }
    }

    private BodyChunk Add(int length)
    {
        var chunk = new BodyChunk(length);
        _chunks.Add(chunk);
        return chunk;
    }
}
