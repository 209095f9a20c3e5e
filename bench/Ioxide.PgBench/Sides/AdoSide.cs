using System.Data.Common;
using Dapper;
using Ioxide.Pg;
using Ioxide.PgBench.Turns;
using Npgsql;

namespace Ioxide.PgBench.Sides;

/// <summary>A driver's ADO.NET face, alone or below Dapper, as an application uses it: a connection of the pool for each question.</summary>
internal sealed class AdoSide(string name, BenchWorkload workload, BenchOptions options) : BenchSide(name, workload)
{
    private const string World = "select randomnumber from world where id = @id";
    private const int BestPoolSize = 16;

    private static long s_questions;

    private readonly ReactorGroup? _group =
        name.EndsWith("-ioxide", StringComparison.Ordinal) ? ReactorGroup.Start(new ReactorOptions { ReactorCount = 1 }) : null;

    private PgDataSource? _native;

    /// <summary>The callers are no handlers on a reactor, but run where Npgsql's do.</summary>
    private bool IsOnPool => Name.Contains("-pool-", StringComparison.Ordinal);
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
        Func<int, Turn, Task> ask = Workload.Kind switch
        {
            WorkloadKind.PrimaryKey => PrimaryKeyAsync,
            WorkloadKind.Texts => TextsAsync,
            _ => throw Unsupported(),
        };

        var callers = new Task[turn.CallerCount];
        for (int i = 0; i < callers.Length; i++)
        {
            int caller = i;
            callers[i] = _group is null || IsOnPool
                ? Task.Run(() => ask(caller, turn))
                : OnReactorAsync(_group.Reactors[0], () => ask(caller, turn));
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

    /// <summary>With the question's number in the text, none comes twice.</summary>
    private async Task TextsAsync(int caller, Turn turn)
    {
        var ids = new IdSource(caller);
        while (turn.GoesOn)
        {
            int id = ids.Next(Tables.WorldCount);
            long question = Interlocked.Increment(ref s_questions);
            long began = turn.Begin(caller);
            int number;
            await using (DbConnection connection = await _db.OpenConnectionAsync())
            await using (DbCommand command = connection.CreateCommand())
            {
                command.CommandText = $"select randomnumber from world where id = {id} and {question} > 0";
                number = (int)(await command.ExecuteScalarAsync())!;
            }

            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(Tables.RandomNumber(id), number, "world");
        }
    }
}
