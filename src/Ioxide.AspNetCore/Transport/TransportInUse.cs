namespace Ioxide.AspNetCore;

/// <summary>What serves a host's endpoints, and why it is not io_uring.</summary>
/// <param name="Group">The running group, or null.</param>
/// <param name="Name">The name for programs: <c>io_uring</c>, <c>epoll</c> or <c>sockets</c>; <c>none</c> where nothing is bound.</param>
/// <param name="Reason">Sentences for an operator: cause and remedy. Empty where nothing is to be said.</param>
internal readonly record struct TransportInUse(ReactorGroup? Group, string Name, string Reason)
{
    /// <summary>Lines about each reactor and what it holds, or why there is none.</summary>
    internal Task<string> DescribeAsync() => Group?.DescribeAsync() ?? Task.FromResult($"{Reason}\n");

    /// <summary>Reads the state and starts nothing.</summary>
    /// <param name="fleet">The host's reactors, or null where it has none.</param>
    internal static TransportInUse Of(ReactorFleet? fleet)
    {
        if (fleet is null)
        {
            return OfSockets("Ioxide is not registered. Call builder.WebHost.UseIoxide().");
        }

        if (!OperatingSystem.IsLinux())
        {
            return OfSockets($"Reactors are not available: this is not Linux. {Refusal.OfPlatform().Remedy}");
        }

        (ReactorGroup? group, RingUnavailableException? refusal) = fleet.GetIfStarted();
        return fleet.Options.Kernel == KernelChoice.Sockets ? OfSockets("Ioxide:Kernel is Sockets.", group)
            : group is not null ? new(group, group.Kernel.Name, group.RingRefusal?.Message ?? "")
            : refusal is not null ? OfSockets(refusal.Message)
            : new(null, "none", "No endpoint is bound so far, or the host has stopped.");
    }

    /// <param name="reason">Why reactors serve no endpoint.</param>
    /// <param name="group">Reactors that something else uses.</param>
    private static TransportInUse OfSockets(string reason, ReactorGroup? group = null) => new(group, "sockets", reason);
}
