namespace Ioxide;

/// <summary>How many descriptors the process has left, and how many reactors they allow.</summary>
/// <remarks>
/// The .NET runtime keeps a descriptor for each loaded assembly, loads some 20 more assemblies with the first requests, and ends the process
/// when a thread cannot get a descriptor. So reactors must leave these descriptors free.
/// </remarks>
internal static unsafe class DescriptorBudget
{
    /// <summary>With fewer descriptors, rings are not worth making: connections would lack what they take.</summary>
    internal const int LeastRoom = 96;

    // A ring, its wake-up counter, one listener for each of two end points, a pipe for pages with its output, and one to spare.
    private const int PerReactor = 8;

    /// <summary>Reactors that fit, at most <paramref name="wanted"/>; 0 where not even one fits.</summary>
    internal static int ReactorsThatFit(int limit, int open, int wanted)
    {
        int room = limit - open;
        return room < LeastRoom ? 0 : Math.Min(wanted, ((room - LeastRoom) / PerReactor) + 1);
    }

    /// <summary>What the limit of open files leaves room for now.</summary>
    internal static DescriptorRoom Measure(ReactorOptions options)
    {
        int limit = Limit(options.Kernel);
        int open = Open(options.Kernel);
        int wanted = options.ResolveReactorCount();
        return new DescriptorRoom(limit, open, wanted, ReactorsThatFit(limit, open, wanted));
    }

    /// <summary>Lowers the number of reactors to what there is room for now.</summary>
    /// <param name="options">Their number is set.</param>
    /// <param name="isRequired">One reactor is made even where there is no room for it.</param>
    /// <exception cref="RingUnavailableException">There is room for none.</exception>
    internal static DescriptorRoom Fit(ReactorOptions options, bool isRequired)
    {
        DescriptorRoom room = Measure(options);
        if (room.Fitting == 0 && !isRequired)
        {
            throw new RingUnavailableException(
                new Refusal(
                    RingSupport.OutOfDescriptors, $"rings are made where at least {LeastRoom} more can be opened", Refusal.RaiseOpenFiles),
                0,
                $"The limit of open files ({room.Limit}, of which {room.Open} are open)");
        }

        options.ReactorCount = Math.Max(1, room.Fitting);
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
