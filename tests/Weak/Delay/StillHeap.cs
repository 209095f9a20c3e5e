using System.Runtime;

namespace Ioxide;

/// <summary>While it exists, the collector does not run, so that no object moves.</summary>
internal sealed class StillHeap : IDisposable
{
    private const long Budget = 96 * 1024 * 1024;

    private static int s_collections = -1;

    internal StillHeap()
    {
        // The region keeps no budget for pinned arrays: what was allocated before it counts towards their next collection, unless one has just run.
        GC.Collect();
        if (!GC.TryStartNoGCRegion(Budget))
        {
            throw new InvalidOperationException($"The collector does not stay away for {Budget} bytes.");
        }

        System.Threading.Volatile.Write(ref s_collections, GC.CollectionCount(0));
    }

    /// <summary>Throws where objects may have moved. A part that allocates so much must be cut in several.</summary>
    internal static void RequireStill()
    {
        int collections = System.Threading.Volatile.Read(ref s_collections);
        if (collections < 0 || GC.CollectionCount(0) != collections)
        {
            throw new InvalidOperationException("A collection has run while stores were held back by their addresses.");
        }
    }

    public void Dispose()
    {
        System.Threading.Volatile.Write(ref s_collections, -1);
        if (GCSettings.LatencyMode == GCLatencyMode.NoGCRegion)
        {
            GC.EndNoGCRegion();
        }
    }
}
