using System.Globalization;

namespace Ioxide.AspNetCore;

/// <summary>
/// Says of an address that cannot be bound why, and what to do: <c>Could not bind 0.0.0.0:80: Permission denied (EACCES), because ...</c>
/// </summary>
internal static class BindErrors
{
    private const string FirstFreePort = "/proc/sys/net/ipv4/ip_unprivileged_port_start";
    private const int UsualFirstFreePort = 1024;

    /// <summary>The exception that ends the start, of the type that the sockets transport throws.</summary>
    internal static Exception Describe(EndPoint endPoint, SocketException cause)
    {
        (string? reason, string remedy) = Explain(endPoint, cause.SocketErrorCode);
        string failure = cause.Message.TrimEnd('.');
        string place = endPoint is FileHandleEndPoint || failure.Contains($"{endPoint}", StringComparison.Ordinal) ? "" : $"{endPoint}: ";
        string message = $"{place}{failure}{(reason is null ? "" : $", because {reason}")}. {remedy}";
        return cause.SocketErrorCode == SocketError.AddressAlreadyInUse
            ? new BindException(message, new AddressInUseException(cause.Message, cause))
            : new BindSocketException(message, cause);
    }

    private static (string? Reason, string Remedy) Explain(EndPoint endPoint, SocketError error)
    {
        int firstFreePort = ReadFirstFreePort();
        bool isFile = endPoint is UnixDomainSocketEndPoint;
        return error switch
        {
            SocketError.AddressAlreadyInUse when isFile => ("the file exists", "Stop the server that listens there. If none does, remove the file."),
            SocketError.AddressAlreadyInUse => (
                "another socket has this address",
                "Stop the process that 'ss -ltnp' lists for it, or choose another port (--urls, ASPNETCORE_URLS, Kestrel:Endpoints)."),
            SocketError.AccessDenied when endPoint is IPEndPoint { Port: > 0 and var port } && port < firstFreePort => (
                $"ports below {firstFreePort} need the capability CAP_NET_BIND_SERVICE",
                $"Choose a port from {firstFreePort} up; or grant the capability (AmbientCapabilities= of the systemd unit, "
                    + "'setcap cap_net_bind_service=+ep' on the executable); or lower the sysctl net.ipv4.ip_unprivileged_port_start."),
            SocketError.AccessDenied when isFile => (
                "the process may not create the file", "Give the user of the process the right to write in the folder, or choose another one."),
            SocketError.AccessDenied => (
                "the host forbids it", "Allow bind in the seccomp profile of the container, the SystemCallFilter= of the systemd unit, or SELinux."),
            SocketError.AddressNotAvailable when isFile => ("the folder does not exist", "Create the folder, or correct the path."),
            SocketError.AddressNotAvailable => (
                "no network interface has this address", "Use an address that 'ip address' lists, or * for all of them."),
            SocketError.TooManyOpenSockets => (null, Refusal.RaiseOpenFiles),
            _ => (null, "Check the address."),
        };
    }

    private static int ReadFirstFreePort()
    {
        try
        {
            return int.Parse(File.ReadAllText(FirstFreePort), CultureInfo.InvariantCulture);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or FormatException)
        {
            // A sandbox without /proc, where the default is the best guess.
            return UsualFirstFreePort;
        }
    }
}
