using System.Globalization;
using Ioxide.PgBench.Turns;
using Npgsql;

namespace Ioxide.PgBench.Sides;

/// <summary>
/// Npgsql at its best: statements prepared and held with their connections where there is one a caller, else its pool without
/// a reset on return and with automatic preparation.
/// </summary>
internal sealed class NpgsqlSide(string name, BenchWorkload workload, BenchOptions options) : BenchSide(name, workload)
{
    private const int BestPoolSize = 16;

    private NpgsqlDataSource _db = null!; // Set by OpenAsync, which everything else follows.
    private NpgsqlCaller[] _callers = [];

    internal static string ConnectionText(BenchOptions options, int poolSize, bool isMultiplexing = false) => string.Create(
        CultureInfo.InvariantCulture,
        $"Host={options.Host};Port={options.Port};Username={options.User};Database={options.Database};SSL Mode=Disable;")
        + string.Create(
            CultureInfo.InvariantCulture,
            $"Minimum Pool Size={poolSize};Maximum Pool Size={poolSize};No Reset On Close=true;Max Auto Prepare=20;")
        + (isMultiplexing ? "Multiplexing=true;" : "");

    internal override async Task OpenAsync()
    {
        int poolSize = Workload.ConnectionCount > 0 ? Workload.ConnectionCount : Name == "npgsql-64" ? 64 : BestPoolSize;
        _db = NpgsqlDataSource.Create(ConnectionText(options, poolSize, Name == "npgsql-mux"));
        if (Workload.ConnectionCount > 0)
        {
            _callers = new NpgsqlCaller[Workload.CallerCount];
            for (int caller = 0; caller < _callers.Length; caller++)
            {
                _callers[caller] = new NpgsqlCaller(await _db.OpenConnectionAsync().ConfigureAwait(false), caller, Workload);
                await _callers[caller].PrepareAsync().ConfigureAwait(false);
            }
        }
    }

    internal override Task RunAsync(Turn turn)
    {
        var callers = new Task[turn.CallerCount];
        for (int i = 0; i < callers.Length; i++)
        {
            int caller = i;
            callers[i] = Task.Run(() => _callers.Length > 0 ? _callers[caller].LoopAsync(turn)
                : Workload.Kind != WorkloadKind.PrimaryKey ? throw Unsupported()
                : Name == "npgsql-mux" ? MultiplexedAsync(caller, turn)
                : PooledAsync(caller, turn));
        }

        return Task.WhenAll(callers);
    }

    public override async ValueTask DisposeAsync()
    {
        foreach (NpgsqlCaller caller in _callers)
        {
            await caller.DisposeAsync().ConfigureAwait(false);
        }

        await _db.DisposeAsync().ConfigureAwait(false);
    }

    private async Task PooledAsync(int caller, Turn turn)
    {
        var ids = new IdSource(caller);
        while (turn.GoesOn)
        {
            int id = ids.Next(Tables.WorldCount);
            long began = turn.Begin(caller);
            int number;
            await using (NpgsqlConnection connection = await _db.OpenConnectionAsync().ConfigureAwait(false))
            {
                await using var command = new NpgsqlCommand(NpgsqlCaller.World, connection);
                command.Parameters.Add(new NpgsqlParameter<int> { TypedValue = id });
                number = await ReadAsync(command).ConfigureAwait(false);
            }

            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(Tables.RandomNumber(id), number, "world");
        }
    }

    private async Task MultiplexedAsync(int caller, Turn turn)
    {
        var ids = new IdSource(caller);
        while (turn.GoesOn)
        {
            int id = ids.Next(Tables.WorldCount);
            long began = turn.Begin(caller);
            int number;
            await using (NpgsqlCommand command = _db.CreateCommand(NpgsqlCaller.World))
            {
                command.Parameters.Add(new NpgsqlParameter<int> { TypedValue = id });
                number = await ReadAsync(command).ConfigureAwait(false);
            }

            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(Tables.RandomNumber(id), number, "world");
        }
    }

    private static async Task<int> ReadAsync(NpgsqlCommand command)
    {
        await using NpgsqlDataReader reader = await command.ExecuteReaderAsync().ConfigureAwait(false);
        return await reader.ReadAsync().ConfigureAwait(false) ? reader.GetInt32(0) : 0;
    }
}
