namespace Ioxide.Pg.Tests;

/// <summary>How a server of the tests is started.</summary>
internal sealed class PostgresServerOptions
{
    /// <summary>Defaults to 100.</summary>
    internal int MaxConnections { get; init; } = 100;

    /// <summary>More lines of postgresql.conf; they win over all others.</summary>
    internal IReadOnlyDictionary<string, string> Settings { get; init; } = new Dictionary<string, string>();

    /// <summary>Rules that hold before those of <see cref="PgUsers.HostBasedAuthentication"/>.</summary>
    internal string HostBasedAuthentication { get; init; } = "";
}
