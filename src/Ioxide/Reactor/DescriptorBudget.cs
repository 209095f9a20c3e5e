namespace Ioxide;

/// <summary>How many descriptors the process has left, and how many reactors they allow.</summary>
/// <remarks>
/// The .NET runtime keeps a descriptor for each loaded assembly, loads some 20 more assemblies with the first requests, and ends the process
/// when a thread cannot get a descriptor. So reactors must leave these descriptors free.
/// </remarks>
internal static unsafe class DescriptorBudget
{
    /// <summary>Descriptors that one reactor leaves to everything else before there is a second one.</summary>
    internal const int LeastRoom = 96;

    // A ring or epoll instance, its wake-up counter, one listener for each of two endpoints, a pipe for pages with its output, and one to spare.
    private const int PerReactor = 8;

    /// <summary>Reactors that fit, at least one and at most <paramref name="wanted"/>.</summary>
    internal static int ReactorsThatFit(int limit, int open, int wanted)
        => Math.Clamp(((limit - open - LeastRoom) / PerReactor) + 1, 1, wanted);

    /// <summary>What the limit of open files leaves room for now.</summary>
    internal static DescriptorRoom Measure(ReactorOptions options)
    {
        Kernel kernel = options.PlayedKernel ?? Kernel.Linux;
        int limit = Limit(kernel);
        int open = Open(kernel);
        int wanted = options.ResolveReactorCount();
        return new DescriptorRoom(limit, open, wanted, ReactorsThatFit(limit, open, wanted));
    }

    /// <summary>Lowers the number of reactors to what there is room for now.</summary>
    /// <param name="options">Their number is set.</param>
    internal static DescriptorRoom Fit(ReactorOptions options)
    {
        DescriptorRoom room = Measure(options);
        options.ReactorCount = room.Fitting;
        return room;
    }

    /// <summary>RLIMIT_NOFILE of the process. Source: getrlimit(2).</summary>
    internal static int Limit(Kernel kernel)
    {
        ResourceLimit limit;
        return kernel.GetResourceLimit(Sys.ResourceOpenFiles, &limit) < 0 ? int.MaxValue : (int)Math.Min(limit.Current, int.MaxValue);
    }

    /// <summary>
    /// Open descriptors. A kernel that does not report them (before Linux 6.2, or without /proc) yields the lowest free number;
    /// descriptors above it may be open.
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
