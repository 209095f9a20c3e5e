using System.Collections.Concurrent;
using System.Net;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Ioxide;

[assembly: SupportedOSPlatform("linux")]

// A server that speaks the protocol of Redis (RESP2). Values are kept as Latin-1 text, which holds any bytes.
const string Usage = """
    usage: dotnet run -c Release --project samples/Redis -- [options]
      --port N        where to listen; 0 for any free port. Defaults to 6379
      --reactors N    how many reactors; 0 for one per processor. Defaults to 0
      --idle-ms N     how long a connection may be silent, and how long a command may take to come. Defaults to 300000
      --ioxide-check  says what this machine offers, and serves nothing
    """;

if (Arguments.Read(args, Usage) is not { } arguments
    || !arguments.TryNumber("--port", 6379, IPEndPoint.MaxPort, out int port)
    || !arguments.TryNumber("--reactors", 0, 64, out int reactors)
    || !arguments.TryNumber("--idle-ms", 300_000, int.MaxValue, out int idleMs))
{
    return;
}

var options = new ReactorOptions { ReactorCount = reactors };
if (await IoxideCheck.RunIfAskedAsync(args, options))
{
    return;
}

// Registered before the server says that it is ready, because its caller may stop it at once.
var stop = new TaskCompletionSource();
using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using var terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);

var channels = new Channels();
var entries = new ConcurrentDictionary<string, Entry>();
TimeSpan idleLimit = TimeSpan.FromMilliseconds(idleMs);
await using ReactorGroup group = ReactorGroup.Start(options);
await using RingListener listener = await group.ListenAsync(
    new IPEndPoint(IPAddress.Loopback, port),
    connection => new Session(connection, entries, channels, idleLimit).RunAsync(),
    new RingListenOptions { Connection = { SendTimeout = idleLimit } });
Console.WriteLine($"ready {listener.EndPoint} reactors={group.Reactors.Count} pid={Environment.ProcessId}");

await stop.Task;

// No client is accepted any more, and those that are served may end; 5 s later they are cut off.
using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(5));
await group.StopAsync(limit.Token);

void Stop(PosixSignalContext signal)
{
    signal.Cancel = true;
    stop.TrySetResult();
}
