namespace Ioxide.Chaos;

/// <summary>
/// <c>net.ipv4.tcp_migrate_req</c> while a port changes hands: connections that wait at a listener that closes go to another one
/// of the port. Set where this process may, and put back.
/// </summary>
/// <remarks>Source: Documentation/networking/ip-sysctl.rst, Linux 5.14.</remarks>
internal sealed class MigratingRequests : IDisposable
{
    private const string SettingPath = "/proc/sys/net/ipv4/tcp_migrate_req";

    private readonly string? _before;

    private MigratingRequests(string? before, bool isOn)
    {
        _before = before;
        IsOn = isOn;
    }

    /// <summary>Whether the kernel migrates them.</summary>
    internal bool IsOn { get; }

    internal static MigratingRequests TurnOn()
    {
        string? before = null;
        try
        {
            before = File.ReadAllText(SettingPath).Trim();
            if (before == "1")
            {
                return new MigratingRequests(before: null, isOn: true);
            }

            File.WriteAllText(SettingPath, "1");
            return new MigratingRequests(before, isOn: true);
        }
        catch (Exception exception) when (exception is UnauthorizedAccessException or IOException)
        {
            // It belongs to root, and not every kernel has it.
            return new MigratingRequests(before: null, isOn: before == "1");
        }
    }

    public void Dispose()
    {
        if (_before is not null)
        {
            File.WriteAllText(SettingPath, _before);
        }
    }
}
