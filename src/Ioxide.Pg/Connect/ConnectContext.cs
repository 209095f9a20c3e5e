namespace Ioxide.Pg;

/// <summary>The state that all connection attempts of a data source share.</summary>
/// <param name="options">Resolved options.</param>
/// <param name="environment">Where files are read. Null: the process's own.</param>
internal sealed class ConnectContext(PgDataSourceOptions options, SettingsEnvironment? environment = null)
{
    internal PgDataSourceOptions Options { get; } = options;

    internal SettingsEnvironment Environment { get; } = environment ?? SettingsEnvironment.Process;

    internal ScramKeyCache ScramKeys { get; } = new();

    internal TlsMaterial Tls { get; } = new(options);

    internal HostResolver Hosts { get; set; } = new();
}
