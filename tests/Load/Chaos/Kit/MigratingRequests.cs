namespace Ioxide.Chaos;

/// <summary>
/// <c>net.ipv4.tcp_migrate_req</c> while a port changes hands: connections that wait at a listener that closes go to another one
/// of the port. Set where this process may, and put back.
/// </summary>
/// <remarks>Source: Documentation/networking/ip-sysctl.rst, Linux 5.14.</remarks>
internal sealed class MigratingRequests(string? before, bool isOn) : IDisposable
{
    private const string SettingPath = "/proc/sys/net/ipv4/tcp_migrate_req";

    /// <summary>Whether the kernel migrates them.</summary>
    internal bool IsOn => isOn;

    internal static MigratingRequests TurnOn()
    {
        string? current = null;
        try
        {
            current = File.ReadAllText(SettingPath).Trim();
            if (current == "1")
            {
                return new(before: null, isOn: true);
            }

            File.WriteAllText(SettingPath, "1");
            return new(current, isOn: true);
        }
        catch (Exception exception) when (exception is UnauthorizedAccessException or IOException)
        {
            // It belongs to root, and not every kernel has it.
            return new(before: null, isOn: current == "1");
        }
    }

    public void Dispose()
    {
        if (before is not null)
        {
            File.WriteAllText(SettingPath, before);
        }
    }
}
