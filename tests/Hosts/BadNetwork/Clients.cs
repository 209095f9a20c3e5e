using System.Data.Common;
using System.Globalization;
using System.Net;
using System.Security.Cryptography;
using Ioxide.Pg;
using Npgsql;

namespace Ioxide.BadNetworkHost;

/// <summary>The clients of one side, inside the server's process: an <see cref="HttpClient"/> and a data source, made when they are needed.</summary>
internal sealed class Clients(HostSetup setup, ReactorGroup? group) : IAsyncDisposable
{
    private const int RowBytes = 1000;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(2);

    private readonly Lock _gate = new();
    private HttpClient? _http;
    private DbDataSource? _database;
    private PgDataSource? _pools;

    private HttpClient Http
    {
        get
        {
            lock (_gate)
            {
                return _http ??= CreateHttp();
            }
        }
    }

    private DbDataSource Database
    {
        get
        {
            lock (_gate)
            {
                return _database ??= CreateDatabase();
            }
        }
    }

    /// <summary>Receives so many bytes of a key from the upstream server.</summary>
    internal Task<string> GetAsync(long key, int lengthBytes) => Bodies.GetAsync(Http, key, lengthBytes, pauseMs: 0);

    /// <summary>Sends so many bytes of a key to it.</summary>
    internal Task<string> PostAsync(long key, int lengthBytes) => Bodies.PostAsync(Http, key, lengthBytes);

    /// <summary>Reads about so many bytes of rows that depend on a key.</summary>
    internal async Task<string> RowsAsync(long key, int lengthBytes)
    {
        int rows = Math.Max(1, lengthBytes / RowBytes);
        await using DbConnection connection = await Database.OpenConnectionAsync();
        await using DbCommand command = connection.CreateCommand();
        command.CommandText = $"select i, repeat(chr((65 + (i + {key}) % 26)::int), {RowBytes}) from generate_series(1, {rows}) i";
        await using DbDataReader reader = await command.ExecuteReaderAsync();
        int read = 0;
        while (await reader.ReadAsync())
        {
            read++;
            if (reader.GetInt32(0) != read || reader.GetString(1) != new string((char)(65 + ((read + key) % 26)), RowBytes))
            {
                return $"row {read} is wrong";
            }
        }

        return read == rows ? Outcome.Whole : $"{read} of {rows} rows";
    }

    /// <summary>Sends so many bytes of a key as a value.</summary>
    internal async Task<string> ValueAsync(long key, int lengthBytes)
    {
        byte[] body = new byte[lengthBytes];
        Payload.Fill(body, key, 0);
        await using DbConnection connection = await Database.OpenConnectionAsync();
        await using DbCommand command = connection.CreateCommand();
        command.CommandText = "select encode(sha256($1), 'hex')";
        DbParameter parameter = command.CreateParameter();
        parameter.Value = body;
        command.Parameters.Add(parameter);
        return (string?)await command.ExecuteScalarAsync() == Convert.ToHexStringLower(SHA256.HashData(body)) ? Outcome.Whole : "another sum";
    }

    /// <summary>Lets go of every connection; the next operation makes new ones.</summary>
    public async ValueTask DisposeAsync()
    {
        _http?.Dispose();
        if (_database is not null)
        {
            await _database.DisposeAsync();
        }

        if (_pools is not null)
        {
            await _pools.DisposeAsync();
        }

        (_http, _database, _pools) = (null, null, null);
    }

    private HttpClient CreateHttp()
    {
        var handler = new SocketsHttpHandler { UseProxy = false, MaxConnectionsPerServer = 4 };
        return new HttpClient(group is null ? handler : handler.UseIoxide(group))
        {
            BaseAddress = new Uri($"http://{setup.Upstream}/"),
            Timeout = setup.IsImpatient ? s_patience : TimeSpan.FromMinutes(2),
        };
    }

    private DbDataSource CreateDatabase()
    {
        IPEndPoint server = IPEndPoint.Parse(setup.Database);
        string text = $"Host={server.Address};Port={server.Port};Username=app_trust;Database=postgres;SSL Mode=Disable;"
            + $"Maximum Pool Size=1;Timeout={(setup.IsImpatient ? 2 : 60)};Command Timeout={(setup.IsImpatient ? 2 : 120)}";
        if (group is null)
        {
            return NpgsqlDataSource.Create($"{text};Cancellation Timeout=500");
        }

        PgDataSourceOptions options = PgDataSourceOptions.Parse(text);
        options.CancelTimeout = TimeSpan.FromMilliseconds(500);
        _pools = PgDataSource.Create(options, group);
        return _pools.AsDbDataSource();
    }
}
