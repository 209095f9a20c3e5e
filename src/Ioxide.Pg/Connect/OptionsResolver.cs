namespace Ioxide.Pg;

/// <summary>Fills in options that are not set: from PG* environment variables, from files, and with defaults.</summary>
/// <remarks>Source: PostgreSQL manual, 34.15 Environment Variables.</remarks>
internal static class OptionsResolver
{
    private static readonly string[] s_socketDirectories = ["/var/run/postgresql", "/run/postgresql"];
    private static readonly (string Variable, string Parameter)[] s_parameters = [("PGDATESTYLE", "DateStyle"), ("PGGEQO", "geqo")];

    /// <param name="options">What is filled.</param>
    /// <param name="given">The same options, which are not changed.</param>
    /// <param name="environment">Variables and files.</param>
    internal static void Fill(PgDataSourceOptions options, PgDataSourceOptions given, SettingsEnvironment environment)
    {
        var variables = new ConnectionSettings(options);
        foreach (OptionEntry entry in OptionTable.Entries)
        {
            if (entry.Variable is { } variable && IsOpen(entry, given) && environment.Variable(variable) is { } text)
            {
                entry.Read(variables, new SettingValue(variable, text));
            }
        }

        FillHosts(options, [.. variables.JoinHosts()], environment);
        foreach ((string variable, string parameter) in s_parameters)
        {
            if (environment.Variable(variable) is { } value)
            {
                options.RuntimeParameters.TryAdd(parameter, value);
            }
        }

        options.Username ??= environment.UserName;
        options.Database ??= options.Username;
        options.PassFile ??= InHome(environment, ".pgpass");
        options.RootCertificate ??= ExistingInHome(environment, "root.crt");
        if (given.ClientCertificate is null)
        {
            options.ClientCertificate ??= ExistingInHome(environment, "postgresql.crt");
            options.ClientKey ??= options.ClientCertificate is null ? null : ExistingInHome(environment, "postgresql.key");
        }
    }

    internal static string DefaultHost(SettingsEnvironment environment)
        => s_socketDirectories.FirstOrDefault(environment.DirectoryExists) ?? "localhost";

    /// <summary>libpq's rule: a socket in the usual folder is <c>localhost</c> in the password file.</summary>
    internal static string NameForPasswordFile(PgHost host)
        => s_socketDirectories.Contains(host.Name) || host.Name == "/tmp" ? "localhost"
            : host.Name.Length == 0 ? host.Address?.ToString() ?? "localhost" : host.Name;

    /// <summary>Whether a variable may set an option. Those of hosts are joined first: PGPORT is also the port of given hosts.</summary>
    private static bool IsOpen(OptionEntry entry, PgDataSourceOptions given) => entry.Property switch
    {
        nameof(given.Hosts) => true,
        nameof(given.Password) => given is { Password: null, PasswordProvider: null },
        nameof(given.ClientKey) => given is { ClientKey: null, ClientCertificate: null },
        _ => entry.Write?.Invoke(given) is null,
    };

    private static void FillHosts(PgDataSourceOptions options, List<PgHost> fromEnvironment, SettingsEnvironment environment)
    {
        int defaultPort = fromEnvironment is [{ Port: > 0 } only] ? only.Port : PgDataSourceOptions.DefaultPort;
        IList<PgHost> hosts = options.Hosts;
        if (hosts.Count == 0 || hosts is [{ Name: "", Address: null, Port: 0 }])
        {
            hosts = fromEnvironment.Count > 0 ? fromEnvironment : [new PgHost("")];
        }
        else if (hosts is [{ Name: "", Address: null } portOnly] && fromEnvironment.Any(static host => host.Name.Length > 0))
        {
            hosts = [.. fromEnvironment.Select(host => new PgHost(host.Name, portOnly.Port, host.Address))];
        }

        options.Hosts = [.. hosts.Select(host => new PgHost(
            host.Name.Length > 0 || host.Address is not null ? host.Name : DefaultHost(environment),
            host.Port == 0 ? defaultPort : host.Port,
            host.Address))];
    }

    private static string? InHome(SettingsEnvironment environment, string name)
        => environment.Home is { } home ? Path.Combine(home, name) : null;

    private static string? ExistingInHome(SettingsEnvironment environment, string name)
        => InHome(environment, Path.Combine(".postgresql", name)) is { } path && environment.FileExists(path) ? path : null;
}
