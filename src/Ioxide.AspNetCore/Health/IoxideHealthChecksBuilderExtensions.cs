using Ioxide.AspNetCore;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds the reactors to the framework's health checks.</summary>
public static class IoxideHealthChecksBuilderExtensions
{
    /// <summary>
    /// Adds a check of the reactors. Unhealthy: one has ended, or is stuck: it did not turn for five times
    /// <see cref="IoxideTransportOptions.StallThreshold"/>. Degraded: one is stalled, or cannot accept for want of descriptors or memory. Healthy with the reason as description where the sockets transport serves instead. Its data holds counts.
    /// </summary>
    /// <param name="builder">What <c>AddHealthChecks()</c> returns.</param>
    /// <param name="name">The check's name. Defaults to <c>ioxide</c>.</param>
    /// <param name="failureStatus">What is reported where a reactor has ended or is stuck. Defaults to <see cref="HealthStatus.Unhealthy"/>.</param>
    /// <param name="tags">Tags to choose checks by, or null.</param>
    /// <remarks>
    /// It answers from counters and needs no reactor, but the request that asks does: one on a connection of a stalled reactor waits there.
    /// A new connection waits until the reactor counts as stuck; then another reactor takes it, where there is one.
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
    /// Adds a check of readiness, for the balancer: unhealthy as soon as the host begins to stop, while it still serves
    /// (<see cref="IoxideTransportOptions.StopDelay"/>); before that the same as <see cref="AddIoxide"/>.
    /// </summary>
    /// <param name="builder">What <c>AddHealthChecks()</c> returns.</param>
    /// <param name="name">The check's name. Defaults to <c>ioxide-ready</c>.</param>
    /// <param name="failureStatus">
    /// What is reported where the host stops, or a reactor has ended or is stuck. Defaults to <see cref="HealthStatus.Unhealthy"/>, which
    /// <c>MapHealthChecks</c> answers with 503.
    /// </param>
    /// <param name="tags">Tags to choose checks by, or null: a liveness probe must not ask this one.</param>
    public static IHealthChecksBuilder AddIoxideReadiness(
        this IHealthChecksBuilder builder, string name = "ioxide-ready", HealthStatus? failureStatus = null, IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(name);
        builder.Services.AddStopping();
        return builder.Add(new HealthCheckRegistration(
            name,
            static services => new ReadinessCheck(services.GetRequiredService<StopState>(), services.GetService<ReactorFleet>()),
            failureStatus,
            tags));
    }
}
