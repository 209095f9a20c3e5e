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

    internal static Task<DataPair> OpenAsync<TTests>(
        PgFixture fixture, string script, Action<NpgsqlDataSourceBuilder>? configure = null, Action<PgDataSourceOptions>? configureOurs = null)
        => OpenAsync(typeof(TTests), fixture, script, configure, configureOurs);

    internal static async Task<DataPair> OpenAsync(
        Type tests, PgFixture fixture, string script, Action<NpgsqlDataSourceBuilder>? configure = null, Action<PgDataSourceOptions>? configureOurs = null)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync(tests);
        await server.RunSqlAsync(script, database, PgUsers.Trust);
        PgDataSource source = Databases.Open(fixture, server, database, configure: configureOurs);
        DbConnection ours = await source.AsDbDataSource().OpenConnectionAsync();
        var builder = new NpgsqlDataSourceBuilder(Databases.ForNpgsql(server, database) + ";Include Failed Batched Command=true");
        configure?.Invoke(builder);
        NpgsqlDataSource theirs = builder.Build();
        return new DataPair(server, database, theirs, ours, await theirs.OpenConnectionAsync());
    }

    /// <summary>Does the same on a connection of each, beside reactors of its own.</summary>
    internal static async Task EachAsync<TTests>(string script, Func<DbConnection, Task> check)
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await OpenAsync<TTests>(fixture, script);
        foreach (DbConnection connection in pair.Both)
        {
            await check(connection);
        }
    }

    /// <summary>What psql prints.</summary>
    internal Task<string> RunAsync(string sql) => _server.RunSqlAsync(sql, _database, PgUsers.Trust);

    /// <summary>The type and the text of a parameter, as the server sees them.</summary>
    /// <param name="connection">One of the two.</param>
    /// <param name="value">Its value.</param>
    /// <param name="type">Its declared type by name; null for none.</param>
    internal static async Task<string> TypeAndTextAsync(DbConnection connection, object value, string? type = null)
    {
        await using DbCommand command = connection.Command("select pg_typeof(@p)::text || ' ' || @p::text");
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
