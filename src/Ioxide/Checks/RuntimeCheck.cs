using System.Globalization;
using System.Runtime.Versioning;

namespace Ioxide;

/// <summary>The runtime's own checks: starts the reactors that the program would start, and reports what they got.</summary>
/// <param name="options">The program's options.</param>
/// <param name="withoutReactors">What becomes of the program where reactors are refused, without a full stop.</param>
internal sealed class RuntimeCheck(ReactorOptions options, string withoutReactors)
{
    // What a server with a modest number of clients needs.
    private const int FewConnections = 1000;

    private const string OnEpoll = "reactors run on epoll, which takes more processor time";

    private readonly List<CheckLine> _lines = [];

    /// <summary>Lines so far, in the order of the report.</summary>
    internal IReadOnlyList<CheckLine> Lines => _lines;

    /// <summary>Checks the host.</summary>
    /// <returns>The running reactors, or null where the host refuses them. The caller stops them.</returns>
    internal async Task<ReactorGroup?> RunAsync()
    {
        HostFacts facts = HostFacts.Read();
        var refused = new RefusedFeatures();
        ReactorOptions asked = options.Clone();
        asked.Events = refused;
        DescriptorRoom room = DescriptorBudget.Measure(asked);
        ReactorGroup? group = null;
        RingUnavailableException? refusal;
        try
        {
            if (!OperatingSystem.IsLinux())
            {
                throw new RingUnavailableException(Refusal.OfPlatform(), 0, RingUnavailableException.Platform);
            }

            asked.ReactorCount = room.Fitting;
            group = ReactorGroup.Start(asked);
            refusal = group.RingRefusal;
        }
        catch (RingUnavailableException exception)
        {
            refusal = exception;
        }

        (CheckState state, string cost) = group is null ? (CheckState.Missing, withoutReactors) : (CheckState.Limited, OnEpoll);
        _lines.Add(DescribeKernel(facts, refusal is not null, state, cost));
        _lines.Add(refusal is not null ? CheckLine.Of("io_uring", state, refusal.Cause, cost, refusal.Remedy) : DescribeRings(group!));
        _lines.Add(!facts.HasFilter ? new CheckLine("seccomp", CheckState.Ok, "no filter")
            : refusal is null ? new CheckLine("seccomp", CheckState.Ok, "a filter is active, and allows what reactors need")
            : CheckLine.Of("seccomp", state, "a filter is active", cost, "See io_uring."));
        _lines.Add(DescribeLockedMemory(group));
        _lines.Add(DescribeDescriptors(room));
        _lines.Add(DescribeProcessors(Environment.ProcessorCount, CpuQuota.Read()));
        if (group is not null && OperatingSystem.IsLinux())
        {
            await DescribeReactorsAsync(group, refused).ConfigureAwait(false);
        }

        return group;
    }

    /// <summary>An old kernel costs what it refuses: a distribution's may have rings before its number says so.</summary>
    internal static CheckLine DescribeKernel(HostFacts facts, bool isRefused, CheckState state, string cost)
        => facts.IsOld && isRefused
            ? CheckLine.Of("kernel", state, $"Linux {facts.Release}", cost, Refusal.RunOnNewer)
            : new CheckLine("kernel", CheckState.Ok, facts.Release.Length == 0 ? "no Linux" : $"Linux {facts.Release}");

    internal static CheckLine DescribeProcessors(int usable, double? quota)
    {
        string limit = quota is null ? "no quota" : string.Create(CultureInfo.InvariantCulture, $"with a quota of {quota:0.##}");
        string found = $"{usable} usable, {limit}";
        return quota < 1
            ? CheckLine.Of(
                "processors", CheckState.Limited, found, "the kernel stops all threads of the process in each period, once the quota is used",
                "Raise the quota to at least one processor (cpu.max, resources.limits.cpu, CPUQuota=).")
            : new CheckLine("processors", CheckState.Ok, found);
    }

    internal static CheckLine DescribeDescriptors(DescriptorRoom room)
    {
        string found = $"{room.Limit}, of which {room.Open} are open";
        string? cost = room.Fitting < room.Wanted ? $"there is room for {room.Fitting} of {room.Wanted} reactors"
            : room.Left < FewConnections ? $"fewer than {room.Left} connections can be open"
            : null;
        return cost is null
            ? new CheckLine("open files", CheckState.Ok, found)
            : CheckLine.Of("open files", CheckState.Limited, found, cost, Refusal.RaiseOpenFiles);
    }

    private static CheckLine DescribeRings(ReactorGroup group)
    {
        if (group.RunsOn == KernelChoice.Epoll)
        {
            return new CheckLine("io_uring", CheckState.Ok, "not used, because Kernel is Epoll");
        }

        Ring ring = group.Reactors[0].Ring;
        return (ring.Flags & SetupFlags.NoSubmissionArray) != 0 && ring.IsDescriptorRegistered
            ? new CheckLine("io_uring", CheckState.Ok, ring.Describe())
            : CheckLine.Of(
                "io_uring", CheckState.Limited, ring.Describe(), "each submission takes the kernel one more look-up", "Run on Linux 6.6 or newer.");
    }

    private CheckLine DescribeLockedMemory(ReactorGroup? group)
    {
        string found = MemoryLockBudget.Limit() is { } bytes ? $"{bytes / 1024} KiB for all processes of this user" : "no limit for this user";
        Reactor? small = group?.Reactors.FirstOrDefault(
            reactor => reactor.Ring.Sq.Capacity < (uint)options.SqEntries || reactor.Ring.Cq.Capacity < (uint)options.CqEntries);
        return small is null
            ? new CheckLine("locked memory", CheckState.Ok, found)
            : CheckLine.Of(
                "locked memory", CheckState.Limited, found,
                $"a ring has {small.Ring.Sq.Capacity} and {small.Ring.Cq.Capacity} entries instead of {options.SqEntries} and {options.CqEntries}",
                MemoryLockBudget.Remedy());
    }

    [SupportedOSPlatform("linux")]
    private async Task DescribeReactorsAsync(ReactorGroup group, RefusedFeatures refused)
    {
        string source = options.ReactorCount == 0 ? "one per usable processor" : "ReactorCount";
        _lines.Add(new CheckLine("reactors", CheckState.Ok, $"{group.Reactors.Count}, {source}"));

        // What is first asked for by a listener and by a large file is asked for here.
        RingListener listener = await group.ListenAsync(new IPEndPoint(IPAddress.Loopback, 0), static _ => Task.CompletedTask).ConfigureAwait(false);
        await listener.DisposeAsync().ConfigureAwait(false);
        Reactor reactor = group.Reactors[0];
        await new SwitchToReactor(reactor);
        _ = reactor.Memory.Pages;
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        _lines.Add(refused.Describe("listeners", RingListener.SpreadingFeature, "the kernel spreads connections over the reactors"));
        _lines.Add(refused.Describe("large files", ReactorMemory.PagesFeature, "sent by their pages"));
        if (options.BusyPollMicroseconds > 0)
        {
            _lines.Add(reactor.Ring.IsBusyPolling
                ? new CheckLine("busy poll", CheckState.Ok, $"{options.BusyPollMicroseconds} microseconds")
                : CheckLine.Of(
                    "busy poll", CheckState.Missing, "the kernel refused it", "the network device is not polled",
                    group.RunsOn == KernelChoice.Epoll ? "Set BusyPollMicroseconds to 0: only rings can poll it."
                        : "Run on Linux 6.9 or newer, or set BusyPollMicroseconds to 0."));
        }
    }
}
