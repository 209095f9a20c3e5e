using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ioxide.AspNetCore;

/// <summary>Whether a balancer may send something new: not once a stop has begun, else as the reactors do.</summary>
internal sealed class ReadinessCheck(StopState state, ReactorFleet? fleet) : IHealthCheck
{
    private readonly IoxideHealthCheck _reactors = new(fleet);

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
        => state.HasBegun
            ? Task.FromResult(new HealthCheckResult(context.Registration.FailureStatus, "The host is stopping. Send nothing new."))
            : _reactors.CheckHealthAsync(context, cancellationToken);
}
