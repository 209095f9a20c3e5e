namespace Ioxide;

/// <summary>What a reactor lends its connections to send with: blocks, vectors, references to outside memory, the pipe for pages.</summary>
/// <remarks>Threads: the reactor's, where a member says nothing else.</remarks>
internal sealed class ReactorMemory(Reactor reactor) : IDisposable
{
    /// <summary>Bytes of a block for small answers, which most are.</summary>
    internal const int SmallBlockBytes = 4096;

    /// <summary>Bytes of a block for an answer that has turned out to be large.</summary>
    internal const int LargeBlockBytes = 32 * 1024;

    /// <summary>What <see cref="ReactorEvents.FeatureRefused"/> calls <see cref="Pages"/>.</summary>
    internal const string PagesFeature = "Sending large files by their pages";

    // As many as the sends of a busy turn need; the collector takes the rest.
    private const int MaxIdleReferences = 1024;

    // Send vectors that the reactor always keeps.
    private const int KeptVectors = 64;

    private readonly Reactor _reactor = reactor;
    private readonly IdleStack<SendVectors> _vectors = new();
    private readonly Stack<MemoryBlock> _references = new();
    private PagePipe? _pages;
    private int _vectorsMade;
    private bool _hasAskedForPages;

    /// <summary>Threads: as <see cref="BlockPool"/>.</summary>
    internal BlockPool SmallBlocks { get; } = new(SmallBlockBytes, reactor.Options.KeptPoolBytes / SmallBlockBytes, reactor.Trimmer.Ask);

    /// <inheritdoc cref="SmallBlocks"/>
    internal BlockPool LargeBlocks { get; } = new(LargeBlockBytes, reactor.Options.KeptPoolBytes / LargeBlockBytes, reactor.Trimmer.Ask);

    /// <summary>Bytes of all blocks. Threads: any.</summary>
    internal long SizeBytes => SmallBlocks.SizeBytes + LargeBlocks.SizeBytes;

    /// <summary>Sends memory by its pages; null where the kernel refuses that. Created on first use.</summary>
    internal PagePipe? Pages
    {
        get
        {
            if (!_hasAskedForPages)
            {
                _hasAskedForPages = true;
                _pages = _reactor.Kernel.OpenPagePipe(out CallRefusal refusal);
                if (_pages is null)
                {
                    _reactor.RaiseEvent(events => events.FeatureRefused(
                        _reactor.Id, PagesFeature, refusal.Call, Errno.Name(refusal.ErrorNumber), "they are copied"));
                }
            }

            return _pages is { IsRefused: false } ? _pages : null;
        }
    }

    /// <summary>An empty block. Threads: any.</summary>
    internal MemoryBlock RentBlock(bool isLarge)
    {
        BlockPool pool = isLarge ? LargeBlocks : SmallBlocks;
        return _reactor.IsCurrent ? pool.Rent() : pool.RentShared();
    }

    internal SendVectors RentVectors()
    {
        if (_vectors.TryPop(out SendVectors? vectors))
        {
            return vectors;
        }

        if (++_vectorsMade > KeptVectors)
        {
            _reactor.Trimmer.Ask();
        }

        return new SendVectors();
    }

    internal void ReturnVectors(SendVectors vectors) => _vectors.Push(vectors);

    /// <summary>A block for outside memory.</summary>
    internal MemoryBlock RentReference()
    {
        Debug.Assert(_reactor.IsCurrent);
        return _references.TryPop(out MemoryBlock? block) ? block : new MemoryBlock();
    }

    /// <summary>Takes such a block back from any creator, once it references no memory.</summary>
    internal void ReturnReference(MemoryBlock block)
    {
        if (_references.Count < MaxIdleReferences)
        {
            block.Reset();
            _references.Push(block);
        }
    }

    /// <summary>Drops what was not needed for a while. Returns whether something is still above its start size.</summary>
    internal bool Trim()
    {
        SmallBlocks.Trim();
        LargeBlocks.Trim();
        int surplus = _vectorsMade - KeptVectors;
        _vectorsMade -= surplus <= 0 ? 0 : _vectors.Trim(surplus, static vectors => vectors.Dispose());
        return SmallBlocks.IsAboveKept || LargeBlocks.IsAboveKept || _vectorsMade > KeptVectors;
    }

    /// <summary>Closes the pipe for pages, which no operation names.</summary>
    internal void ClosePages() => _pages?.Dispose();

    /// <summary>Frees native memory. No operation names it any more.</summary>
    public void Dispose()
    {
        while (_vectors.TryPop(out SendVectors? vectors))
        {
            vectors.Dispose();
        }
    }
}
