using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.FilesBench;

/// <summary>Many readers of one file that is larger than the budget for memory, of each side in turn.</summary>
internal static class LargeRun
{
    private const int Readers = 64;
    private const long FileBytes = 1024L * 1024 * 1024;

    private static readonly (string Name, string[] Arguments)[] s_sides =
    [
        ("stock", ["--transport", "sockets", "--files-by", "static"]),
        ("pipeline", ["--transport", "ioxide", "--files-by", "pipeline"]),
        ("shortcircuit", ["--transport", "ioxide", "--files-by", "shortcircuit"]),
    ];

    internal static async Task RunAsync(int seconds)
    {
        string folder = Directory.CreateTempSubdirectory("ioxide-bench-").FullName;
        try
        {
            using (FileStream file = File.Create(Path.Combine(folder, "large.bin")))
            {
                file.SetLength(FileBytes);
            }

            foreach ((string name, string[] arguments) in s_sides.Concat(s_sides))
            {
                await RunSideAsync(name, arguments, folder, TimeSpan.FromSeconds(seconds));
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static async Task RunSideAsync(string name, string[] arguments, string folder, TimeSpan time)
    {
        int port = FreePort();
        string program = Path.GetFullPath(Path.Combine(
            AppContext.BaseDirectory, "../../Ioxide.LoadHost", new DirectoryInfo(AppContext.BaseDirectory).Name, "Ioxide.LoadHost"));
        using Process server = Process.Start(new ProcessStartInfo(program, [.. arguments, "--port", $"{port}", "--files", folder])
        {
            RedirectStandardOutput = true,
        })!;
        try
        {
            string ready = await server.StandardOutput.ReadLineAsync() ?? throw new EndOfStreamException($"{name} ended.");
            var end = new IPEndPoint(IPAddress.Loopback, port);
            await ReadAsync(end, TimeSpan.FromSeconds(1));
            await Task.Delay(TimeSpan.FromSeconds(1));
            long idle = ProcessMemory.ResidentBytes(server.Id);
            TimeSpan processor = server.TotalProcessorTime;
            Task<long[]> reading = Task.WhenAll(Enumerable.Range(0, Readers).Select(_ => ReadAsync(end, time)));
            long most = idle;
            while (await Task.WhenAny(reading, Task.Delay(50)) != reading)
            {
                most = Math.Max(most, ProcessMemory.ResidentBytes(server.Id));
            }

            double bytes = (await reading).Sum();
            server.Refresh();
            double used = (server.TotalProcessorTime - processor).TotalSeconds;
            Console.WriteLine(
                $"{name,-9} {bytes / 1e6 / time.TotalSeconds:0} MB/s, {bytes / 1e6 / used:0} MB a CPU-second of the server, "
                + $"memory +{(most - idle) / 1048576.0:0.0} MiB above {idle / 1048576.0:0.0} MiB ({ready})");
        }
        finally
        {
            server.Kill();
            await server.WaitForExitAsync();
        }
    }

    /// <summary>Asks for the file until the time is over; bytes that came.</summary>
    private static async Task<long> ReadAsync(EndPoint end, TimeSpan time)
    {
        long stopAt = Stopwatch.GetTimestamp() + (long)(time.TotalSeconds * Stopwatch.Frequency);
        byte[] buffer = new byte[128 * 1024];
        long total = 0;
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(end);
        while (Stopwatch.GetTimestamp() < stopAt)
        {
            await socket.SendAsync("GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n"u8.ToArray());
            for (long left = FileBytes; left > 0 && Stopwatch.GetTimestamp() < stopAt;)
            {
                int count = await socket.ReceiveAsync(buffer);
                if (count == 0)
                {
                    throw new EndOfStreamException("The server closed the connection.");
                }

                // The head counts as well: a few hundred bytes of a gigabyte.
                left -= count;
                total += count;
            }
        }

        return total;
    }

    private static int FreePort()
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }
}
