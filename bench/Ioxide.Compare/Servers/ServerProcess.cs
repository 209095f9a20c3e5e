using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Ioxide.Compare.Servers;

/// <summary>A server that runs on its CPUs until it is disposed.</summary>
internal sealed partial class ServerProcess : IDisposable
{
    private const int TailLineCount = 20;

    private const int SigTerm = 15;

    private static readonly TimeSpan s_pollInterval = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_readyTimeout = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan s_stopTimeout = TimeSpan.FromSeconds(60);

    private readonly Process _process;
    private readonly ConcurrentQueue<string> _tail = new();
    private readonly TaskCompletionSource<string> _ready = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private int _endedOutputCount;

    private ServerProcess(Side side, ServerPorts ports, Process process)
    {
        Side = side;
        Ports = ports;
        _process = process;
    }

    internal Side Side { get; }

    internal ServerPorts Ports { get; }

    internal int Id => _process.Id;

    internal double CpuSeconds => ProcessFacts.CpuSeconds(Id);

    internal long ResidentBytes => ProcessFacts.ResidentBytes(Id);

    /// <summary>Starts it without waiting for anything.</summary>
    internal static ServerProcess Launch(Side side, ServerPorts ports, ServerCommand command, CpuList cpus)
    {
        // taskset replaces itself with the server, so the process that was started is the server.
        var start = new ProcessStartInfo("taskset", ["-c", cpus.ToString(), command.Program, .. command.Arguments]);
        foreach ((string name, string value) in side.Environment)
        {
            start.Environment[name] = value;
        }

        Process process = CommandRunner.Start(start);
        var server = new ServerProcess(side, ports, process);
        process.OutputDataReceived += (_, line) => server.OnLine(line.Data);
        process.ErrorDataReceived += (_, line) => server.OnLine(line.Data);
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        return server;
    }

    /// <summary>Starts it and waits until it serves and is proven to be what was asked for.</summary>
    /// <exception cref="RefusedException">It does not start, or it is something else.</exception>
    internal static async Task<ServerProcess> StartAsync(
        Side side, ServerPorts ports, ServerCommand command, CpuList cpus, CancellationToken cancellation)
    {
        ServerProcess server = Launch(side, ports, command, cpus);
        try
        {
            await server.WaitUntilReadyAsync(cancellation);
            return server;
        }
        catch
        {
            server.Dispose();
            throw;
        }
    }

    /// <exception cref="RefusedException">It does not start, or it is something else.</exception>
    internal async Task WaitUntilReadyAsync(CancellationToken cancellation)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        timeout.CancelAfter(s_readyTimeout);
        try
        {
            if (Side.Program == SideProgram.Nginx)
            {
                await WaitUntilAcceptingAsync(timeout.Token);
            }
            else
            {
                CheckReadyLine(await _ready.Task.WaitAsync(timeout.Token));
            }
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            throw new RefusedException(
                $"{Side.Name} was not ready within {s_readyTimeout.TotalSeconds:0} s.\n{Tail()}");
        }

        if (ProcessFacts.HoldsRing(Id) != Side.UsesRing)
        {
            throw new RefusedException(Side.UsesRing
                ? $"{Side.Name} holds no io_uring descriptor: it serves through something else.\n{Tail()}"
                : $"{Side.Name} holds an io_uring descriptor, which it must not.\n{Tail()}");
        }
    }

    /// <exception cref="RefusedException">The server has ended.</exception>
    internal void CheckAlive()
    {
        if (_process.HasExited)
        {
            throw new RefusedException($"{Side.Name} ended with code {_process.ExitCode}.\n{Tail()}");
        }
    }

    /// <summary>Asks again and again, each millisecond, until it replies.</summary>
    /// <param name="tryAsk">Asks once; false where it does not listen yet.</param>
    /// <param name="timeout">The longest wait.</param>
    /// <param name="cancellation">Ends the wait.</param>
    /// <exception cref="RefusedException">It ended, or gave no reply in time.</exception>
    internal void AwaitReply(Func<bool> tryAsk, TimeSpan timeout, CancellationToken cancellation)
    {
        long started = Stopwatch.GetTimestamp();
        while (!tryAsk())
        {
            cancellation.ThrowIfCancellationRequested();
            CheckAlive();
            if (Stopwatch.GetElapsedTime(started) >= timeout)
            {
                throw new RefusedException($"{Side.Name} gave no reply within {timeout.TotalSeconds:0} s.");
            }

            Thread.Sleep(s_pollInterval);
        }
    }

    /// <summary>Asks it to end in order, so that it writes what it has open.</summary>
    /// <exception cref="RefusedException">It does not end, or not in order.</exception>
    internal async Task StopAsync(CancellationToken cancellation)
    {
        CheckAlive();
        _ = Signal(Id, SigTerm);
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        timeout.CancelAfter(s_stopTimeout);
        try
        {
            await _process.WaitForExitAsync(timeout.Token);
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            throw new RefusedException($"{Side.Name} did not end within {s_stopTimeout.TotalSeconds:0} s of SIGTERM.\n{Tail()}");
        }

        if (_process.ExitCode is not (0 or (128 + SigTerm)))
        {
            throw new RefusedException($"{Side.Name} ended with code {_process.ExitCode}.\n{Tail()}");
        }
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            _process.WaitForExit();
        }

        _process.Dispose();
    }

    private void CheckReadyLine(string line)
    {
        const string label = "transport=";
        string? word = line.Split(' ').FirstOrDefault(
            static word => word.StartsWith(label, StringComparison.Ordinal));
        if (Side.Transport.Length > 0 && word?[label.Length..] != Side.Transport)
        {
            throw new RefusedException($"{Side.Name} was asked for '{Side.Transport}' and says '{line}'.\n{Tail()}");
        }
    }

    private async Task WaitUntilAcceptingAsync(CancellationToken cancellation)
    {
        while (true)
        {
            CheckAlive();
            using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            try
            {
                await socket.ConnectAsync("127.0.0.1", Ports.Http, cancellation);
                return;
            }
            catch (SocketException)
            {
                await Task.Delay(10, cancellation);
            }
        }
    }

    private void OnLine(string? line)
    {
        if (line is null)
        {
            // The other output may still hold the reason.
            if (Interlocked.Increment(ref _endedOutputCount) < 2)
            {
                return;
            }

            _ready.TrySetException(new RefusedException($"{Side.Name} ended before it was ready.\n{Tail()}"));
        }
        else if (line.StartsWith("ready", StringComparison.Ordinal))
        {
            _ready.TrySetResult(line);
        }
        else
        {
            _tail.Enqueue(line);
            if (_tail.Count > TailLineCount)
            {
                _tail.TryDequeue(out _);
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Signal(int process, int number);

    private string Tail() => string.Join('\n', _tail);
}
