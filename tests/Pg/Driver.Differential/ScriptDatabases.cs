using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>The databases of the targets, brought back to their start after each script, and the connections that look at them.</summary>
internal sealed class ScriptDatabases : IAsyncDisposable
{
    private readonly PostgresServer _server;
    private readonly Dictionary<string, NpgsqlConnection> _watchers = [];
    private readonly NpgsqlDataSource _sleepers;
    private string? _start;

    private ScriptDatabases(PostgresServer server)
    {
        _server = server;
        _sleepers = NpgsqlDataSource.Create(Databases.ForNpgsql(server, "postgres").Replace("Pooling=false", "Pooling=true", StringComparison.Ordinal));
    }

    internal static Task<ScriptDatabases> CreateAsync(PostgresServer server) => Task.FromResult(new ScriptDatabases(server));

    /// <summary>A database in the state in which scripts begin.</summary>
    internal async Task<string> AddAsync(string target)
    {
        string database = await _server.DatabaseAsync($"scripts_{target}");
        if (!_watchers.ContainsKey(database))
        {
            bool isNew = await _server.RunSqlAsync("select count(*) from pg_namespace where nspname = 'kinds'", database) == "0";
            if (isNew)
            {
                await _server.RunSqlAsync(ScriptStart.Prepare(database), database, PgUsers.Trust);
            }

            var watcher = new NpgsqlConnection(Databases.ForNpgsql(_server, database));
            await watcher.OpenAsync();
            _watchers.Add(database, watcher);
            await ScalarAsync(watcher, "select kinds.reset()");
            _start ??= await ScalarAsync(watcher, "select kinds.dump()");
        }

        return database;
    }

    /// <summary>The tables as a script left them, and the database as it was before.</summary>
    internal async Task<string> TakeAsync(string database)
    {
        string left = await ScalarAsync(_watchers[database], "select kinds.dump()");
        if (left != _start)
        {
            await ScalarAsync(_watchers[database], "select kinds.reset()");
        }

        return left;
    }

    /// <summary>Returns when a statement of a database sleeps, or at the token.</summary>
    internal async Task SleepsAsync(string database, CancellationToken hasEnded)
    {
        await using NpgsqlConnection connection = await _sleepers.OpenConnectionAsync(CancellationToken.None);
        while (!hasEnded.IsCancellationRequested
            && await ScalarAsync(connection, $"select count(*)::text from pg_stat_activity where datname = '{database}' and wait_event = 'PgSleep'") == "0")
        {
            await Task.Yield();
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (NpgsqlConnection watcher in _watchers.Values)
        {
            await watcher.DisposeAsync();
        }

        await _sleepers.DisposeAsync();
    }

    private static async Task<string> ScalarAsync(NpgsqlConnection connection, string sql)
    {
        await using var command = new NpgsqlCommand(sql, connection);
        return $"{await command.ExecuteScalarAsync()}";
    }
}
