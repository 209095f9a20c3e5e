using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Ioxide;

[assembly: SupportedOSPlatform("linux")]

// Echoes what it receives.
const string Usage = """
    usage: dotnet run -- [options]
      --port N          where to listen; 0 for any free port. Defaults to 7000
      --address A       the address to listen on; 0.0.0.0 for all of the machine. Defaults to 127.0.0.1
      --ioxide-check    says what this machine offers, and serves nothing
    """;

if (args.Contains("--help"))
{
    Console.WriteLine(Usage);
    return;
}

var options = new ReactorOptions();
if (await IoxideCheck.RunIfAskedAsync(args, options))
{
    return;
}

IPEndPoint endPoint = new(IPAddress.Loopback, 7000);
for (int index = 0; index < args.Length; index += 2)
{
    string value = args.ElementAtOrDefault(index + 1) ?? "";
    switch (args[index])
    {
        case "--port" when ushort.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out ushort port):
            endPoint.Port = port;
            break;
        case "--address" when IPAddress.TryParse(value, out IPAddress? address):
            endPoint.Address = address;
            break;
        default:
            string problem = args[index] switch
            {
                "--port" => $"--port takes a number from 0 to {IPEndPoint.MaxPort}, not '{value}'",
                "--address" => $"--address takes an IP address, not '{value}'",
                var other => $"there is no option '{other}'",
            };
            Console.Error.WriteLine($"IoxideServer: {problem}. --help lists what there is.");
            Environment.ExitCode = 2;
            return;
    }
}

// Registered before the server says that it is ready, because its caller may stop it at once.
var stop = new TaskCompletionSource();
using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using var terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);

await using ReactorGroup group = ReactorGroup.Start(options);
RingListener opened;
try
{
    opened = await group.ListenAsync(endPoint, EchoAsync);
}
catch (SocketException error)
{
    Console.Error.WriteLine($"IoxideServer: {error.Message} Choose another place by --port and --address.");
    Environment.ExitCode = 1;
    return;
}

await using RingListener listener = opened;
Console.WriteLine($"listening on {listener.EndPoint} with {group.Reactors.Count} reactors");

await stop.Task;

// No client is accepted any more, and those that are served may end; 5 s later they are cut off.
using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(5));
await group.StopAsync(limit.Token);

// Runs on the reactor of its connection, from the first byte to the last: await, and do not block.
static async Task EchoAsync(RingConnection connection)
{
    while (true)
    {
        ReadResult read = await connection.Input.ReadAsync();
        foreach (ReadOnlyMemory<byte> segment in read.Buffer)
        {
            connection.Output.Write(segment.Span);
        }

        connection.Input.AdvanceTo(read.Buffer.End);
        await connection.Output.FlushAsync();
        if (read.IsCompleted)
        {
            return;
        }
    }
}

void Stop(PosixSignalContext signal)
{
    signal.Cancel = true;
    stop.TrySetResult();
}
