using System.Diagnostics;
using System.Net;

namespace Ioxide.Handshakes;

/// <summary>The server as a process on CPU 0.</summary>
internal sealed class ServerProcess : IAsyncDisposable
{
    private readonly Process _process;

    private ServerProcess(Process process, Uri address)
    {
        _process = process;
        EndPoint = new IPEndPoint(IPAddress.Loopback, address.Port);
    }

    internal IPEndPoint EndPoint { get; }

    internal static async Task<ServerProcess> StartAsync(string side, string key)
    {
        string assembly = typeof(ServerProcess).Assembly.Location;
        var start = new ProcessStartInfo("taskset", ["-c", "0", "dotnet", assembly, "serve", side, key])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        Process process = Process.Start(start)!;
        string? line = await process.StandardOutput.ReadLineAsync();
        return new ServerProcess(process, new Uri(line ?? throw new InvalidOperationException("The server did not start.")));
    }

    internal double ResidentMebibytes()
    {
        _process.Refresh();
        return _process.WorkingSet64 / (1024.0 * 1024);
    }

    internal double CpuSeconds()
    {
        _process.Refresh();
        return _process.TotalProcessorTime.TotalSeconds;
    }

    public async ValueTask DisposeAsync()
    {
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
