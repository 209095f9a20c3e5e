using System.Globalization;
using System.Runtime.Versioning;

namespace Ioxide;

/// <summary>The runtime's own checks: starts the reactors that the program would start, and reports what they got.</summary>
/// <param name="options">The program's options.</param>
/// <param name="withoutRings">What becomes of the program where rings are refused, without a full stop.</param>
/// <param name="requiresRings">Whether the program asks for rings even where descriptors are few.</param>
internal sealed class RuntimeCheck(ReactorOptions options, string withoutRings, bool requiresRings)
{
    // What a server with a modest number of clients needs.
    private const int FewConnections = 1000;

    private readonly List<CheckLine> _lines = [];

    /// <summary>Lines so far, in the order of the report.</summary>
    internal IReadOnlyList<CheckLine> Lines => _lines;

    /// <summary>Checks the host.</summary>
    /// <returns>The running reactors, or null where the host refuses rings. The caller stops them.</returns>
    internal async Task<ReactorGroup?> RunAsync()
    {
        HostFacts facts = HostFacts.Read();
        _lines.Add(facts.IsOld
            ? CheckLine.Of("kernel", CheckState.Missing, $"Linux {facts.Release}", withoutRings, Refusal.RunOnNewer)
            : new CheckLine("kernel", CheckState.Ok, facts.Release.Length == 0 ? "no Linux" : $"Linux {facts.Release}"));
        var refused = new RefusedFeatures();
        ReactorOptions asked = options.Clone();
        asked.Events = refused;
        DescriptorRoom room = DescriptorBudget.Measure(asked);
        ReactorGroup? group = null;
        try
        {
            if (!OperatingSystem.IsLinux())
            {
                throw new RingUnavailableException(Refusal.OfPlatform(), 0, "the platform");
            }

            asked.ReactorCount = Math.Max(1, room.Fitting);
            group = room.Fitting > 0 || requiresRings ? ReactorGroup.Start(asked) : null;
            _lines.Add(group is null
                ? CheckLine.Of("io_uring", CheckState.Missing, "no rings are made with so few open files", withoutRings, Refusal.RaiseOpenFiles)
                : DescribeRings(group));
        }
        catch (RingUnavailableException exception)
        {
            _lines.Add(CheckLine.Of("io_uring", CheckState.Missing, exception.Cause, withoutRings, exception.Remedy));
        }

        _lines.Add(DescribeFilter(facts, hasRings: group is not null));
        _lines.Add(DescribeLockedMemory(group));
        _lines.Add(DescribeDescriptors(room));
        _lines.Add(DescribeProcessors(Environment.ProcessorCount, CpuQuota.Read()));
        if (group is not null && OperatingSystem.IsLinux())
        {
            await DescribeReactorsAsync(group, refused).ConfigureAwait(false);
        }

        return group;
    }

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
        CheckState state = cost is null ? CheckState.Ok : room.Fitting == 0 ? CheckState.Missing : CheckState.Limited;
        return CheckLine.Of("open files", state, found, cost, cost is null ? null : Refusal.RaiseOpenFiles);
    }

    private static CheckLine DescribeRings(ReactorGroup group)
    {
        Ring ring = group.Reactors[0].Ring;
        return (ring.Flags & SetupFlags.NoSubmissionArray) != 0 && ring.IsDescriptorRegistered
            ? new CheckLine("io_uring", CheckState.Ok, ring.Describe())
            : CheckLine.Of(
                "io_uring", CheckState.Limited, ring.Describe(), "each submission takes the kernel one more look-up", "Run on Linux 6.6 or newer.");
    }

    private CheckLine DescribeFilter(HostFacts facts, bool hasRings)
        => !facts.HasFilter ? new CheckLine("seccomp", CheckState.Ok, "no filter")
            : hasRings ? new CheckLine("seccomp", CheckState.Ok, "a filter is active, and allows what rings need")
            : CheckLine.Of("seccomp", CheckState.Missing, "a filter is active", withoutRings, "See io_uring.");

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
                    "Run on Linux 6.9 or newer, or set BusyPollMicroseconds to 0."));
        }
    }
}
