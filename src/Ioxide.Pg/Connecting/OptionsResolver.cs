namespace Ioxide.Pg;

/// <summary>Fills in options that are not set: from PG* environment variables, from files, and with defaults.</summary>
/// <remarks>Source: PostgreSQL manual, 34.15 Environment Variables.</remarks>
internal static class OptionsResolver
{
    private static readonly string[] s_socketDirectories = ["/var/run/postgresql", "/run/postgresql"];

    internal static void Fill(PgDataSourceOptions options, SettingsEnvironment environment)
    {
        FillHosts(options, environment);
        options.Username ??= environment.Variable("PGUSER") ?? environment.UserName;
        options.Database ??= environment.Variable("PGDATABASE") ?? options.Username;
        if (options.PasswordProvider is null)
        {
            options.Password ??= environment.Variable("PGPASSWORD");
        }

        options.PassFile ??= environment.Variable("PGPASSFILE") ?? InHome(environment, ".pgpass");
        options.ApplicationName ??= environment.Variable("PGAPPNAME");
        options.Options ??= environment.Variable("PGOPTIONS");
        options.TimeZone ??= environment.Variable("PGTZ");
        FillParameter(options, environment, "PGDATESTYLE", "DateStyle");
        FillParameter(options, environment, "PGGEQO", "geqo");
        options.TargetSessionSet ??= Value(environment, "PGTARGETSESSIONATTRS")?.TargetSession();
        options.LoadBalanceSet ??= Value(environment, "PGLOADBALANCEHOSTS")?.LoadBalance();
        options.ConnectTimeoutSet ??= Value(environment, "PGCONNECT_TIMEOUT")?.Seconds();
        FillSecurity(options, environment);
    }

    private static void FillSecurity(PgDataSourceOptions options, SettingsEnvironment environment)
    {
        if (options.RequireAuth == PgAuthentication.Default && Value(environment, "PGREQUIREAUTH") is { } required)
        {
            options.RequireAuth = required.Authentication();
            options.AllowCleartextPassword |= options.RequireAuth == PgAuthentication.Password;
        }

        options.ChannelBindingSet ??= Value(environment, "PGCHANNELBINDING")?.ChannelBinding();
        options.SslMode ??= Value(environment, "PGSSLMODE")?.SslMode();
        options.SslNegotiationSet ??= Value(environment, "PGSSLNEGOTIATION")?.SslNegotiation();
        options.RootCertificate ??= environment.Variable("PGSSLROOTCERT") ?? ExistingInHome(environment, "root.crt");
        if (options.ClientCertificate is null)
        {
            options.ClientCertificate = environment.Variable("PGSSLCERT") ?? ExistingInHome(environment, "postgresql.crt");
            options.ClientKey ??= environment.Variable("PGSSLKEY")
                ?? (options.ClientCertificate is null ? null : ExistingInHome(environment, "postgresql.key"));
        }
    }

    private static void FillHosts(PgDataSourceOptions options, SettingsEnvironment environment)
    {
        List<PgHost> fromEnvironment =
        [
            .. ConnectionSettings.JoinHosts(
                environment.Variable("PGHOST"), environment.Variable("PGHOSTADDR"), environment.Variable("PGPORT"), hostsHavePorts: false),
        ];
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

        PgHost[] filled = [.. hosts.Select(host => new PgHost(
            host.Name.Length > 0 || host.Address is not null ? host.Name : DefaultHost(environment),
            host.Port == 0 ? defaultPort : host.Port,
            host.Address))];
        options.Hosts.Clear();
        foreach (PgHost host in filled)
        {
            options.Hosts.Add(host);
        }
    }

    internal static string DefaultHost(SettingsEnvironment environment)
        => s_socketDirectories.FirstOrDefault(environment.DirectoryExists) ?? "localhost";

    /// <summary>libpq's rule: a socket in the usual folder is <c>localhost</c> in the password file.</summary>
    internal static string NameForPasswordFile(PgHost host)
        => s_socketDirectories.Contains(host.Name) || host.Name == "/tmp" ? "localhost"
            : host.Name.Length == 0 ? host.Address?.ToString() ?? "localhost" : host.Name;

    private static void FillParameter(PgDataSourceOptions options, SettingsEnvironment environment, string variable, string parameter)
    {
        if (environment.Variable(variable) is { } value)
        {
            options.RuntimeParameters.TryAdd(parameter, value);
        }
    }

    private static SettingValue? Value(SettingsEnvironment environment, string variable)
        => environment.Variable(variable) is { } text ? new SettingValue(variable, text) : null;

    private static string? InHome(SettingsEnvironment environment, string name)
        => environment.Home is { } home ? Path.Combine(home, name) : null;

    private static string? ExistingInHome(SettingsEnvironment environment, string name)
        => InHome(environment, Path.Combine(".postgresql", name)) is { } path && environment.FileExists(path) ? path : null;
}
