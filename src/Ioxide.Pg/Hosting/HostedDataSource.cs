using System.Data.Common;
using System.Diagnostics.Metrics;
using System.Runtime.Versioning;
using Ioxide.Pg.Data;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ioxide.Pg;

/// <summary>The data source of a host, with its own reactors if the host has none.</summary>
internal sealed class HostedDataSource : IAsyncDisposable, IDisposable
{
    private readonly ReactorGroup? _ownReactors;

    /// <exception cref="PgStartException">The host refuses reactors.</exception>
    [SupportedOSPlatform("linux")]
    public HostedDataSource(HostedOptions options, IServiceProvider services)
    {
        ILoggerFactory? loggers = services.GetService<ILoggerFactory>();
        options.Report(loggers);
        ReactorGroup reactors;
        try
        {
            reactors = services.GetService<IReactorGroupSource>()?.GetReactors() ?? (_ownReactors = ReactorGroup.Start());
        }
        catch (RingUnavailableException refusal)
        {
            throw PgStartException.Of(refusal);
        }

        DataSource = PgDataSource.Create(options.Options, reactors, loggers, services.GetService<IMeterFactory>());
    }

    internal PgDataSource DataSource { get; }

    public void Dispose() => BlockingWait.For(this);

    public async ValueTask DisposeAsync()
    {
        await DataSource.DisposeAsync().ConfigureAwait(false);
        if (_ownReactors is not null)
        {
            await _ownReactors.DisposeAsync().ConfigureAwait(false);
        }
    }
}

/// <summary>Opens the minimum number of connections before the host serves. Without a minimum it tries one in the background.</summary>
internal sealed class HostedDataSourceService(PgDataSource dataSource) : IHostedService
{
    /// <exception cref="PgStartException">A connection of the minimum cannot be opened.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        if (dataSource.Pools.All(static pool => pool.MinConnections == 0))
        {
            _ = TryAsync();
            return;
        }

        try
        {
            await dataSource.WarmUpAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (DbException cause)
        {
            throw PgStartException.Of(dataSource.Options, cause);
        }
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>A database that is down, a wrong password or a missing database is in the log before the first request needs it.</summary>
    private async Task TryAsync()
    {
        try
        {
            await (await dataSource.OpenSessionAsync().ConfigureAwait(false)).DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is DbException or ObjectDisposedException)
        {
            // The pool has logged why it could not connect. The host serves: the database may come later.
        }
    }
}
