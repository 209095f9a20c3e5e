using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.Pg.Tests;

/// <summary>Start and stop.</summary>
internal sealed partial class PostgresServer
{
    // Starts the server and says its number. The first line of input is the signal that ends it; the end of input, which also
    // comes with the end of the tests' process, ends it at once. A server that is still being started ignores signals, so the
    // signal is sent until it has ended; more than one does no harm.
    private const string Runner = """
        log=$1; shift
        "$@" >> "$log" 2>&1 < /dev/null &
        echo $!
        read -r signal || signal=QUIT
        while kill -s "$signal" $! 2> /dev/null; do sleep 0.02; done
        wait $!
        """;

    private Process? _runner;
    private bool _isDisposed;

    internal bool IsRunning => _runner is not null;

    /// <summary>Stops it and returns once the last process has ended. Its port stays its own for <see cref="StartAgainAsync"/>.</summary>
    internal async Task StopAsync(StopMode mode = StopMode.Fast)
    {
        Process runner = _runner ?? throw new InvalidOperationException("The server does not run.");
        _runner = null;
        using (runner)
        {
            await runner.StandardInput.WriteLineAsync(mode == StopMode.Fast ? "INT" : "QUIT").ConfigureAwait(false);
            runner.StandardInput.Close();
            await runner.WaitForExitAsync().Within(20.Seconds(), "the server has ended").ConfigureAwait(false);
        }
    }

    /// <summary>Starts it after <see cref="StopAsync"/>, on the same port.</summary>
    internal Task StartAgainAsync() => LaunchAsync();

    internal async Task RestartAsync(StopMode mode = StopMode.Fast)
    {
        await StopAsync(mode).ConfigureAwait(false);
        await StartAgainAsync().ConfigureAwait(false);
    }

    /// <summary>Ends it and removes its folder. The second call does nothing.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        if (IsRunning)
        {
            await StopAsync(StopMode.Immediate).ConfigureAwait(false);
        }

        _databasesGate.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private async Task ConfigureAsync()
    {
        string hba = Path.Combine(DataFolder, "pg_hba.conf");
        string rules = await File.ReadAllTextAsync(hba).ConfigureAwait(false);
        await File.WriteAllTextAsync(hba, $"{Options.HostBasedAuthentication}\n{rules}").ConfigureAwait(false);
        IEnumerable<string> settings = Options.Settings.Select(setting => $"{setting.Key} = '{setting.Value}'");
        await File.AppendAllLinesAsync(
            Path.Combine(DataFolder, "postgresql.conf"),
            [
                $"listen_addresses = '{(Socket.OSSupportsIPv6 && CanBind(IPAddress.IPv6Loopback, 0) ? "127.0.0.1,::1" : "127.0.0.1")}'",
                $"unix_socket_directories = '{_folder}'",
                $"max_connections = {Options.MaxConnections}",
                .. settings,
            ]).ConfigureAwait(false);
    }

    /// <summary>Takes a port below those that the kernel gives to clients, so that it is still free after a restart.</summary>
    private async Task LaunchOnFreePortAsync()
    {
        for (int attempt = 0; ; attempt++)
        {
            Port = Random.Shared.Next(20_000, 32_000);
            if (!CanBind(IPAddress.Loopback, Port) || (Socket.OSSupportsIPv6 && !CanBind(IPAddress.IPv6Loopback, Port)))
            {
                continue;
            }

            try
            {
                await LaunchAsync().ConfigureAwait(false);
                return;
            }
            catch (InvalidOperationException) when (attempt < 3 && Log.Contains("could not bind", StringComparison.Ordinal))
            {
                // Another process was faster.
            }
        }
    }

    private async Task LaunchAsync()
    {
        Process runner = Tool.Start(
        ["setsid", "sh", "-c", Runner, "sh", LogFile, .. _binaries.AsUser(_binaries["postgres"], "-D", DataFolder, "-p", $"{Port}")]);
        try
        {
            string? line = await runner.StandardOutput.ReadLineAsync().Within(20.Seconds(), "the server's number").ConfigureAwait(false);
            ProcessId = int.Parse(line ?? "", CultureInfo.InvariantCulture);
            long started = Environment.TickCount64;
            while (!IsReady())
            {
                if (HasEnded() || Environment.TickCount64 - started > 120_000)
                {
                    throw new InvalidOperationException($"The server did not start:\n{Log}");
                }

                await Task.Delay(5).ConfigureAwait(false);
            }

            _runner = runner;
        }
        catch
        {
            runner.StandardInput.Close();
            await runner.WaitForExitAsync().Within(20.Seconds()).ConfigureAwait(false);
            runner.Dispose();
            throw;
        }
    }

    /// <summary>The first line of the server's file is its number, the eighth its state.</summary>
    private bool IsReady()
    {
        try
        {
            string[] lines = File.ReadAllLines(Path.Combine(DataFolder, "postmaster.pid"));
            return lines is [var number, _, _, _, _, _, _, var state, ..] && number == $"{ProcessId}" && state.Trim() == "ready";
        }
        catch (IOException)
        {
            // It is not written yet.
            return false;
        }
    }

    private bool HasEnded()
    {
        try
        {
            string stat = File.ReadAllText($"/proc/{ProcessId}/stat");
            return stat[stat.LastIndexOf(')') + 2] == 'Z';
        }
        catch (IOException)
        {
            return true;
        }
    }

    private static bool CanBind(IPAddress address, int port)
    {
        using var socket = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            socket.Bind(new IPEndPoint(address, port));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
