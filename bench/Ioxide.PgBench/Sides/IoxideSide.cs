using Ioxide.Pg;
using Ioxide.PgBench.Turns;

namespace Ioxide.PgBench.Sides;

/// <summary>Ioxide.Pg: all callers are loops on one reactor.</summary>
internal sealed class IoxideSide(string name, BenchWorkload workload, BenchOptions options) : BenchSide(name, workload)
{
    private readonly ReactorGroup _group = ReactorGroup.Start(new ReactorOptions
    {
        ReactorCount = 1,
        Kernel = name == BenchSide.OnEpoll ? KernelChoice.Epoll : KernelChoice.IoUring,
    });

    private PgDataSource _db = null!; // Set by OpenAsync, which everything else follows.

    internal static PgDataSourceOptions ConnectionOptions(BenchOptions options, int connectionCount)
    {
        var settings = new PgDataSourceOptions
        {
            Username = options.User,
            Database = options.Database,
            SslMode = PgSslMode.Disable,
        };
        settings.Hosts.Add(new PgHost(options.Host, options.Port));
        if (connectionCount > 0)
        {
            settings.MaxPerReactor = connectionCount + 1;
            settings.SharedPerReactor = connectionCount;
            settings.MinPerReactor = connectionCount;
            settings.MaxConnectingPerReactor = 8;
        }

        // As many connections as callers: one question in flight on each.
        settings.PipelineDepth = connectionCount > 1 ? 1 : settings.PipelineDepth;
        return settings;
    }

    internal override Task OpenAsync()
    {
        _db = PgDataSource.Create(ConnectionOptions(options, Workload.ConnectionCount), _group);
        return _db.WarmUpAsync();
    }

    internal override Task RunAsync(Turn turn)
    {
        var callers = new Task[turn.CallerCount];
        for (int caller = 0; caller < callers.Length; caller++)
        {
            callers[caller] = OnReactorAsync(new IoxideCaller(_db, caller, Workload, turn));
        }

        return Task.WhenAll(callers);
    }

    public override async ValueTask DisposeAsync()
    {
        await _db.DisposeAsync().ConfigureAwait(false);
        await _group.DisposeAsync().ConfigureAwait(false);
    }

    private Task OnReactorAsync(IoxideCaller caller)
    {
        _group.Reactors[0].Post(static caller => ((IoxideCaller)caller!).Start(), caller);
        return caller.Ended;
    }
}
