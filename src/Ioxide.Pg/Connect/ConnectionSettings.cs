using System.Globalization;
using System.Net;

namespace Ioxide.Pg;

/// <summary>Collects the pairs of a connection string. Hosts, addresses and ports are three lists that are joined at the end.</summary>
/// <param name="options">What receives the values.</param>
internal sealed class ConnectionSettings(PgDataSourceOptions? options = null)
{
    internal PgDataSourceOptions Options { get; } = options ?? new();

    /// <summary>Whether a host may carry its port, as with Npgsql.</summary>
    internal bool HostsHavePorts { get; set; }

    internal string? HostList { get; set; }

    internal string? AddressList { get; set; }

    internal string? PortList { get; set; }

    internal void Set(string name, string value) => OptionTable.Find(name).Read(this, new SettingValue(name, value));

    internal PgDataSourceOptions Build()
    {
        Options.Hosts = [.. JoinHosts()];
        return Options;
    }

    /// <summary>libpq's rule: as many ports as hosts, or one for all; an empty one means the default.</summary>
    internal IEnumerable<PgHost> JoinHosts()
    {
        string[] hosts = Split(HostList);
        string[] addresses = Split(AddressList);
        string[] ports = Split(PortList);
        int count = Math.Max(hosts.Length, addresses.Length);
        if (hosts.Length > 0 && addresses.Length > 0 && hosts.Length != addresses.Length)
        {
            throw new ArgumentException($"{hosts.Length} hosts and {addresses.Length} addresses are named; there must be as many of each.");
        }

        if (ports.Length > 1 && ports.Length != count)
        {
            throw new ArgumentException($"{count} hosts and {ports.Length} ports are named; there must be as many of each, or one port.");
        }

        count = Math.Max(count, ports.Length);
        for (int i = 0; i < count; i++)
        {
            string name = i < hosts.Length ? hosts[i] : "";
            int port = ports.Length == 0 ? 0 : ReadPort(ports[Math.Min(i, ports.Length - 1)]);
            if (HostsHavePorts)
            {
                SplitPort(ref name, ref port);
            }

            yield return new PgHost(name, port, i < addresses.Length && addresses[i].Length > 0 ? ReadAddress(addresses[i]) : null);
        }
    }

    private static string[] Split(string? list)
        => string.IsNullOrEmpty(list) ? [] : list.Split(',', StringSplitOptions.TrimEntries);

    // "name:port", "[::1]:port"; "::1" is an address without a port.
    private static void SplitPort(ref string name, ref int port)
    {
        int colon = name.LastIndexOf(':');
        int close = name.LastIndexOf(']');
        if (name is not ['/' or '@', ..] && colon > close && (close >= 0 || name.IndexOf(':', StringComparison.Ordinal) == colon))
        {
            port = ReadPort(name[(colon + 1)..]);
            name = name[..colon];
        }

        if (name is ['[', .., ']'])
        {
            name = name[1..^1];
        }
    }

    private static int ReadPort(string text)
        => text.Length == 0 ? 0
            : int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int port) && port is > 0 and <= IPEndPoint.MaxPort ? port
            : throw new ArgumentException("A port is a number from 1 to 65,535; the connection string or PGPORT has another.");

    private static IPAddress ReadAddress(string text) => IPAddress.TryParse(text, out IPAddress? address) ? address
        : throw new ArgumentException("hostaddr takes IP addresses only. Use host for names.");
}

/// <summary>The environment that completes options: variables, user and files. Tests replace it.</summary>
internal class SettingsEnvironment
{
    internal static readonly SettingsEnvironment Process = new();

    internal virtual string? Variable(string name)
        => Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : null;

    /// <summary>The operating system's user.</summary>
    internal virtual string UserName => Environment.UserName;

    /// <summary>The user's folder, or null if there is none, as for some services.</summary>
    internal virtual string? Home
        => Environment.GetFolderPath(Environment.SpecialFolder.UserProfile) is { Length: > 0 } path ? path : null;

    internal virtual bool FileExists(string path) => File.Exists(path);

    internal virtual bool DirectoryExists(string path) => Directory.Exists(path);

    /// <summary>The file's text and its permissions, or null if there is no such file.</summary>
    internal virtual (string Text, UnixFileMode Mode)? ReadFile(string path)
    {
        try
        {
            return (File.ReadAllText(path), OperatingSystem.IsWindows() ? UnixFileMode.None : File.GetUnixFileMode(path));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // As in libpq, a password file that cannot be read is ignored.
            return null;
        }
    }
}
