namespace Ioxide.AspNetCore;

/// <summary>The group that serves a host, or why none does.</summary>
/// <param name="Group">The running group, or null.</param>
/// <param name="Reason">Sentences for an operator: cause and remedy. Empty where there is a group.</param>
internal readonly record struct TransportInUse(ReactorGroup? Group, string Reason)
{
    /// <summary>Looks and starts nothing.</summary>
    /// <param name="fleet">The host's, or null where it has none.</param>
    internal static TransportInUse Of(ReactorFleet? fleet)
    {
        if (fleet is null)
        {
            return new(null, "The host does not ask for io_uring. Call builder.WebHost.UseIoxide().");
        }

        if (!OperatingSystem.IsLinux())
        {
            return new(null, $"io_uring is not available: this is not Linux. {Refusal.OfPlatform().Remedy}");
        }

        (ReactorGroup? group, RingUnavailableException? refusal) = fleet.Look();
        return group is not null ? new(group, "")
            : new(null, refusal?.Message ?? "No end point was bound that the io_uring transport serves, or the host has stopped.");
    }
}
