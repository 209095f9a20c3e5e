using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using Ioxide.Handshakes;

namespace Ioxide.Burst;

/// <summary>The server as a process, with a limit of descriptors.</summary>
internal sealed class ServerProcess(string transport, int descriptors, bool isLimited) : ServedChild(Start(transport, descriptors, isLimited))
{
    private readonly HttpClient _client = new() { Timeout = TimeSpan.FromSeconds(20) };

    /// <summary>Live bytes of the managed heap after a collection.</summary>
    internal async Task<long> LiveBytesAsync()
        => long.Parse(await _client.GetStringAsync(new Uri(Address, "/live")), CultureInfo.InvariantCulture);

    /// <summary>Ends the handlers that hold uploads.</summary>
    internal Task ReleaseAsync() => _client.GetStringAsync(new Uri(Address, "/release"));

    internal int CountDescriptors() => Directory.GetFileSystemEntries($"/proc/{Process.Id}/fd").Length;

    internal async Task<Socket> ConnectAsync(int receiveBufferSize = 0)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        if (receiveBufferSize > 0)
        {
            socket.ReceiveBufferSize = receiveBufferSize;
        }

        await socket.ConnectAsync(EndPoint);
        return socket;
    }

    public override ValueTask DisposeAsync()
    {
        _client.Dispose();
        return base.DisposeAsync();
    }

    private static ProcessStartInfo Start(string transport, int descriptors, bool isLimited)
    {
        string command = $"ulimit -n {descriptors.ToString(CultureInfo.InvariantCulture)}; exec dotnet '{AssemblyPath}' serve {transport}";
        var start = new ProcessStartInfo("/bin/sh", ["-c", command]);
        start.Environment["BURST_LIMITED"] = isLimited ? "1" : "0";
        return start;
    }
}
