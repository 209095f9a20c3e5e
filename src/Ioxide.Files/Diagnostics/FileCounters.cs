using System.Runtime.InteropServices;

namespace Ioxide.Files;

/// <summary>Counts answers. A reactor counts in a cell of its own; all other threads share one.</summary>
internal sealed class FileCounters
{
    // Reactors of one group; ReactorGroup bounds them so.
    private const int MaxReactors = 64;

    private readonly Cell[] _cells = new Cell[MaxReactors + 1];

    internal long Hits => Sum(static (ref Cell cell) => ref cell.Hits);

    internal long Misses => Sum(static (ref Cell cell) => ref cell.Misses);

    internal long NotModified => Sum(static (ref Cell cell) => ref cell.NotModified);

    /// <summary>Bodies that were queued by reference.</summary>
    internal long ByReference => Sum(static (ref Cell cell) => ref cell.ByReference);

    internal void CountMiss() => Add(static (ref Cell cell) => ref cell.Misses);

    internal void CountReference() => Add(static (ref Cell cell) => ref cell.ByReference);

    /// <param name="isNotModified">Whether the answer was a 304; everything else about a known file is a hit too.</param>
    internal void CountHit(bool isNotModified)
    {
        Add(static (ref Cell cell) => ref cell.Hits);
        if (isNotModified)
        {
            Add(static (ref Cell cell) => ref cell.NotModified);
        }
    }

    private delegate ref long Field(ref Cell cell);

    private void Add(Field field)
    {
        if (Reactor.Current is { } reactor && reactor.Id < MaxReactors)
        {
            // The only writer of its cell; readers may see the number before.
            field(ref _cells[reactor.Id + 1])++;
        }
        else
        {
            Interlocked.Increment(ref field(ref _cells[0]));
        }
    }

    /// <summary>Each number is read where it lies: a copy of a whole cell may be made of parts of numbers.</summary>
    private long Sum(Field field)
    {
        long sum = 0;
        foreach (ref Cell cell in _cells.AsSpan())
        {
            sum += Volatile.Read(ref field(ref cell));
        }

        return sum;
    }

    /// <summary>As wide as two cache lines, so that reactors do not share one.</summary>
    [StructLayout(LayoutKind.Sequential, Size = 128)]
    private struct Cell
    {
        internal long Hits;
        internal long Misses;
        internal long NotModified;
        internal long ByReference;
    }
}
