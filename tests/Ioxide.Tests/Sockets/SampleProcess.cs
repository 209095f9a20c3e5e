using System.Diagnostics;
using System.Globalization;
using System.Net;
using Ioxide.TestKit;

namespace Ioxide.Tests;

/// <summary>
/// A server of <c>samples/</c> as a child process, under a limit of open files. Disposing asks it to end, and kills it where
/// that does not help.
/// </summary>
internal sealed class SampleProcess : IAsyncDisposable
{
    private const int Terminate = 15;

    private readonly Process _process;

    private SampleProcess(Process process, IPEndPoint endPoint)
    {
        _process = process;
        EndPoint = endPoint;
    }

    internal IPEndPoint EndPoint { get; }

    internal static async Task<SampleProcess> StartAsync(int maxOpenFiles, bool isTiered, string sample = "Echo", string options = "")
    {
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Name;
        string assembly = Path.GetFullPath(Path.Combine(AppContext.BaseDirectory, "../..", sample, configuration, $"{sample}.dll"));
        Assert.True(File.Exists(assembly), $"{assembly} was not built.");
        var start = new ProcessStartInfo("/bin/sh")
        {
            ArgumentList = { "-c", $"ulimit -n $0 && exec dotnet \"$1\" --port 0 --reactors 1 {options}", $"{maxOpenFiles}", assembly },
            RedirectStandardOutput = true,
        };

        // Tools that listen on a socket of their own would take descriptors from the few that there are.
        start.Environment["DOTNET_EnableDiagnostics"] = "0";
        start.Environment["DOTNET_TieredCompilation"] = isTiered ? "1" : "0";
        Process process = Process.Start(start)!;
        try
        {
            string? line = await process.StandardOutput.ReadLineAsync().Within(30.Seconds(), $"samples/{sample} is ready");
            string[] words = (line ?? "").Split(' ');
            Assert.True(words is ["ready", ..], $"samples/{sample} said '{line}'.");
            return new SampleProcess(process, IPEndPoint.Parse(words[1]));
        }
        catch
        {
            process.Kill();
            process.Dispose();
            throw;
        }
    }

    /// <summary>Processor time that it has used so far, user and system.</summary>
    internal TimeSpan ProcessorTime()
    {
        const int UserTimeIndex = 11; // Fields 14 and 15 of proc_pid_stat(5), behind the name, in hundredths of a second.
        string stat = File.ReadAllText($"/proc/{_process.Id}/stat");
        string[] fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
        long hundredths = long.Parse(fields[UserTimeIndex], CultureInfo.InvariantCulture)
            + long.Parse(fields[UserTimeIndex + 1], CultureInfo.InvariantCulture);
        return TimeSpan.FromMilliseconds(hundredths * 10);
    }

    internal int OpenDescriptors() => Directory.GetFiles($"/proc/{_process.Id}/fd").Length;

    public async ValueTask DisposeAsync()
    {
        try
        {
            if (_process.HasExited)
            {
                throw new InvalidOperationException($"The sample died with {_process.ExitCode}.");
            }

            using Process killed = Process.Start("kill", [$"-{Terminate}", $"{_process.Id}"]);
            await _process.WaitForExitAsync().Within(20.Seconds(), "the sample has ended");
            Assert.Equal(0, _process.ExitCode);
        }
        finally
        {
            if (!_process.HasExited)
            {
                _process.Kill();
            }

            _process.Dispose();
        }
    }
}
