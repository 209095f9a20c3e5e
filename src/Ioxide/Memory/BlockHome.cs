namespace Ioxide;

/// <summary>The pool that a block returns to when nothing references its memory any more.</summary>
internal abstract class BlockHome
{
    /// <summary>Takes a block back. No operation may reference it.</summary>
    internal abstract void Return(MemoryBlock block);
}
