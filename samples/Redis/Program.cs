using System.Collections.Concurrent;
using System.Net;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Ioxide;

[assembly: SupportedOSPlatform("linux")]

// A server that speaks the protocol of Redis (RESP2). Values are kept as Latin-1 text, which holds any bytes.
//   dotnet run -c Release --project samples/Redis -- [--port 6379] [--reactors 0] [--idle-ms 300000] [--ioxide-check]
var entries = new ConcurrentDictionary<string, Entry>();
TimeSpan idleLimit = TimeSpan.FromMilliseconds(Option("--idle-ms", 300_000));
var options = new ReactorOptions { ReactorCount = Option("--reactors", 0) };
if (await IoxideCheck.RunIfAskedAsync(args, options))
{
    return;
}

await using ReactorGroup group = ReactorGroup.Start(options);
await using RingListener listener = await group.ListenAsync(
    new IPEndPoint(IPAddress.Loopback, Option("--port", 6379)), connection => new Session(connection, entries, idleLimit).RunAsync());
Console.WriteLine($"ready {listener.EndPoint} reactors={group.Reactors.Count} pid={Environment.ProcessId}");

var stop = new TaskCompletionSource();
using var terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, signal => signal.Cancel = stop.TrySetResult());
await stop.Task;

int Option(string name, int otherwise) => Array.IndexOf(args, name) is var index and >= 0 ? int.Parse(args[index + 1], null) : otherwise;
