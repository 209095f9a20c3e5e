using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Ioxide;

[assembly: SupportedOSPlatform("linux")]

// Echoes what it receives. The first argument is the port, 7000 by default; 0 picks a free one.
// `dotnet run -- --ioxide-check` says what this machine offers, and what to do about the rest.
var options = new ReactorOptions();
if (await IoxideCheck.RunIfAskedAsync(args, options))
{
    return;
}

int port = args.Length > 0 ? int.Parse(args[0]) : 7000;
await using ReactorGroup group = ReactorGroup.Start(options);
await using RingListener listener = await group.ListenAsync(new IPEndPoint(IPAddress.Any, port), EchoAsync);
Console.WriteLine($"listening on {listener.EndPoint} with {group.Reactors.Count} reactors");

var stop = new TaskCompletionSource();
using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using var terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
await stop.Task;

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
