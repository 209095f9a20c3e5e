namespace Ioxide;

/// <summary>Where a block goes when nothing names its memory any more.</summary>
internal abstract class BlockHome
{
    /// <summary>Takes a block home. No operation may name it.</summary>
    internal abstract void Return(MemoryBlock block);
}
