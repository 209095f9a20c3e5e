namespace Ioxide;

/// <summary>How many descriptors the process has left, and how many reactors fit into them.</summary>
/// <remarks>
/// The .NET runtime keeps a descriptor for each assembly that it has loaded, loads some 20 more with the first requests, and ends the
/// process when a thread cannot have its own. So a process at its limit must leave them alone.
/// </remarks>
internal static unsafe class DescriptorBudget
{
    /// <summary>Below that rings are not worth having: what they take would be missed by connections.</summary>
    internal const int LeastRoom = 96;

    // A ring, its wake-up counter, a listener of each of two end points, a pipe for pages with its way out, and one to spare.
    private const int PerReactor = 8;

    /// <summary>Reactors that fit, at most <paramref name="wanted"/>; 0 where there is too little room even for one.</summary>
    internal static int ReactorsThatFit(int limit, int open, int wanted)
    {
        int room = limit - open;
        return room < LeastRoom ? 0 : Math.Min(wanted, ((room - LeastRoom) / PerReactor) + 1);
    }

    /// <summary>RLIMIT_NOFILE of the process. Source: getrlimit(2).</summary>
    internal static int Limit(Kernel kernel)
    {
        ResourceLimit limit;
        return kernel.GetResourceLimit(Sys.ResourceOpenFiles, &limit) < 0 ? int.MaxValue : (int)Math.Min(limit.Current, int.MaxValue);
    }

    /// <summary>
    /// Descriptors that are open. A kernel that does not tell (before Linux 6.2, or without /proc) shows the lowest free number,
    /// and there may be open ones above it.
    /// </summary>
    internal static int Open(Kernel kernel)
    {
        int count = kernel.CountDescriptors();
        if (count >= 0)
        {
            return count;
        }

        int lowest = kernel.EventDescriptor();
        if (lowest < 0)
        {
            return int.MaxValue / 2;
        }

        _ = kernel.Close(lowest);
        return lowest;
    }
}
