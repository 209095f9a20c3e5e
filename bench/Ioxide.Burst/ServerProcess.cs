using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.Burst;

/// <summary>The server as a process, with a limit of descriptors.</summary>
internal sealed class ServerProcess : IAsyncDisposable
{
    private readonly Process _process;
    private readonly HttpClient _client = new() { Timeout = TimeSpan.FromSeconds(20) };

    private ServerProcess(Process process, Uri address)
    {
        _process = process;
        Address = address;
        EndPoint = new IPEndPoint(IPAddress.Loopback, address.Port);
    }

    internal Uri Address { get; }

    internal IPEndPoint EndPoint { get; }

    internal static async Task<ServerProcess> StartAsync(string transport, int descriptors, bool isLimited)
    {
        string assembly = typeof(ServerProcess).Assembly.Location;
        string command = $"ulimit -n {descriptors.ToString(CultureInfo.InvariantCulture)}; exec dotnet '{assembly}' serve {transport}";
        var start = new ProcessStartInfo("/bin/sh", ["-c", command]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        start.Environment["BURST_LIMITED"] = isLimited ? "1" : "0";
        Process process = Process.Start(start)!;
        string? line = await process.StandardOutput.ReadLineAsync();
        return new ServerProcess(process, new Uri(line ?? throw new InvalidOperationException("The server did not start.")));
    }

    /// <summary>Live bytes of the managed heap after a collection.</summary>
    internal async Task<long> LiveBytesAsync()
        => long.Parse(await _client.GetStringAsync(new Uri(Address, "/live")), CultureInfo.InvariantCulture);

    /// <summary>Ends the handlers that hold uploads.</summary>
    internal Task ReleaseAsync() => _client.GetStringAsync(new Uri(Address, "/release"));

    internal int CountDescriptors() => Directory.GetFileSystemEntries($"/proc/{_process.Id}/fd").Length;

    internal long ResidentBytes()
    {
        _process.Refresh();
        return _process.WorkingSet64;
    }

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

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        _process.StandardInput.Close();
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(60));
        try
        {
            await _process.WaitForExitAsync(limit.Token);
        }
        catch (OperationCanceledException)
        {
            // It does not stop; the figures are there.
            _process.Kill();
        }

        _process.Dispose();
    }
}
