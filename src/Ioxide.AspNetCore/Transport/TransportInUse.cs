namespace Ioxide.AspNetCore;

/// <summary>The group that serves a host, or why none does.</summary>
/// <param name="Group">The running group, or null.</param>
/// <param name="Reason">Sentences for an operator: cause and remedy. Empty where there is a group.</param>
internal readonly record struct TransportInUse(ReactorGroup? Group, string Reason)
{
    /// <summary>Lines about each reactor and what it holds, or why there is none.</summary>
    internal Task<string> DescribeAsync() => Group?.DescribeAsync() ?? Task.FromResult($"{Reason}\n");

    /// <summary>Reads the state and starts nothing.</summary>
    /// <param name="fleet">The host's reactors, or null where it has none.</param>
    internal static TransportInUse Of(ReactorFleet? fleet)
    {
        if (fleet is null)
        {
            return new(null, "The io_uring transport is not registered. Call builder.WebHost.UseIoxide().");
        }

        if (!OperatingSystem.IsLinux())
        {
            return new(null, $"io_uring is not available: this is not Linux. {Refusal.OfPlatform().Remedy}");
        }

        (ReactorGroup? group, RingUnavailableException? refusal) = fleet.GetIfStarted();
        return group is not null ? new(group, "")
            : new(null, refusal?.Message ?? "The io_uring transport has no bound end point, or the host has stopped.");
    }
}
