using System.Data.Common;
using System.Runtime.Versioning;
using Microsoft.Extensions.DependencyInjection;
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
        ["idle"] = source.Pools.Sum(static pool => pool.Lanes.IdleCount),
        ["waiting"] = source.Pools.Sum(static pool => pool.Queue.ShareOfLength),
    };
}

/// <summary>Connects to the server of <c>AddIoxidePg</c> and asks for its version.</summary>
internal sealed class PgCheck(IServiceProvider services) : IHostCheck
{
    private const string Name = "PostgreSQL";

    public async Task<IReadOnlyList<CheckLine>> CheckAsync(ReactorGroup? reactors, CancellationToken cancellationToken)
        => reactors is null || !OperatingSystem.IsLinux()
            ?
            [
                new CheckLine(Name, CheckState.Missing, "not asked: its connections live on reactors")
                {
                    Cost = "the host does not start", Remedy = "See io_uring.",
                },
            ]
            : [await ConnectAsync(reactors, cancellationToken).ConfigureAwait(false)];

    [SupportedOSPlatform("linux")]
    private async Task<CheckLine> ConnectAsync(ReactorGroup reactors, CancellationToken cancellationToken)
    {
        PgDataSourceOptions? options = null;
        try
        {
            options = services.GetRequiredService<HostedOptions>().Options;
            PgDataSource source = PgDataSource.Create(options, reactors);
            await using (source.ConfigureAwait(false))
            {
                PgSession session = await source.OpenSessionAsync(cancellationToken).ConfigureAwait(false);
                await using (session.ConfigureAwait(false))
                {
                    string version = session.ServerParameters.GetValueOrDefault("server_version", "of an unknown version");
                    return new CheckLine(Name, CheckState.Ok, $"connected to a server {version}");
                }
            }
        }
        catch (Exception exception) when (exception is DbException or TimeoutException or ArgumentException)
        {
            string place = options is null ? "" : $"database {options.Database} on {string.Join(',', options.Hosts)} as user {options.Username}: ";
            return new CheckLine(Name, CheckState.Missing, place + exception.Message.ReplaceLineEndings(" ").TrimEnd('.'))
            {
                Cost = options is null or { MinPerReactor: > 0 } or { MinConnections: > 0 }
                    ? "the host does not start" : "requests that query the database fail",
                Remedy = options is null ? "Correct the configuration." : ConnectFailure.RemedyOf(exception),
            };
        }
    }
}
