using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ioxide.AspNetCore;

/// <summary>Whether a load balancer may send new requests: not once a stop has begun, otherwise as <see cref="IoxideHealthCheck"/> reports.</summary>
internal sealed class ReadinessCheck(StopState state, ReactorFleet? fleet) : IHealthCheck
{
    private readonly IoxideHealthCheck _reactors = new(fleet);

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
        => state.HasBegun
            ? Task.FromResult(new HealthCheckResult(context.Registration.FailureStatus, "The host is stopping. Send no new requests."))
            : _reactors.CheckHealthAsync(context, cancellationToken);
}
