using System.Diagnostics;
using System.Net;

namespace Ioxide.Handshakes;

/// <summary>This program as a server in a process of its own: its first line is its address, and it ends with its standard input.</summary>
internal abstract class ServedChild : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    /// <exception cref="InvalidOperationException">It ended without an address.</exception>
    protected ServedChild(ProcessStartInfo start)
    {
        start.RedirectStandardInput = true;
        start.RedirectStandardOutput = true;
        Process = Process.Start(start)!;
        Address = new Uri(Process.StandardOutput.ReadLine() ?? throw new InvalidOperationException("The server did not start."));
    }

    internal Uri Address { get; }

    internal IPEndPoint EndPoint => new(IPAddress.Loopback, Address.Port);

    protected static string AssemblyPath => typeof(ServedChild).Assembly.Location;

    protected Process Process { get; }

    internal long ResidentBytes()
    {
        Process.Refresh();
        return Process.WorkingSet64;
    }

    public virtual async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        Process.StandardInput.Close();
        using var limit = new CancellationTokenSource(s_patience);
        try
        {
            await Process.WaitForExitAsync(limit.Token);
        }
        catch (OperationCanceledException)
        {
            // It does not stop; the figures are there.
            Process.Kill();
        }

        Process.Dispose();
    }
}
