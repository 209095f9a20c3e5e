using System.Data.Common;
using Dapper;
using Ioxide.Pg;
using Ioxide.PgBench.Turns;
using Npgsql;

namespace Ioxide.PgBench.Sides;

/// <summary>Dapper on a driver's ADO.NET face, as an application uses it: a connection of the pool for each question.</summary>
internal sealed class DapperSide(string name, BenchWorkload workload, BenchOptions options) : BenchSide(name, workload)
{
    private const string World = "select randomnumber from world where id = @id";
    private const int BestPoolSize = 16;

    private readonly ReactorGroup? _group =
        name == "dapper-ioxide" ? ReactorGroup.Start(new ReactorOptions { ReactorCount = 1 }) : null;

    private PgDataSource? _native;
    private DbDataSource _db = null!; // Set by OpenAsync, which everything else follows.

    internal override async Task OpenAsync()
    {
        if (_group is null)
        {
            _db = NpgsqlDataSource.Create(NpgsqlSide.ConnectionText(
                options, Workload.ConnectionCount > 0 ? Workload.ConnectionCount : BestPoolSize));
            return;
        }

        _native = PgDataSource.Create(IoxideSide.ConnectionOptions(options, Workload.ConnectionCount), _group);
        await _native.WarmUpAsync().ConfigureAwait(false);
        _db = _native.AsDbDataSource();
    }

    internal override Task RunAsync(Turn turn)
    {
        if (Workload.Kind != WorkloadKind.PrimaryKey)
        {
            throw Unsupported();
        }

        var callers = new Task[turn.CallerCount];
        for (int i = 0; i < callers.Length; i++)
        {
            int caller = i;
            callers[i] = _group is null
                ? Task.Run(() => PrimaryKeyAsync(caller, turn))
                : OnReactorAsync(_group.Reactors[0], () => PrimaryKeyAsync(caller, turn));
        }

        return Task.WhenAll(callers);
    }

    public override async ValueTask DisposeAsync()
    {
        await _db.DisposeAsync().ConfigureAwait(false);
        if (_native is not null)
        {
            await _native.DisposeAsync().ConfigureAwait(false);
        }

        if (_group is not null)
        {
            await _group.DisposeAsync().ConfigureAwait(false);
        }
    }

    private static Task OnReactorAsync(Reactor reactor, Func<Task> work)
    {
        var started = new TaskCompletionSource<Task>(TaskCreationOptions.RunContinuationsAsynchronously);
        reactor.Post(_ => started.SetResult(work()), null);
        return started.Task.Unwrap();
    }

    /// <summary>Goes on where it began after each answer, as a handler does.</summary>
    private async Task PrimaryKeyAsync(int caller, Turn turn)
    {
        var ids = new IdSource(caller);
        while (turn.GoesOn)
        {
            int id = ids.Next(Tables.WorldCount);
            long began = turn.Begin(caller);
            int number;
            await using (DbConnection connection = await _db.OpenConnectionAsync())
            {
                number = await connection.QueryFirstAsync<int>(World, new { id });
            }

            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(Tables.RandomNumber(id), number, "world");
        }
    }
}
