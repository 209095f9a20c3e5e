using Ioxide.Pg;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds the database to ASP.NET Core's health checks.</summary>
public static class IoxidePgHealthChecksBuilderExtensions
{
    /// <summary>
    /// Adds a check that queries a row from the server of <c>AddIoxidePg</c>. Its data has the counts of connections, idle ones and waiting
    /// callers.
    /// </summary>
    /// <param name="builder">The result of <c>AddHealthChecks()</c>.</param>
    /// <param name="name">The check's name. Defaults to <c>ioxide-pg</c>.</param>
    /// <param name="failureStatus">The status if the server does not answer. Defaults to <see cref="HealthStatus.Unhealthy"/>.</param>
    /// <param name="tags">Tags to filter checks, or null.</param>
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
