using System.Globalization;
using System.Net;
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
            ? new CheckLine("kernel", CheckState.Missing, $"Linux {facts.Release}") { Cost = withoutRings, Remedy = Refusal.RunOnNewer }
            : new CheckLine("kernel", CheckState.Ok, facts.Release.Length == 0 ? "no Linux" : $"Linux {facts.Release}"));
        var refused = new RefusedFeatures();
        ReactorOptions asked = options.Clone();
        asked.Events = refused;
        ReactorGroup? group = null;
        CheckLine descriptors;
        try
        {
            if (!OperatingSystem.IsLinux())
            {
                throw new RingUnavailableException(Refusal.OfPlatform(), 0, "the platform");
            }

            DescriptorRoom room = DescriptorBudget.Measure(asked);
            descriptors = DescribeDescriptors(room);
            asked.ReactorCount = Math.Max(1, room.Fitting);
            group = room.Fitting > 0 || requiresRings ? ReactorGroup.Start(asked) : null;
            _lines.Add(group is null
                ? new CheckLine("io_uring", CheckState.Missing, "no rings are made with so few open files") { Cost = withoutRings, Remedy = Refusal.RaiseOpenFiles }
                : DescribeRings(group));
        }
        catch (RingUnavailableException exception)
        {
            descriptors = DescribeDescriptors(DescriptorBudget.Measure(asked));
            _lines.Add(new CheckLine("io_uring", CheckState.Missing, exception.Cause) { Cost = withoutRings, Remedy = exception.Remedy });
        }

        _lines.Add(DescribeFilter(facts, hasRings: group is not null));
        _lines.Add(DescribeLockedMemory(group));
        _lines.Add(descriptors);
        _lines.Add(DescribeProcessors(Environment.ProcessorCount, CpuQuota.Read()));
        if (group is not null && OperatingSystem.IsLinux())
        {
            await DescribeReactorsAsync(group, refused).ConfigureAwait(false);
        }

        return group;
    }

    internal static CheckLine DescribeProcessors(int usable, double? quota)
    {
        string found = $"{usable} usable";
        if (quota is not { } limit)
        {
            return new CheckLine("processors", CheckState.Ok, $"{found}, no quota");
        }

        string text = limit.ToString("0.##", CultureInfo.InvariantCulture);
        return limit >= 1
            ? new CheckLine("processors", CheckState.Ok, $"{found}, with a quota of {text}")
            : new CheckLine("processors", CheckState.Limited, $"{found}, with a quota of {text}")
            {
                Cost = "the kernel stops all threads of the process in each period, once the quota is used",
                Remedy = "Raise the quota to at least one processor (cpu.max, resources.limits.cpu, CPUQuota=).",
            };
    }

    internal static CheckLine DescribeDescriptors(DescriptorRoom room)
    {
        string found = $"{room.Limit}, of which {room.Open} are open";
        return room.Fitting < room.Wanted
            ? new CheckLine("open files", room.Fitting == 0 ? CheckState.Missing : CheckState.Limited, found)
            {
                Cost = $"there is room for {room.Fitting} of {room.Wanted} reactors",
                Remedy = Refusal.RaiseOpenFiles,
            }
            : room.Left < FewConnections
                ? new CheckLine("open files", CheckState.Limited, found)
                {
                    Cost = $"fewer than {room.Left} connections can be open",
                    Remedy = Refusal.RaiseOpenFiles,
                }
                : new CheckLine("open files", CheckState.Ok, found);
    }

    private static CheckLine DescribeRings(ReactorGroup group)
    {
        Ring ring = group.Reactors[0].Ring;
        return (ring.Flags & SetupFlags.NoSubmissionArray) != 0 && ring.IsDescriptorRegistered
            ? new CheckLine("io_uring", CheckState.Ok, ring.Describe())
            : new CheckLine("io_uring", CheckState.Limited, ring.Describe())
            {
                Cost = "each submission takes the kernel one more look-up",
                Remedy = "Run on Linux 6.6 or newer.",
            };
    }

    private CheckLine DescribeFilter(HostFacts facts, bool hasRings)
        => !facts.HasFilter ? new CheckLine("seccomp", CheckState.Ok, "no filter")
            : hasRings ? new CheckLine("seccomp", CheckState.Ok, "a filter is active, and allows what rings need")
            : new CheckLine("seccomp", CheckState.Missing, "a filter is active") { Cost = withoutRings, Remedy = "See io_uring." };

    private CheckLine DescribeLockedMemory(ReactorGroup? group)
    {
        string found = MemoryLockBudget.Limit() is { } bytes ? $"{bytes / 1024} KiB for all processes of this user" : "no limit for this user";
        Reactor? small = group?.Reactors.FirstOrDefault(
            reactor => reactor.Ring.Sq.Capacity < (uint)options.SqEntries || reactor.Ring.Cq.Capacity < (uint)options.CqEntries);
        return small is null
            ? new CheckLine("locked memory", CheckState.Ok, found)
            : new CheckLine("locked memory", CheckState.Limited, found)
            {
                Cost = $"a ring has {small.Ring.Sq.Capacity} and {small.Ring.Cq.Capacity} entries instead of {options.SqEntries} and {options.CqEntries}",
                Remedy = MemoryLockBudget.Remedy(),
            };
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
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        reactor.Post(
            state =>
            {
                _ = reactor.Memory.Pages;
                ((TaskCompletionSource)state!).SetResult();
            },
            asked);
        await asked.Task.ConfigureAwait(false);
        _lines.Add(refused.Describe("listeners", RingListener.SpreadingFeature, "the kernel spreads connections over the reactors"));
        _lines.Add(refused.Describe("large files", ReactorMemory.PagesFeature, "sent by their pages"));
        if (options.BusyPollMicroseconds > 0)
        {
            _lines.Add(reactor.Ring.IsBusyPolling
                ? new CheckLine("busy poll", CheckState.Ok, $"{options.BusyPollMicroseconds} microseconds")
                : new CheckLine("busy poll", CheckState.Missing, "the kernel refused it")
                {
                    Cost = "the network device is not polled",
                    Remedy = "Run on Linux 6.9 or newer, or set BusyPollMicroseconds to 0.",
                });
        }
    }
}
