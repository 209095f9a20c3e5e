using System.Diagnostics;

namespace Ioxide.Pg.Tests;

/// <summary>One temporary folder for all servers of this process: the certificates and an initialized cluster, which every server copies.</summary>
/// <remarks>
/// A shell in a session of its own waits for the end of its input, which comes with the end of this process however it ends,
/// and removes the folder.
/// </remarks>
internal sealed class ServerFolder
{
    private const string Guard = "read -r line; n=0; until rm -rf \"$1\" 2> /dev/null || [ $n = 100 ]; do n=$((n+1)); sleep 0.1; done";

    private static readonly Lazy<Task<ServerFolder>> s_folder = new(CreateAsync);

    private readonly string _path;
    private readonly ServerBinaries _binaries;
    private readonly Process _guard;
    private int _servers;

    private ServerFolder(string path, ServerBinaries binaries)
    {
        _path = path;
        _binaries = binaries;
        _guard = Tool.Start(["setsid", "sh", "-c", Guard, "sh", path]);
        Certificates = new ServerCertificates(path, PgUsers.Certificate);
    }

    internal ServerCertificates Certificates { get; }

    /// <summary>Whether new databases have the type hstore.</summary>
    internal bool HasHstore { get; private set; }

    internal static Task<ServerFolder> GetAsync() => s_folder.Value;

    /// <summary>A copy of the cluster in a folder of its own. The caller removes it.</summary>
    internal async Task<string> CopyAsync()
    {
        string folder = Path.Combine(_path, $"s{Interlocked.Increment(ref _servers)}");
        string template = Path.Combine(_path, "template");
        await Tool.RunAsync(["cp", "-a", "--reflink=auto", template, folder]).ConfigureAwait(false);
        return folder;
    }

    private static async Task<ServerFolder> CreateAsync()
    {
        ServerBinaries binaries = ServerBinaries.Installed ?? throw new InvalidOperationException(ServerBinaries.Missing);
        var folder = new ServerFolder(Directory.CreateTempSubdirectory("ioxide-pg-").FullName, binaries);
        Debug.Assert(!folder._guard.HasExited);
        await folder.InitializeAsync().ConfigureAwait(false);
        return folder;
    }

    private async Task InitializeAsync()
    {
        // The server's user must get through to its own part.
        File.SetUnixFileMode(_path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute
            | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute);
        string template = Directory.CreateDirectory(Path.Combine(_path, "template")).FullName;
        string data = Path.Combine(template, "data");
        await GiveAsync(template).ConfigureAwait(false);
        await Tool.RunAsync(_binaries.AsUser(
            _binaries["initdb"], "-D", data, "-U", PgUsers.Super, "-A", "trust", "-E", "UTF8", "--locale=C",
            "--no-sync", "--no-instructions", "--wal-segsize=1")).ConfigureAwait(false);

        await AppendAsync(Path.Combine(data, "postgresql.conf"), Settings).ConfigureAwait(false);
        await File.WriteAllTextAsync(Path.Combine(data, "pg_hba.conf"), PgUsers.HostBasedAuthentication).ConfigureAwait(false);
        foreach (string file in (string[])[Certificates.CaFile, Certificates.ServerFile, Certificates.ServerKeyFile])
        {
            File.Copy(file, Path.Combine(data, Path.GetFileName(file)));
        }

        await GiveAsync(template).ConfigureAwait(false);
        await SingleUserAsync(data, PgUsers.CreationScript).ConfigureAwait(false);
        HasHstore = (await SingleUserAsync(data, "select 'has' || name from pg_available_extensions where name = 'hstore';\n")
            .ConfigureAwait(false)).Contains("hashstore", StringComparison.Ordinal);
        if (HasHstore)
        {
            await SingleUserAsync(data, "create extension hstore;\n").ConfigureAwait(false);
        }
    }

    /// <summary>What all servers share; later lines hold. Vacuum would look at each database once a minute, and each class has one.</summary>
    private static string Settings => """

        autovacuum = off
        fsync = off
        full_page_writes = off
        wal_level = minimal
        max_wal_senders = 0
        min_wal_size = 2MB
        shared_buffers = 32MB
        dynamic_shared_memory_type = posix
        jit = off
        timezone = 'UTC'
        log_line_prefix = '%m [%p] %u@%d '
        password_encryption = scram-sha-256
        ssl = on
        ssl_ca_file = 'ca.pem'
        ssl_cert_file = 'server.pem'
        ssl_key_file = 'server.key'

        """;

    /// <summary>Works on the template database, from which new databases are made, without a running server.</summary>
    private Task<string> SingleUserAsync(string data, string script)
        => Tool.RunAsync(_binaries.AsUser(_binaries["postgres"], "--single", "-D", data, "-c", "exit_on_error=true", "template1"), script);

    private Task GiveAsync(string path) => _binaries.User is { } user ? Tool.RunAsync(["chown", "-R", $"{user}:{user}", path]) : Task.CompletedTask;

    private static Task AppendAsync(string file, string text) => File.AppendAllTextAsync(file, text);
}
