using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

/// <summary>A throw-away PostgreSQL of the installed server binaries, in a temporary folder, for this process alone.</summary>
/// <remarks>
/// A shell in a session of its own keeps it: the end of the shell's input, which comes with the end of this process however it
/// ends, ends the server and removes the folder. PostgreSQL refuses to run as root; then it runs as an unprivileged user.
/// </remarks>
internal sealed class PrivatePostgres : IAsyncDisposable
{
    /// <summary>Names no server: for a check of everything else, where none can be started.</summary>
    internal const string NoServer = "Host=/no-postgresql;Username=postgres;Database=postgres";

    private const string Keeper = """
        folder=$1; shift
        "$@" >> "$folder/log" 2>&1 < /dev/null &
        echo $!
        read -r line
        while kill -s INT $! 2> /dev/null; do sleep 0.05; done
        wait $!
        rm -rf "$folder"
        """;

    private const string Settings = """

        listen_addresses = '127.0.0.1'
        fsync = off
        full_page_writes = off
        wal_level = minimal
        max_wal_senders = 0
        dynamic_shared_memory_type = posix
        jit = off
        """;

    private const int MaxAttempts = 5;

    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(60);
    private static readonly string[] s_needed = ["initdb", "postgres"];

    private readonly Process _keeper;

    private PrivatePostgres(Process keeper, string folder, int port)
    {
        _keeper = keeper;
        Folder = folder;
        Port = port;
    }

    /// <summary>Why none can be started here, and what helps; null where one can.</summary>
    internal static string? Missing
        => Binaries() is null ? "its server binaries are not installed. On Debian: apt-get install postgresql"
            : FindTool("setsid") is null || FindTool("setpriv") is null ? "setsid and setpriv are not installed. On Debian: apt-get install util-linux"
            : Environment.IsPrivilegedProcess && UnprivilegedUser() is null ? "it does not run as root, and there is no user postgres or nobody"
            : null;

    internal string Folder { get; }

    internal int Port { get; }

    /// <summary>By the unix socket, which costs less than TCP.</summary>
    internal string ConnectionString => $"Host={Folder};Port={Port};Username=postgres;Database=postgres";

    /// <summary>The same for a program that was given no server.</summary>
    /// <returns>Null where none can be started, which has been printed.</returns>
    internal static async Task<PrivatePostgres?> TryStartAsync()
    {
        if (Missing is not { } missing)
        {
            return await StartAsync();
        }

        Console.Error.WriteLine($"There is no connection string, and no PostgreSQL can be started: {missing}");
        Environment.ExitCode = 1;
        return null;
    }

    /// <summary>Makes a cluster and starts it, which takes about a second.</summary>
    /// <exception cref="InvalidOperationException">It did not start; the message holds its log.</exception>
    internal static async Task<PrivatePostgres> StartAsync()
    {
        string binaries = Binaries() ?? throw new InvalidOperationException(Missing);
        string folder = Directory.CreateTempSubdirectory("ioxide-db-").FullName;
        string data = Path.Combine(folder, "data");
        try
        {
            string[] asUser = AsUser(folder, out string[] give);
            await RunAsync(give);
            await RunAsync(
            [
                .. asUser, Path.Combine(binaries, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
                "--no-sync", "--no-instructions",
            ]);
            await File.AppendAllTextAsync(
                Path.Combine(data, "postgresql.conf"), $"{Settings}\nunix_socket_directories = '{folder}'\n");
            return await LaunchAsync([.. asUser, Path.Combine(binaries, "postgres"), "-D", data], folder);
        }
        catch
        {
            if (Directory.Exists(folder))
            {
                Directory.Delete(folder, recursive: true);
            }

            throw;
        }
    }

    /// <summary>Ends it and removes its folder.</summary>
    public async ValueTask DisposeAsync()
    {
        _keeper.StandardInput.Close();
        await _keeper.WaitForExitAsync().WaitAsync(s_limit);
        _keeper.Dispose();
    }

    private static async Task<PrivatePostgres> LaunchAsync(string[] command, string folder)
    {
        for (int attempt = 1; ; attempt++)
        {
            int port = FreePort();
            Process keeper = Start(["setsid", "sh", "-c", Keeper, "sh", folder, .. command, "-p", $"{port}"]);
            var postgres = new PrivatePostgres(keeper, folder, port);
            string? number = await keeper.StandardOutput.ReadLineAsync().WaitAsync(s_limit);
            if (await IsReadyAsync(folder, number ?? ""))
            {
                return postgres;
            }

            string log = await File.ReadAllTextAsync(Path.Combine(folder, "log"));
            bool isPortTaken = log.Contains("could not bind", StringComparison.Ordinal) && attempt < MaxAttempts;
            if (!isPortTaken)
            {
                await postgres.DisposeAsync();
                throw new InvalidOperationException($"PostgreSQL did not start:\n{log}");
            }

            // Another process was faster. The folder is still needed: the keeper must not see the end of its input.
            keeper.Kill();
            keeper.Dispose();
        }
    }

    /// <summary>The first line of the server's file is its number, the eighth its state.</summary>
    private static async Task<bool> IsReadyAsync(string folder, string number)
    {
        string file = Path.Combine(folder, "data", "postmaster.pid");
        long started = Environment.TickCount64;
        while (Environment.TickCount64 - started < s_limit.TotalMilliseconds && IsRunning(number))
        {
            string[] lines = File.Exists(file) ? await ReadLinesAsync(file) : [];
            if (lines is [var first, _, _, _, _, _, _, var state, ..] && first == number && state.Trim() == "ready")
            {
                return true;
            }

            await Task.Delay(10);
        }

        return false;
    }

    private static async Task<string[]> ReadLinesAsync(string file)
    {
        try
        {
            return await File.ReadAllLinesAsync(file);
        }
        catch (IOException)
        {
            // It was removed since: the server ended.
            return [];
        }
    }

    private static bool IsRunning(string number)
    {
        try
        {
            string stat = File.ReadAllText($"/proc/{number}/stat");
            return stat[stat.LastIndexOf(')') + 2] != 'Z';
        }
        catch (IOException)
        {
            return false;
        }
    }

    /// <summary>What runs a command as the server's user, and what gives it the folder.</summary>
    private static string[] AsUser(string folder, out string[] give)
    {
        if (!Environment.IsPrivilegedProcess)
        {
            give = ["true"];
            return [];
        }

        (string user, string group) = UnprivilegedUser() ?? throw new InvalidOperationException(Missing);
        give = ["chown", $"{user}:{group}", folder];
        return ["setpriv", $"--reuid={user}", $"--regid={group}", "--clear-groups", "--"];
    }

    private static (string User, string Group)? UnprivilegedUser()
    {
        string[][] users = [.. File.ReadLines("/etc/passwd").Select(static line => line.Split(':')).Where(static user => user.Length > 3)];
        string[]? found = Array.Find(users, static user => user[0] == "postgres") ?? Array.Find(users, static user => user[0] == "nobody");
        return found is null ? null : (found[0], found[3]);
    }

    /// <summary>The newest version's folder.</summary>
    private static string? Binaries()
    {
        const string debian = "/usr/lib/postgresql";
        IEnumerable<string> folders = Directory.Exists(debian)
            ? Directory.GetDirectories(debian)
                .OrderByDescending(static folder => int.TryParse(Path.GetFileName(folder), CultureInfo.InvariantCulture, out int version) ? version : 0)
                .Select(static folder => Path.Combine(folder, "bin"))
            : [];
        folders = FindTool("initdb") is { } initdb ? folders.Append(Path.GetDirectoryName(initdb)!) : folders;
        return folders.FirstOrDefault(static folder => Array.TrueForAll(s_needed, name => File.Exists(Path.Combine(folder, name))));
    }

    private static string? FindTool(string name)
        => (Environment.GetEnvironmentVariable("PATH") ?? "").Split(':', StringSplitOptions.RemoveEmptyEntries)
            .Select(folder => Path.Combine(folder, name))
            .FirstOrDefault(File.Exists);

    private static int FreePort()
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }

    private static async Task RunAsync(string[] command)
    {
        using Process process = Start(command);
        Task<string> error = process.StandardError.ReadToEndAsync();
        await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync().WaitAsync(s_limit);
        if (process.ExitCode != 0)
        {
            throw new InvalidOperationException($"{string.Join(' ', command)} failed: {await error}");
        }
    }

    /// <summary>In the root folder, which every user may enter, and without variables that the server's programs read.</summary>
    private static Process Start(string[] command)
    {
        var start = new ProcessStartInfo(command[0], command[1..])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = "/",
        };
        foreach (string name in start.Environment.Keys.Where(static name => name.StartsWith("PG", StringComparison.Ordinal)).ToArray())
        {
            start.Environment.Remove(name);
        }

        start.Environment["LC_ALL"] = "C";
        return Process.Start(start) ?? throw new InvalidOperationException($"{command[0]} did not start.");
    }
}
