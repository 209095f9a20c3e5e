using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Ioxide.TestKit;

/// <summary>
/// One run of a program of this repository: a host of the tests or a sample, whose build lies beside that of the tests. Disposing
/// asks it to end, and kills it where that does not help. It runs in its own folder and prints no address of a debugger.
/// </summary>
internal sealed partial class HostProcess : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = 180.Seconds();

    private readonly string _name;
    private readonly bool _endsWithInput;
    private readonly Process _process;
    private readonly Lock _gate = new();
    private readonly Lock _writing = new();
    private readonly List<string> _lines = [];
    private readonly List<TaskCompletionSource> _readers = [];
    private int _openStreams = 2;
    private bool _isDisposed;

    private HostProcess(string name, ProcessStartInfo start, bool endsWithInput)
    {
        _name = name;
        _endsWithInput = endsWithInput;
        _process = new Process { StartInfo = start };
        _process.OutputDataReceived += (_, line) => Take(line.Data);
        _process.ErrorDataReceived += (_, line) => Take(line.Data);
        _process.Start();
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    internal int Id => _process.Id;

    internal bool HasExited => _process.HasExited;

    /// <summary>What it printed so far, on either stream, a line each.</summary>
    internal IReadOnlyList<string> Lines
    {
        get
        {
            lock (_gate)
            {
                return [.. _lines];
            }
        }
    }

    internal string Output => string.Join('\n', Lines);

    /// <summary>Starts a program.</summary>
    /// <param name="program">The name of its project, such as <c>Hello</c>.</param>
    /// <param name="arguments">What it takes.</param>
    /// <param name="under">A command and its arguments that start it under other limits or as another user.</param>
    /// <param name="endsWithInput">Whether the end of its standard input asks it to end; else SIGTERM does.</param>
    /// <param name="variables">Variables of its environment; null removes one.</param>
    internal static HostProcess Start(
        string program, string[] arguments, string[]? under = null, bool endsWithInput = false, params (string Name, string? Value)[] variables)
    {
        ProcessStartInfo start = Starting([.. under ?? [], .. CommandOf(program), .. arguments]);
        start.WorkingDirectory = Path.GetDirectoryName(PathOf(program));
        start.Environment["DOTNET_ENVIRONMENT"] = "Production";

        // A host watches its settings by inotify, and does not start where that is refused.
        start.Environment["DOTNET_hostBuilder__reloadConfigOnChange"] = "false";

        // Tools that listen on a socket of their own would take descriptors from the few that there may be.
        start.Environment["DOTNET_EnableDiagnostics"] = "0";
        start.Environment["DOTNET_DbgEnableMiniDump"] = "0";

        // A process that lives for seconds gains nothing by profiles of its code.
        start.Environment["DOTNET_TieredPGO"] = "0";
        SetVariables(start, variables);
        return new HostProcess(program, start, endsWithInput);
    }

    /// <summary>Starts a program that is not of this repository.</summary>
    internal static HostProcess StartCommand(string[] command, params (string Name, string? Value)[] variables)
    {
        ProcessStartInfo start = Starting(command);
        SetVariables(start, variables);
        return new HostProcess(command[0], start, endsWithInput: false);
    }

    /// <summary>The assembly of a program of this repository.</summary>
    /// <exception cref="FileNotFoundException">It was not built.</exception>
    internal static string PathOf(string program)
    {
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Name;
        string assembly = Path.GetFullPath(Path.Combine(AppContext.BaseDirectory, "../..", program, configuration, $"{program}.dll"));
        return File.Exists(assembly) ? assembly : throw new FileNotFoundException($"{assembly} was not built.");
    }

    /// <summary>The command that starts a program of this repository: one that was published with its own .NET starts by itself.</summary>
    /// <exception cref="FileNotFoundException">It was not built.</exception>
    internal static string[] CommandOf(string program)
    {
        string assembly = PathOf(program);
        return File.Exists(Path.Combine(Path.GetDirectoryName(assembly)!, "libhostpolicy.so")) // It lies in a folder.
            ? [Path.ChangeExtension(assembly, null)]
            : ["dotnet", assembly];
    }

    /// <summary>A command that starts another with so many descriptors at most.</summary>
    internal static string[] UnderOpenFiles(int count) => ["/bin/sh", "-c", "ulimit -n $0 && exec \"$@\"", count.ToString(CultureInfo.InvariantCulture)];

    /// <summary>Where it serves.</summary>
    internal async Task<Uri> ListeningAsync() => (await ListeningAsync(1).ConfigureAwait(false))[0];

    /// <summary>Every address that it serves, of which there are as many as said.</summary>
    internal async Task<IReadOnlyList<Uri>> ListeningAsync(int count)
    {
        for (int lines = count; ;)
        {
            Match[] matches = await MatchesAsync(Address(), lines).ConfigureAwait(false);
            Uri[] addresses = [.. matches.Select(static match => new Uri(match.Groups[1].Value)).Distinct()];
            if (addresses.Length >= count)
            {
                return addresses;
            }

            // The program and its framework may both name an address.
            lines = matches.Length + 1;
        }
    }

    /// <summary>Writes a line to its standard input.</summary>
    internal void WriteLine(string line)
    {
        lock (_writing)
        {
            _process.StandardInput.WriteLine(line);
            _process.StandardInput.Flush();
        }
    }

    /// <summary>Waits until it has printed so many lines that match; 180 seconds if nothing else is said.</summary>
    internal async Task<Match[]> MatchesAsync(Regex expected, int count = 1, TimeSpan? patience = null)
    {
        while (true)
        {
            TaskCompletionSource more = Waits.Signal();
            bool isOver;
            Match[] matches;
            lock (_gate)
            {
                matches = [.. _lines.Select(line => expected.Match(line)).Where(static match => match.Success)];
                isOver = _openStreams == 0;
                _readers.Add(more);
            }

            if (matches.Length >= count)
            {
                return matches;
            }

            if (isOver)
            {
                throw new InvalidOperationException($"{_name} ended before it printed {count} lines like '{expected}'.\n{Output}");
            }

            await more.Task.Within(patience ?? s_patience, $"{count} lines of {_name} like '{expected}'").ConfigureAwait(false);
        }
    }

    /// <summary>What each descriptor that it has open is.</summary>
    internal IReadOnlyCollection<string> OpenDescriptors() => Descriptors.Of(Id.ToString(CultureInfo.InvariantCulture)).Values;

    /// <summary>Resident memory, all of it or a part by its name in proc_pid_status(5).</summary>
    internal long ResidentBytes(string label = "VmRSS:")
    {
        string line = File.ReadLines($"/proc/{Id}/status").First(line => line.StartsWith(label, StringComparison.Ordinal));
        return 1024 * long.Parse(line.AsSpan(label.Length).Trim().TrimEnd(" kB"), CultureInfo.InvariantCulture);
    }

    /// <summary>Processor time that it has used so far, user and system.</summary>
    internal TimeSpan ProcessorTime()
    {
        const int UserTimeIndex = 11; // Fields 14 and 15 of proc_pid_stat(5), behind the name, in hundredths of a second.
        string[] fields = StatFields();
        long hundredths = long.Parse(fields[UserTimeIndex], CultureInfo.InvariantCulture)
            + long.Parse(fields[UserTimeIndex + 1], CultureInfo.InvariantCulture);
        return TimeSpan.FromMilliseconds(hundredths * 10);
    }

    /// <summary>SIGSTOP; returns when it has stopped.</summary>
    internal Task FreezeAsync()
    {
        Signal(Signals.Stop);
        return Waits.Eventually(() => StatFields()[0] == "T", s_patience, $"{_name} is frozen");
    }

    /// <summary>Sends one of <see cref="Signals"/>.</summary>
    internal void Signal(int signal) => Signals.Send(Id, signal);

    /// <summary>Waits until it has ended and gives its exit status.</summary>
    internal async Task<int> ExitAsync()
    {
        try
        {
            await _process.WaitForExitAsync().Within(s_patience, $"{_name} has ended").ConfigureAwait(false);
        }
        catch (TimeoutException exception)
        {
            throw new TimeoutException($"{exception.Message}\n{Output}", exception);
        }

        return _process.ExitCode;
    }

    /// <summary>Asks it to end and gives its exit status.</summary>
    internal Task<int> StopAsync()
    {
        if (!_process.HasExited)
        {
            if (_endsWithInput)
            {
                _process.StandardInput.Close();
            }
            else
            {
                Signal(Signals.Terminate);
            }
        }

        return ExitAsync();
    }

    public async ValueTask DisposeAsync()
    {
        if (_isDisposed)
        {
            return;
        }

        try
        {
            await StopAsync().ConfigureAwait(false);
        }
        finally
        {
            Kill();
        }
    }

    /// <summary>Ends it at once and lets go of it.</summary>
    internal void Kill()
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        _process.Dispose();
    }

    private static ProcessStartInfo Starting(string[] command) => new(command[0], command[1..])
    {
        RedirectStandardInput = true,
        RedirectStandardOutput = true,
        RedirectStandardError = true,
    };

    private static void SetVariables(ProcessStartInfo start, (string Name, string? Value)[] variables)
    {
        foreach ((string name, string? value) in variables)
        {
            start.Environment.Remove(name);
            if (value is not null)
            {
                start.Environment[name] = value;
            }
        }
    }

    private string[] StatFields()
    {
        string stat = File.ReadAllText($"/proc/{Id}/stat");
        return stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
    }

    private void Take(string? line)
    {
        TaskCompletionSource[] readers;
        lock (_gate)
        {
            if (line is null)
            {
                _openStreams--;
            }
            else
            {
                _lines.Add(line);
            }

            readers = [.. _readers];
            _readers.Clear();
        }

        foreach (TaskCompletionSource reader in readers)
        {
            reader.SetResult();
        }
    }

    [GeneratedRegex(@"\blistening (?:on: )?(https?://\S+)$")]
    private static partial Regex Address();
}
