using System.Net;
using System.Text.RegularExpressions;

namespace Ioxide.Tests;

/// <summary>A server of <c>samples/</c> as a child process, under a limit of open files. It must end in order.</summary>
internal sealed partial class SampleProcess : IAsyncDisposable
{
    private readonly HostProcess _process;

    private SampleProcess(HostProcess process, IPEndPoint endPoint) => (_process, EndPoint) = (process, endPoint);

    internal IPEndPoint EndPoint { get; }

    internal static async Task<SampleProcess> StartAsync(int maxOpenFiles, bool isTiered, string sample = "Echo", params string[] options)
    {
        HostProcess process = HostProcess.Start(
            sample,
            ["--port", "0", "--reactors", "1", .. options],
            HostProcess.UnderOpenFiles(maxOpenFiles),
            variables: ("DOTNET_TieredCompilation", isTiered ? "1" : "0"));
        try
        {
            Match[] ready = await process.MatchesAsync(Ready());
            return new SampleProcess(process, IPEndPoint.Parse(ready[0].Groups[1].Value));
        }
        catch
        {
            process.Kill();
            throw;
        }
    }

    /// <summary>Processor time that it has used so far, user and system.</summary>
    internal TimeSpan ProcessorTime() => _process.ProcessorTime();

    /// <summary>The most memory that it has had resident so far.</summary>
    internal long PeakBytes() => _process.ResidentBytes("VmHWM:");

    internal int OpenDescriptors() => _process.OpenDescriptors().Count;

    public async ValueTask DisposeAsync()
    {
        try
        {
            Assert.False(_process.HasExited, $"The sample died:\n{_process.Output}");
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
