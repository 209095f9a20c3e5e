using System.Data;
using System.Data.Common;
using Ioxide.Pg.Data;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>A connection of the facade and one of Npgsql, in the database of a test class, which a script has prepared.</summary>
internal sealed class DataPair : IAsyncDisposable
{
    private readonly PostgresServer _server;
    private readonly string _database;
    private readonly NpgsqlDataSource _source;

    private DataPair(PostgresServer server, string database, NpgsqlDataSource source, DbConnection ours, DbConnection theirs)
    {
        _server = server;
        _database = database;
        _source = source;
        Ours = ours;
        Theirs = theirs;
    }

    internal DbConnection Ours { get; }

    internal DbConnection Theirs { get; }

    internal DbConnection[] Both => [Theirs, Ours];

    internal static async Task<DataPair> OpenAsync<TTests>(PgFixture fixture, string script, Action<NpgsqlDataSourceBuilder>? configure = null, Action<PgDataSourceOptions>? configureOurs = null)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<TTests>();
        await server.RunSqlAsync(script, database, PgUsers.Trust);
        PgDataSource source = await Databases.OpenAsync<TTests>(fixture, configure: configureOurs);
        DbConnection ours = await source.AsDbDataSource().OpenConnectionAsync();
        var builder = new NpgsqlDataSourceBuilder(Databases.ForNpgsql(server, database) + ";Include Failed Batched Command=true");
        configure?.Invoke(builder);
        NpgsqlDataSource theirs = builder.Build();
        return new DataPair(server, database, theirs, ours, await theirs.OpenConnectionAsync());
    }

    /// <summary>What psql prints.</summary>
    internal Task<string> RunAsync(string sql) => _server.RunSqlAsync(sql, _database, PgUsers.Trust);

    internal static DbCommand Command(DbConnection connection, string text)
    {
        DbCommand command = connection.CreateCommand();
        command.CommandText = text;
        return command;
    }

    /// <summary>A batch of texts.</summary>
    internal static DbBatch Batch(DbConnection connection, params string[] texts)
    {
        DbBatch batch = connection.CreateBatch();
        foreach (string text in texts)
        {
            DbBatchCommand command = batch.CreateBatchCommand();
            command.CommandText = text;
            batch.BatchCommands.Add(command);
        }

        return batch;
    }

    /// <summary>The type and the text of a parameter, as the server sees them.</summary>
    /// <param name="connection">One of the two.</param>
    /// <param name="value">Its value.</param>
    /// <param name="type">Its declared type by name; null for none.</param>
    internal static async Task<string> TypeAndTextAsync(DbConnection connection, object value, string? type = null)
    {
        await using DbCommand command = connection.CreateCommand();
        command.CommandText = "select pg_typeof(@p)::text || ' ' || @p::text";
        DbParameter parameter = command.CreateParameter();
        parameter.ParameterName = "p";
        parameter.Value = value;
        switch (parameter)
        {
            case PgDbParameter ours:
                ours.DataTypeName = type;
                break;
            case NpgsqlParameter theirs:
                theirs.DataTypeName = type;
                break;
        }

        command.Parameters.Add(parameter);
        return (string)(await command.ExecuteScalarAsync())!; // Never NULL.
    }

    /// <summary>The same, or the exception that refused it. A connection that was given up is opened again.</summary>
    internal static async Task<(string? Text, Exception? Refused)> TryTypeAndTextAsync(DbConnection connection, object value, string? type)
    {
        if (connection.State != ConnectionState.Open)
        {
            await connection.CloseAsync();
            await connection.OpenAsync();
        }

        try
        {
            return (await TypeAndTextAsync(connection, value, type), null);
        }
        catch (Exception refused)
        {
            return (null, refused is NpgsqlException { SqlState: null, InnerException: { } cause } ? cause : refused);
        }
    }

    /// <summary>Whether what catches Npgsql's exception catches the facade's.</summary>
    internal static bool IsCaught(Exception theirs, Exception ours)
        => theirs is DbException { SqlState: { } state } ? ours is DbException { SqlState: { } other } && state == other : theirs.GetType().IsInstanceOfType(ours);

    public async ValueTask DisposeAsync()
    {
        await Ours.DisposeAsync();
        await Theirs.DisposeAsync();
        await _source.DisposeAsync();
    }
}
