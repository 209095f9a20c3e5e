using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using BenchmarkDotNet.Attributes;

namespace Ioxide.Benchmarks;

/// <summary>The pipes of a connection over loopback, against a blocking socket.</summary>
public class PipeBenchmarks : IDisposable
{
    private const int ChunkBytes = 4096;

    private readonly byte[] _message = new byte[32];
    private readonly byte[] _chunk = new byte[ChunkBytes];
    private ReactorGroup _group = null!; // Set before a benchmark runs.
    private RingListener _echo = null!; // Set before a benchmark runs.
    private RingListener _sink = null!; // Set before a benchmark runs.
    private RingListener _source = null!; // Set before a benchmark runs.
    private Socket _toEcho = null!; // Set before a benchmark runs.
    private Socket _toSink = null!; // Set before a benchmark runs.
    private Socket _fromSource = null!; // Set before a benchmark runs.

    internal Reactor Reactor => _group.Reactors[0];

    [GlobalSetup]
    public void Start()
    {
        _group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 1 });
        (_echo, _toEcho) = Open(EchoAsync);
        (_sink, _toSink) = Open(SinkAsync);
        (_source, _fromSource) = Open(SourceAsync);
    }

    [GlobalCleanup]
    public void Dispose()
    {
        _toEcho.Dispose();
        _toSink.Dispose();
        _fromSource.Dispose();
        foreach (RingListener listener in new[] { _echo, _sink, _source })
        {
            listener.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }

        _group.DisposeAsync().AsTask().GetAwaiter().GetResult();
        GC.SuppressFinalize(this);
    }

    /// <summary>32 bytes there and back: a read, an advance, a write and a flush.</summary>
    [Benchmark]
    public void Echo()
    {
        _toEcho.Send(_message);
        Receive(_toEcho, _message);
    }

    /// <summary>4 KB in: read and advance.</summary>
    [Benchmark]
    public void ReadAndAdvance() => _toSink.Send(_chunk);

    /// <summary>4 KB out: write and flush.</summary>
    [Benchmark]
    public void WriteAndFlush() => Receive(_fromSource, _chunk);

    private (RingListener Listener, Socket Client) Open(Func<RingConnection, Task> serve)
    {
        RingListener listener = _group.ListenAsync(new IPEndPoint(IPAddress.Loopback, 0), serve).GetAwaiter().GetResult();
        var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        client.Connect(listener.EndPoint!);
        return (listener, client);
    }

    private static void Receive(Socket socket, byte[] buffer)
    {
        for (int length = 0; length < buffer.Length;)
        {
            int received = socket.Receive(buffer.AsSpan(length));
            length += received > 0 ? received : throw new IOException("The connection ended.");
        }
    }

    private static async Task EchoAsync(RingConnection connection)
    {
        while (true)
        {
            ReadResult read = await connection.Input.ReadAsync();
            foreach (ReadOnlyMemory<byte> segment in read.Buffer)
            {
                segment.Span.CopyTo(connection.Output.GetSpan(segment.Length));
                connection.Output.Advance(segment.Length);
            }

            connection.Input.AdvanceTo(read.Buffer.End);
            await connection.Output.FlushAsync();
            if (read.IsCompleted)
            {
                return;
            }
        }
    }

    private static async Task SinkAsync(RingConnection connection)
    {
        while (true)
        {
            ReadResult read = await connection.Input.ReadAsync();
            connection.Input.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
            {
                return;
            }
        }
    }

    private static async Task SourceAsync(RingConnection connection)
    {
        FlushResult flushed;
        do
        {
            connection.Output.GetSpan(ChunkBytes)[..ChunkBytes].Clear();
            connection.Output.Advance(ChunkBytes);
            flushed = await connection.Output.FlushAsync();
        }
        while (!flushed.IsCompleted);
    }
}
