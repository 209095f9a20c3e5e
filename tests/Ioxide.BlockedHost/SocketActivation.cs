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
        string?[] arguments = isMuxer
            ? [program, typeof(SocketActivation).Assembly.Location, .. args, null]
            : [program, .. args, null];
        Console.WriteLine($"activated with {listener.LocalEndPoint}");
        if (Duplicate((int)listener.Handle, FirstDescriptor) >= 0)
        {
            Execute(program, arguments, [.. environment, null]);
        }

        throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    [LibraryImport("libc", EntryPoint = "dup2", SetLastError = true)]
    private static partial int Duplicate(int descriptor, int target);

    [LibraryImport("libc", EntryPoint = "execve", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Execute(string path, string?[] arguments, string?[] environment);
}
