using Ioxide.Pg;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds the database to the framework's health checks.</summary>
public static class IoxidePgHealthChecksBuilderExtensions
{
    /// <summary>Adds a check that asks the server of <c>AddIoxidePg</c> for a row. Its data holds the counts of connections, idle ones and waiting callers.</summary>
    /// <param name="builder">What <c>AddHealthChecks()</c> returns.</param>
    /// <param name="name">The check's name. Defaults to <c>ioxide-pg</c>.</param>
    /// <param name="failureStatus">What is reported where the server does not answer. Defaults to <see cref="HealthStatus.Unhealthy"/>.</param>
    /// <param name="tags">Tags to choose checks by, or null.</param>
    /// <param name="timeout">How long the server may take. Defaults to the command timeout.</param>
    public static IHealthChecksBuilder AddIoxidePg(
        this IHealthChecksBuilder builder,
        string name = "ioxide-pg",
        HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null,
        TimeSpan? timeout = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Add(new HealthCheckRegistration(
            name, static services => new PgHealthCheck(services.GetRequiredService<PgDataSource>()), failureStatus, tags, timeout));
    }
}
