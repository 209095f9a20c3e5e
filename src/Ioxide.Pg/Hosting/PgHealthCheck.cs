using System.Data.Common;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ioxide.Pg;

/// <summary>Queries a row on a shared connection: healthy if the server answers.</summary>
internal sealed class PgHealthCheck(PgDataSource source) : IHealthCheck
{
    private static readonly PgStatement s_ask = PgStatement.Create("select 1"u8);

    public async Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        try
        {
            await source.Query(s_ask).ScalarAsync<int>(cancellationToken).ConfigureAwait(false);
            return HealthCheckResult.Healthy("The server answers.", Counts());
        }
        catch (Exception exception) when (exception is DbException or ObjectDisposedException)
        {
            return new HealthCheckResult(context.Registration.FailureStatus, exception.Message, exception, Counts());
        }
    }

    private Dictionary<string, object> Counts() => new()
    {
        ["connections"] = source.Pools.Sum(static pool => pool.OpenCount),
        ["idle"] = source.Pools.Sum(static pool => pool.IdleCount),
        ["waiting"] = source.Pools.Sum(static pool => pool.ShareOfQueue),
    };
}
