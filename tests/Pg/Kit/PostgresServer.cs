using System.Net;
using System.Net.Sockets;

namespace Ioxide.Pg.Tests;

/// <summary>A private, throw-away PostgreSQL from the installed server binaries.</summary>
/// <remarks>
/// It listens on 127.0.0.1, on ::1 where there is one, and on a unix socket. Users: <see cref="PgUsers"/>. Disposing it
/// ends it and removes its folder; so does the end of this process.
/// </remarks>
internal sealed partial class PostgresServer : IAsyncDisposable
{
    private readonly ServerBinaries _binaries;
    private readonly string _folder;
    private readonly HashSet<string> _databases = new(StringComparer.Ordinal);
    private readonly SemaphoreSlim _databasesGate = new(1, 1);

    private PostgresServer(ServerBinaries binaries, ServerFolder shared, string folder, PostgresServerOptions options)
    {
        _binaries = binaries;
        _folder = folder;
        Options = options;
        Certificates = shared.Certificates;
        HasHstore = shared.HasHstore;
    }

    internal PostgresServerOptions Options { get; }

    internal ServerCertificates Certificates { get; }

    /// <summary>Whether every database has the type hstore.</summary>
    internal bool HasHstore { get; }

    internal int Port { get; private set; }

    /// <summary>The folder of the unix socket: what libpq takes as host.</summary>
    internal string SocketFolder => _folder;

    internal string SocketPath => Path.Combine(_folder, $".s.PGSQL.{Port}");

    internal IPEndPoint EndPoint => new(IPAddress.Loopback, Port);

    internal UnixDomainSocketEndPoint UnixEndPoint => new(SocketPath);

    /// <summary>What the server wrote.</summary>
    internal string Log => File.Exists(LogFile) ? File.ReadAllText(LogFile) : "";

    /// <summary>Process number of the server itself, the parent of its backends.</summary>
    internal int ProcessId { get; private set; }

    private string DataFolder => Path.Combine(_folder, "data");

    private string LogFile => Path.Combine(_folder, "log");

    /// <summary>Starts one. The test is skipped where the server is not installed.</summary>
    internal static async Task<PostgresServer> StartAsync(PostgresServerOptions? options = null)
    {
        Assert.SkipWhen(ServerBinaries.Installed is null, ServerBinaries.Missing ?? "");
        ServerFolder shared = await ServerFolder.GetAsync().Within(300.Seconds(), "a cluster is initialized");
        string folder = await shared.CopyAsync();
        var server = new PostgresServer(ServerBinaries.Installed, shared, folder, options ?? new PostgresServerOptions());
        try
        {
            await server.ConfigureAsync();
            await server.LaunchOnFreePortAsync();
            return server;
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }

    /// <summary>The server that all classes share; started by the first that asks.</summary>
    internal static Task<PostgresServer> SharedAsync() => SharedPostgres.GetAsync();

    /// <summary>Runs SQL by psql, independently of the driver under test.</summary>
    /// <param name="sql">One or more statements.</param>
    /// <param name="database">Where.</param>
    /// <param name="user">Who; a user that is trusted on the unix socket.</param>
    /// <returns>A line a row, fields divided by <c>|</c>, nothing for NULL, without the last line's end.</returns>
    /// <exception cref="ToolFailedException">A statement failed; the rest did not run.</exception>
    internal async Task<string> RunSqlAsync(string sql, string database = "postgres", string user = PgUsers.Super)
    {
        string answer = await Tool.RunAsync(
            [
                _binaries["psql"], "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose",
                "-h", SocketFolder, "-p", $"{Port}", "-U", user, "-d", database, "-f", "-",
            ],
            sql).ConfigureAwait(false);
        return answer.EndsWith('\n') ? answer[..^1] : answer;
    }

    /// <summary>A database of that name, owned by <see cref="PgUsers.Trust"/>; made by the first call.</summary>
    internal async Task<string> DatabaseAsync(string name)
    {
        await _databasesGate.WaitAsync().ConfigureAwait(false);
        try
        {
            if (_databases.Add(name))
            {
                await RunSqlAsync($"create database \"{name}\" owner {PgUsers.Trust}").ConfigureAwait(false);
            }

            return name;
        }
        finally
        {
            _databasesGate.Release();
        }
    }

    /// <summary>The database of a test class.</summary>
    internal Task<string> DatabaseAsync<TClass>() => DatabaseAsync(typeof(TClass));

    /// <inheritdoc cref="DatabaseAsync{TClass}"/>
    internal Task<string> DatabaseAsync(Type tests) => DatabaseAsync(tests.Name.ToUpperInvariant());

    /// <summary>Processes that serve clients now, except the one that answers this.</summary>
    /// <param name="database">Only this database's; null for all.</param>
    internal async Task<int[]> BackendsAsync(string? database = null)
    {
        string where = database is null ? "" : $" and datname = '{database}'";
        string answer = await RunSqlAsync(
            $"select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid(){where} order by pid")
            .ConfigureAwait(false);
        return [.. answer.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(int.Parse)];
    }

    /// <summary>Waits until a backend is inside <c>pg_sleep</c>: a cancel that comes before has no effect.</summary>
    internal Task SleepsAsync(int processId) => Waits.Eventually(
        () => RunSqlAsync($"select wait_event from pg_stat_activity where pid = {processId}").Result == "PgSleep", TimeSpan.FromSeconds(20));

    /// <summary>Kills a backend. The server then ends all others too and recovers, which takes some 200 ms.</summary>
    internal void KillBackend(int processId) => SignalBackend(processId, Signals.Kill);

    /// <summary>Stops a backend until <see cref="ThawBackend"/>: the connection is there and silent.</summary>
    internal void FreezeBackend(int processId) => SignalBackend(processId, Signals.Stop);

    internal void ThawBackend(int processId) => SignalBackend(processId, Signals.Continue);

    private void SignalBackend(int processId, int signal)
    {
        // The parent is the fourth field; the second is the name in parentheses.
        string stat = File.ReadAllText($"/proc/{processId}/stat");
        string parent = stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[1];
        Assert.Equal($"{ProcessId}", parent);
        Signals.Send(processId, signal);
    }
}
