using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Ioxide;

[assembly: SupportedOSPlatform("linux")]

// A raw server on the ring: echoes bytes, or with --http answers every request with the same few bytes.
const string Usage = """
    usage: dotnet run -c Release --project samples/Echo -- [options]
      --http          answers each HTTP request with the same few bytes, instead of echoing
      --port N        where to listen; 0 for any free port. Defaults to 7000
      --reactors N    how many reactors; 0 for one per processor. Defaults to 0
      --ioxide-check  says what this machine offers, and serves nothing
    """;

if (Arguments.Read(args, Usage) is not { } arguments
    || !arguments.TryNumber("--port", 7000, IPEndPoint.MaxPort, out int port)
    || !arguments.TryNumber("--reactors", 0, 64, out int reactors))
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

bool isHttp = arguments.Has("--http");
await using ReactorGroup group = ReactorGroup.Start(options);
await using RingListener listener = await group.ListenAsync(
    new IPEndPoint(IPAddress.Loopback, port), isHttp ? AnswerAsync : EchoAsync);
Console.WriteLine($"ready {listener.EndPoint} reactors={group.Reactors.Count} pid={Environment.ProcessId}");

await stop.Task;

// No client is accepted any more, and those that are served may end; 5 s later they are cut off.
using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(5));
await group.StopAsync(limit.Token);

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

static async Task AnswerAsync(RingConnection connection)
{
    while (true)
    {
        ReadResult read = await connection.Input.ReadAsync();
        SequencePosition consumed = AnswerAll(read.Buffer, connection.Output);
        connection.Input.AdvanceTo(consumed, read.Buffer.End);
        await connection.Output.FlushAsync();
        if (read.IsCompleted)
        {
            return;
        }
    }
}

static SequencePosition AnswerAll(ReadOnlySequence<byte> buffer, PipeWriter output)
{
    var reader = new SequenceReader<byte>(buffer);
    while (reader.TryReadTo(out ReadOnlySequence<byte> _, "\r\n\r\n"u8))
    {
        output.Write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!"u8);
    }

    return reader.Position;
}

void Stop(PosixSignalContext signal)
{
    signal.Cancel = true;
    stop.TrySetResult();
}
