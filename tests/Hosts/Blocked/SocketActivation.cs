using System.Collections;
using System.ComponentModel;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Ioxide.BlockedHost;

/// <summary>Starts this program again in this process as systemd starts an activated service.</summary>
/// <remarks>Source: sd_listen_fds(3): the listening sockets are descriptors 3 and up, without CLOEXEC.</remarks>
internal static partial class SocketActivation
{
    private const int FirstDescriptor = 3;

    /// <summary>Does not return.</summary>
    /// <param name="args">What the program gets in place of its present arguments.</param>
    internal static void StartAgain(string[] args)
    {
        using Socket listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(128);
        List<string?> environment = ["LISTEN_FDS=1", $"LISTEN_PID={Environment.ProcessId}"];
        foreach (DictionaryEntry entry in Environment.GetEnvironmentVariables())
        {
            environment.Add($"{entry.Key}={entry.Value}");
        }

        string program = Environment.ProcessPath!;
        bool isMuxer = Path.GetFileNameWithoutExtension(program) == "dotnet";
        string[] command = isMuxer ? [program, typeof(SocketActivation).Assembly.Location, .. args] : [program, .. args];
        Console.WriteLine($"activated with {listener.LocalEndPoint}");
        if (Duplicate((int)listener.Handle, FirstDescriptor) >= 0)
        {
            Become(command, environment);
        }

        throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    /// <summary>Becomes another program in this process, with this one's filter.</summary>
    /// <param name="command">A program's path or name, and its arguments.</param>
    internal static void Become(string[] command) => Become(
        ["/usr/bin/env", .. command],
        from DictionaryEntry entry in Environment.GetEnvironmentVariables() select $"{entry.Key}={entry.Value}");

    private static void Become(string[] command, IEnumerable<string?> environment)
    {
        Execute(command[0], [.. command, null], [.. environment, null]);
        throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    [LibraryImport("libc", EntryPoint = "dup2", SetLastError = true)]
    private static partial int Duplicate(int descriptor, int target);

    [LibraryImport("libc", EntryPoint = "execve", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Execute(string path, string?[] arguments, string?[] environment);
}
