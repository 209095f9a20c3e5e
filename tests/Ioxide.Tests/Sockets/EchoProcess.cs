using System.Net;
using System.Text.RegularExpressions;
using Ioxide.TestKit;

namespace Ioxide.Tests;

/// <summary><c>samples/Echo</c> as a child process, under a limit of open files. It must end in order.</summary>
internal sealed partial class EchoProcess : IAsyncDisposable
{
    private readonly HostProcess _process;

    private EchoProcess(HostProcess process, IPEndPoint endPoint) => (_process, EndPoint) = (process, endPoint);

    internal IPEndPoint EndPoint { get; }

    internal static async Task<EchoProcess> StartAsync(int maxOpenFiles, bool isTiered)
    {
        HostProcess process = HostProcess.Start(
            "Echo",
            ["--port", "0", "--reactors", "1"],
            HostProcess.UnderOpenFiles(maxOpenFiles),
            variables: ("DOTNET_TieredCompilation", isTiered ? "1" : "0"));
        try
        {
            Match[] ready = await process.MatchesAsync(Ready());
            return new EchoProcess(process, IPEndPoint.Parse(ready[0].Groups[1].Value));
        }
        catch
        {
            process.Kill();
            throw;
        }
    }

    /// <summary>Processor time that it has used so far, user and system.</summary>
    internal TimeSpan ProcessorTime() => _process.ProcessorTime();

    internal int OpenDescriptors() => _process.CountDescriptors();

    public async ValueTask DisposeAsync()
    {
        try
        {
            Assert.False(_process.HasExited, $"The echo server died:\n{_process.Output}");
            Assert.Equal(0, await _process.StopAsync());
        }
        finally
        {
            _process.Kill();
        }
    }

    [GeneratedRegex(@"^ready (\S+)")]
    private static partial Regex Ready();
}
