namespace Ioxide.Tls;

/// <summary>A piece of memory in an <see cref="OutsideQueue"/>: the application's, or staged bytes that were written behind such.</summary>
/// <param name="memory">What is still to be sent of it.</param>
/// <param name="owner">Disposed when it is no longer read.</param>
/// <param name="staged">The array of staged bytes.</param>
internal sealed class OutsidePiece(ReadOnlyMemory<byte> memory, IDisposable? owner, byte[]? staged)
{
    internal ReadOnlyMemory<byte> Memory { get; set; } = memory;

    /// <summary>Null once the connection's output has it.</summary>
    internal IDisposable? Owner { get; set; } = owner;

    internal bool IsStaged => staged is not null;

    internal OutsidePiece? Next { get; set; }

    /// <summary>Returns the memory of a chain. It runs code of the application. Threads: any, outside of the writer's lock.</summary>
    internal static void Release(OutsidePiece? piece)
    {
        while (piece is not null)
        {
            OutsidePiece? next = piece.Next;
            piece.Release();
            piece = next;
        }
    }

    private void Release()
    {
        if (staged is not null)
        {
            StagingArrays.Return(staged);
        }

        Owner?.Dispose();
    }
}
