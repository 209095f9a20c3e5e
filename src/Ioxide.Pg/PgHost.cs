using System.Globalization;
using System.Net;

namespace Ioxide.Pg;

/// <summary>One server that a data source may connect to.</summary>
public sealed record PgHost
{
    /// <param name="name">
    /// A DNS name, an IP address, the directory of a unix socket (begins with <c>/</c>) or an abstract unix socket (begins
    /// with <c>@</c>). Empty: PGHOST, else the usual socket directory, else localhost.
    /// </param>
    /// <param name="port">1 to 65,535; part of the socket's name for unix sockets too. 0: PGPORT, else 5432.</param>
    /// <param name="address">The address to connect to without DNS. The name is then used only for the certificate and the
    /// password file.</param>
    public PgHost(string name, int port = 0, IPAddress? address = null)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (port is < 0 or > IPEndPoint.MaxPort)
        {
            throw new ArgumentOutOfRangeException(nameof(port), port, "A port is from 1 to 65,535, or 0 for the default.");
        }

        Name = name;
        Port = port;
        Address = address;
    }

    /// <summary>The name as given; see the constructor for its forms.</summary>
    public string Name { get; }

    /// <summary>The port; 0 for PGPORT or 5432.</summary>
    public int Port { get; }

    /// <summary>The address to connect to, or null to look the name up.</summary>
    public IPAddress? Address { get; }

    /// <summary>Whether it is a unix socket.</summary>
    public bool IsUnixSocket => Address is null && Name is ['/' or '@', ..];

    /// <inheritdoc/>
    public override string ToString()
    {
        string name = Name.Contains(':', StringComparison.Ordinal) ? $"[{Name}]" : Name;
        return Port == 0 ? name : string.Create(CultureInfo.InvariantCulture, $"{name}:{Port}");
    }
}
