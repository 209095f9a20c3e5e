using System.Net;
using Microsoft.Extensions.Configuration;

namespace Ioxide.BadNetworkHost;

/// <summary>What the command line says.</summary>
internal sealed record HostSetup
{
    internal Side Side { get; init; }

    /// <summary>Where it listens: on three free ports, for HTTP/1.1, TLS and HTTP/2.</summary>
    internal EndPoint Address { get; init; } = new IPEndPoint(IPAddress.Loopback, 0);

    /// <summary>The web server that it asks.</summary>
    internal string Upstream { get; init; } = "";

    /// <summary>The PostgreSQL server that it asks.</summary>
    internal string Database { get; init; } = "";

    /// <summary>Whether everything that waits for a peer gives up within a second or two.</summary>
    internal bool IsImpatient { get; init; }

    internal static HostSetup Read(string[] arguments)
    {
        IConfiguration configuration = new ConfigurationBuilder().AddCommandLine(arguments).Build();
        return new HostSetup
        {
            Side = configuration.GetValue<Side>("side"),
            Address = new IPEndPoint(IPAddress.Parse(configuration["address"]!), 0), // Whoever starts it names one.
            Upstream = configuration["upstream"] ?? "",
            Database = configuration["database"] ?? "",
            IsImpatient = configuration.GetValue<bool>("impatient"),
        };
    }
}
