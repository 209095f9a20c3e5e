using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>All ways to run a script, each in a database of its own.</summary>
internal sealed class ScriptTargets : IAsyncDisposable
{
    /// <summary>Ends the name of a target that was not told of its pooler.</summary>
    internal const string Undeclared = "undeclared";

    private readonly List<ScriptTarget> _targets = [];
    private readonly ScriptDatabases _databases;

    private ScriptTargets(ScriptDatabases databases) => _databases = databases;

    /// <summary>Those whose answers are right come first.</summary>
    internal IReadOnlyList<ScriptTarget> All => _targets;

    /// <summary>Opens all, or one with those that are right.</summary>
    /// <param name="place">The server, the reactors, and the poolers where there are any.</param>
    /// <param name="isDeclared">Whether the driver is told of the pooler in transaction mode, or finds out.</param>
    /// <param name="only">The name of the one; null for all.</param>
    internal static async Task<ScriptTargets> OpenAsync(ScriptPlace place, bool isDeclared, string? only = null)
    {
        var targets = new ScriptTargets(place.Databases);
        AdoTarget values = await targets.NpgsqlAsync(place, "npgsql", readsText: false);
        AdoTarget texts = await targets.NpgsqlAsync(place, "npgsql-text", readsText: true);
        await targets.AddAsync(place, "native", place.Server.Port, PgPooler.None, values, texts, only);
        await targets.AddAsync(place, "facade", place.Server.Port, PgPooler.None, values, texts, only);
        if (place.TransactionPooler is { } transactions)
        {
            PgPooler told = isDeclared ? PgPooler.Transaction : PgPooler.None;
            string mode = isDeclared ? "transaction" : Undeclared;
            await targets.AddAsync(place, $"native-{mode}", transactions.Port, told, values, texts, only);
            await targets.AddAsync(place, $"facade-{mode}", transactions.Port, told, values, texts, only);
        }

        if (place.SessionPooler is { } sessions)
        {
            await targets.AddAsync(place, "native-session", sessions.Port, PgPooler.Session, values, texts, only);
            await targets.AddAsync(place, "facade-session", sessions.Port, PgPooler.Session, values, texts, only);
        }

        return targets;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (ScriptTarget target in _targets)
        {
            await target.DisposeAsync();
        }
    }

    private async Task<AdoTarget> NpgsqlAsync(ScriptPlace place, string name, bool readsText)
    {
        string database = await _databases.AddAsync(name);
        var builder = new NpgsqlConnectionStringBuilder(Databases.ForNpgsql(place.Server, database))
        {
            Pooling = true,
            IncludeFailedBatchedCommand = true,
        };
        var target = new AdoTarget(name, database, NpgsqlDataSource.Create(builder)) { ReadsText = readsText, SleepsAsync = _databases.SleepsAsync };
        _targets.Add(target);
        return target;
    }

    private async Task AddAsync(ScriptPlace place, string name, int port, PgPooler pooler, ScriptTarget values, ScriptTarget texts, string? only)
    {
        if (only is not null && only != name)
        {
            return;
        }

        string database = await _databases.AddAsync(name);
        PgDataSourceOptions options = TestDatabase.Patient(PgDataSourceOptions.Parse(
            $"Host=127.0.0.1;Port={port};Username={PgUsers.Trust};Database={database};SSL Mode=Disable"));
        options.SharedPerReactor = 1;
        options.MaxPerReactor = PgBouncer.PoolSize;
        options.Pooler = pooler;
        PgDataSource source = PgDataSource.Create(options, place.Group);
        bool keepsSessions = port != place.TransactionPooler?.Port;
        _targets.Add(name.StartsWith("native", StringComparison.Ordinal)
            ? new NativeTarget(name, database, source) { Oracle = texts, KeepsSessions = keepsSessions, SleepsAsync = _databases.SleepsAsync }
            : new AdoTarget(name, database, source.AsDbDataSource(), source) { Oracle = values, KeepsSessions = keepsSessions, SleepsAsync = _databases.SleepsAsync });
    }
}

/// <summary>Where scripts run.</summary>
/// <param name="TransactionPooler">Null where PgBouncer is missing.</param>
/// <param name="SessionPooler">Null where PgBouncer is missing.</param>
internal sealed record ScriptPlace(
    PostgresServer Server, ReactorGroup Group, ScriptDatabases Databases, PgBouncer? TransactionPooler, PgBouncer? SessionPooler);
