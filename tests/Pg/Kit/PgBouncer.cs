using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.Pg.Tests;

/// <summary>A PgBouncer in front of a server of the tests. Disposing it ends it and removes its folder.</summary>
internal sealed class PgBouncer : IAsyncDisposable
{
    /// <summary>Sessions of the server that it keeps.</summary>
    internal const int PoolSize = 4;

    private readonly string _folder;
    private Process? _process;

    private PgBouncer(string folder) => _folder = folder;

    internal int Port { get; private set; }

    /// <summary>Starts one. The test is skipped where it is not installed.</summary>
    /// <param name="server">Where it leads.</param>
    /// <param name="mode"><c>transaction</c> or <c>session</c>.</param>
    /// <param name="preparedStatements">How many it keeps for its clients; 0 is none.</param>
    internal static async Task<PgBouncer> StartAsync(PostgresServer server, string mode, int preparedStatements = 0)
    {
        string? program = Tool.Find("pgbouncer");
        Assert.SkipWhen(program is null, "PgBouncer is not installed (on Debian: apt-get install pgbouncer).");
        if (preparedStatements > 0)
        {
            string version = await Tool.RunAsync([program!, "--version"]).ConfigureAwait(false);
            Assert.SkipUnless(
                Version.TryParse(version.Split('\n')[0].Split(' ')[^1], out Version? number) && number >= new Version(1, 21),
                $"PgBouncer keeps prepared statements from version 1.21 on; this is {version.Split('\n')[0]}.");
        }

        var bouncer = new PgBouncer(Directory.CreateTempSubdirectory("ioxide-pgbouncer-").FullName);
        try
        {
            for (int attempt = 0; attempt < 4 && !await bouncer.TryLaunchAsync(program!, server, mode, preparedStatements).ConfigureAwait(false); attempt++)
            {
            }

            return bouncer._process is null ? throw new InvalidOperationException("PgBouncer did not start.") : bouncer;
        }
        catch
        {
            await bouncer.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_process is { } process)
        {
            _process = null;
            await EndAsync(process);
        }

        if (Directory.Exists(_folder))
        {
            Directory.Delete(_folder, recursive: true);
        }
    }

    private async Task<bool> TryLaunchAsync(string program, PostgresServer server, string mode, int preparedStatements)
    {
        Port = Random.Shared.Next(20_000, 32_000);
        string file = Path.Combine(_folder, "pgbouncer.ini");
        await File.WriteAllTextAsync(file, string.Create(CultureInfo.InvariantCulture, $"""
            [databases]
            * = host=127.0.0.1 port={server.Port} user={PgUsers.Trust}
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = {Port}
            unix_socket_dir =
            auth_type = any
            pool_mode = {mode}
            default_pool_size = {PoolSize}
            max_client_conn = 200
            {(preparedStatements > 0 ? $"max_prepared_statements = {preparedStatements}" : "")}

            """)).ConfigureAwait(false);
        if (OperatingSystem.IsLinux())
        {
            const UnixFileMode All = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.OtherRead;
            File.SetUnixFileMode(_folder, All | UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute);
            File.SetUnixFileMode(file, All);
        }

        Process process = Tool.Start([.. ServerBinaries.Installed!.AsUser(program, "-q", file)]);
        _ = process.StandardError.ReadToEndAsync();
        _ = process.StandardOutput.ReadToEndAsync();
        long started = Environment.TickCount64;
        while (!process.HasExited && Environment.TickCount64 - started < 60_000)
        {
            using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
            try
            {
                await socket.ConnectAsync(IPAddress.Loopback, Port).ConfigureAwait(false);
                _process = process;
                return true;
            }
            catch (SocketException)
            {
                await Task.Delay(10).ConfigureAwait(false);
            }
        }

        // The port was taken.
        await EndAsync(process).ConfigureAwait(false);
        return false;
    }

    private static async Task EndAsync(Process process)
    {
        using (process)
        {
            if (!process.HasExited)
            {
                process.Kill();
            }

            await process.WaitForExitAsync().Within(60.Seconds(), "PgBouncer has ended").ConfigureAwait(false);
        }
    }
}
