using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Net;

namespace Ioxide.Soak;

/// <summary>The server as a child process: its commands, and what the kernel tells of it.</summary>
internal sealed class ServerProcess : IAsyncDisposable
{
    private static readonly TimeSpan s_startLimit = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_commandLimit = TimeSpan.FromSeconds(20);

    private readonly Process _process;
    private readonly ConcurrentDictionary<int, TaskCompletionSource<string>> _waiting = new();
    private readonly TaskCompletionSource<Target> _ready = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ConcurrentQueue<string> _lastLines = new();
    private readonly Lock _writing = new();
    private int _lastNumber;
    private int _errorLines;

    private ServerProcess()
    {
        string program = Environment.ProcessPath!;
        bool isMuxer = Path.GetFileNameWithoutExtension(program) == "dotnet";
        ProcessStartInfo start = new(program, isMuxer ? [typeof(ServerProcess).Assembly.Location, "--server"] : ["--server"])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };

        // glibc keeps what each thread freed for that thread: the compiler's work space, some megabytes, once for every thread that
        // ever compiled. That looks like a leak in steps and would hide a real one.
        start.Environment["MALLOC_ARENA_MAX"] = "1";
        _process = new Process { StartInfo = start };
        _process.OutputDataReceived += (_, line) => Take(line.Data);
        _process.ErrorDataReceived += (_, line) => TakeLog(line.Data);
        _process.Start();
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    internal int Id => _process.Id;

    internal Task<Target> Ready => _ready.Task.WaitAsync(s_startLimit);

    /// <summary>Lines that it logged as errors.</summary>
    internal int ErrorLines => Volatile.Read(ref _errorLines);

    /// <summary>The last lines that it logged.</summary>
    internal IEnumerable<string> LastLines => _lastLines;

    internal static ServerProcess Start() => new();

    /// <exception cref="TimeoutException">It did not answer.</exception>
    internal async Task<string> CommandAsync(string command)
    {
        int number = Interlocked.Increment(ref _lastNumber);
        TaskCompletionSource<string> answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
        _waiting[number] = answer;
        lock (_writing)
        {
            _process.StandardInput.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{number} {command}"));
            _process.StandardInput.Flush();
        }

        try
        {
            return await answer.Task.WaitAsync(s_commandLimit);
        }
        finally
        {
            _waiting.TryRemove(number, out _);
        }
    }

    internal async Task<Ledger> LedgerAsync() => Ledger.Parse(await CommandAsync("ledger"));

    /// <summary>Resident memory, and how much of it are pages of files, which assemblies mostly are.</summary>
    internal (long All, long Files) ResidentBytes()
    {
        string[] lines = File.ReadAllLines($"/proc/{Id}/status");
        return (Bytes("VmRSS:"), Bytes("RssFile:"));

        long Bytes(string name)
        {
            string line = lines.First(line => line.StartsWith(name, StringComparison.Ordinal));
            return 1024 * long.Parse(line[name.Length..^"kB".Length], NumberStyles.AllowLeadingWhite | NumberStyles.AllowTrailingWhite, CultureInfo.InvariantCulture);
        }
    }

    /// <summary>Open descriptors, and how many of them are sockets. Assemblies that the runtime has loaded keep one or two each and do not count.</summary>
    internal (int All, int Sockets) Descriptors()
    {
        int all = 0;
        int sockets = 0;
        foreach (string path in Directory.EnumerateFileSystemEntries($"/proc/{Id}/fd"))
        {
            // LinkTarget is null for a descriptor that was closed since it was listed.
            if (new FileInfo(path).LinkTarget is { } target && !target.EndsWith(".dll", StringComparison.Ordinal))
            {
                all++;
                sockets += target.StartsWith("socket:", StringComparison.Ordinal) ? 1 : 0;
            }
        }

        return (all, sockets);
    }

    /// <summary>Asks it to end and gives its exit status; null where it had to be killed.</summary>
    internal async Task<int?> StopAsync()
    {
        try
        {
            _process.StandardInput.Close();
        }
        catch (IOException)
        {
            // It has ended before, with a command unread.
        }

        try
        {
            await _process.WaitForExitAsync().WaitAsync(s_startLimit);
            return _process.ExitCode;
        }
        catch (TimeoutException)
        {
            _process.Kill();
            return null;
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            await StopAsync();
        }

        _process.Dispose();
    }

    private void Take(string? line)
    {
        if (line is null)
        {
            InvalidOperationException ended = new("The server has ended.");
            _ready.TrySetException(ended);
            foreach (TaskCompletionSource<string> answer in _waiting.Values)
            {
                answer.TrySetException(ended);
            }

            return;
        }

        string[] words = line.Split(' ', 2);
        if (words[0] == "ready")
        {
            int[] ports = [.. words[1].Split(' ').Select(port => int.Parse(port, CultureInfo.InvariantCulture))];
            _ready.TrySetResult(
                new(new(IPAddress.Loopback, ports[0]), new(IPAddress.Loopback, ports[1]), new(IPAddress.Loopback, ports[2])));
        }
        else
        {
            // Nobody waits any more where it took too long.
            _waiting.GetValueOrDefault(int.Parse(words[0], CultureInfo.InvariantCulture))?.TrySetResult(words[1]);
        }
    }

    private void TakeLog(string? line)
    {
        const int LastLineCount = 60;
        if (line is null)
        {
            return;
        }

        _lastLines.Enqueue(line);
        if (_lastLines.Count > LastLineCount)
        {
            _lastLines.TryDequeue(out _);
        }

        if (line.StartsWith("fail:", StringComparison.Ordinal) || line.StartsWith("crit:", StringComparison.Ordinal))
        {
            Interlocked.Increment(ref _errorLines);
        }
    }
}
