using Ioxide.AspNetCore;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds the reactors to the framework's health checks.</summary>
public static class IoxideHealthChecksBuilderExtensions
{
    /// <summary>
    /// Adds a health check that reports whether every reactor is responsive. Its data holds counts.
    /// <para>Unhealthy: a reactor has ended or is stuck, which means that code has held it up for five times
    /// <see cref="IoxideTransportOptions.StallThreshold"/>.</para>
    /// <para>Degraded: a reactor is stalled or blocked, or cannot accept because descriptors or memory are used up.</para>
    /// <para>Healthy, with a description that says so: a reactor waits for a processor, because of a CPU quota or other load.</para>
    /// <para>Where the sockets transport serves instead, the check is healthy and its description gives the reason.</para>
    /// </summary>
    /// <param name="builder">What <c>AddHealthChecks()</c> returns.</param>
    /// <param name="name">The check's name. Defaults to <c>ioxide</c>.</param>
    /// <param name="failureStatus">
    /// The status to report when a reactor has ended or is stuck. Defaults to <see cref="HealthStatus.Unhealthy"/>.
    /// </param>
    /// <param name="tags">Tags that select checks, or null.</param>
    /// <remarks>
    /// The check reads counters and needs no reactor, but the request that asks for it does. A request on a connection of a stalled reactor
    /// waits there. A new connection waits until the reactor counts as stuck; then another reactor accepts it.
    /// </remarks>
    public static IHealthChecksBuilder AddIoxide(
        this IHealthChecksBuilder builder, string name = "ioxide", HealthStatus? failureStatus = null, IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(name);
        return builder.Add(new HealthCheckRegistration(
            name, static services => new IoxideHealthCheck(services.GetService<ReactorFleet>()), failureStatus, tags));
    }

    /// <summary>
    /// Adds a readiness check for load balancers. It fails as soon as the host begins to stop, while the host still serves
    /// (<see cref="IoxideTransportOptions.StopDelay"/>). Before that it reports the same as <see cref="AddIoxide"/>.
    /// </summary>
    /// <param name="builder">What <c>AddHealthChecks()</c> returns.</param>
    /// <param name="name">The check's name. Defaults to <c>ioxide-ready</c>.</param>
    /// <param name="failureStatus">
    /// The status to report when the host stops, or when a reactor has ended or is stuck. Defaults to <see cref="HealthStatus.Unhealthy"/>,
    /// which <c>MapHealthChecks</c> answers with 503.
    /// </param>
    /// <param name="tags">Tags that select checks, or null. A liveness probe must not use this check.</param>
    public static IHealthChecksBuilder AddIoxideReadiness(
        this IHealthChecksBuilder builder, string name = "ioxide-ready", HealthStatus? failureStatus = null, IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(name);
        builder.Services.AddStopping();
        return builder.Add(new HealthCheckRegistration(
            name,
            static services => new IoxideHealthCheck(services.GetService<ReactorFleet>(), services.GetRequiredService<StopDelay>()),
            failureStatus,
            tags));
    }
}
