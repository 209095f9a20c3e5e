using System.Globalization;
using System.Net;
using System.Text.RegularExpressions;
using Ioxide.TestKit;

namespace Ioxide.Soak;

/// <summary>The server as a child process: its commands, and what the kernel tells of it.</summary>
internal sealed partial class ServerProcess : IAsyncDisposable
{
    private static readonly TimeSpan s_startLimit = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_commandLimit = TimeSpan.FromSeconds(20);

    // glibc keeps what each thread freed for that thread: the compiler's work space, some megabytes, once for every thread that
    // ever compiled. That looks like a leak in steps and would hide a real one.
    private readonly HostProcess _host = HostProcess.Start(
        "Ioxide.Soak", ["--server"], endsWithInput: true, variables: ("MALLOC_ARENA_MAX", "1"));

    private int _lastNumber;

    internal int Id => _host.Id;

    /// <summary>Lines that it logged as errors.</summary>
    internal int ErrorLines => _host.Lines.Count(static line
        => line.StartsWith("fail:", StringComparison.Ordinal) || line.StartsWith("crit:", StringComparison.Ordinal));

    /// <summary>The last lines that it logged. Its answers begin with a number.</summary>
    internal IEnumerable<string> LastLines => _host.Lines.Where(static line => line is not [>= '0' and <= '9', ..]).TakeLast(60);

    /// <summary>Waits until it serves.</summary>
    internal async Task<Target> ReadyAsync()
    {
        Match ready = (await _host.MatchesAsync(ReadyLine(), patience: s_startLimit))[0];
        return new(EndPoint(1), EndPoint(2), EndPoint(3));

        IPEndPoint EndPoint(int group) => new(IPAddress.Loopback, int.Parse(ready.Groups[group].ValueSpan, CultureInfo.InvariantCulture));
    }

    /// <exception cref="TimeoutException">It did not answer.</exception>
    internal async Task<string> CommandAsync(string command)
    {
        string number = Interlocked.Increment(ref _lastNumber).ToString(CultureInfo.InvariantCulture);
        _host.WriteLine($"{number} {command}");
        Match[] answers = await _host.MatchesAsync(new Regex($"^{number} (.*)$"), patience: s_commandLimit);
        return answers[0].Groups[1].Value;
    }

    internal async Task<Ledger> LedgerAsync() => Ledger.Parse(await CommandAsync("ledger"));

    /// <summary>Resident memory, and how much of it are pages of files, which assemblies mostly are.</summary>
    internal (long All, long Files) ResidentBytes()
    {
        string[] lines = File.ReadAllLines($"/proc/{_host.Id}/status");
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
        foreach (string path in Directory.EnumerateFileSystemEntries($"/proc/{_host.Id}/fd"))
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
            return await _host.StopAsync();
        }
        catch (TimeoutException)
        {
            _host.Kill();
            return null;
        }
    }

    public ValueTask DisposeAsync() => _host.DisposeAsync();

    [GeneratedRegex("^ready ([0-9]+) ([0-9]+) ([0-9]+)$")]
    private static partial Regex ReadyLine();
}
