using System.Buffers;
using System.IO.Pipelines;
using System.Net;

namespace Ioxide.Soak;

/// <summary>An echo of bytes on the runtime without ASP.NET. Its listener can hand its port over to a new one.</summary>
internal sealed class RawSite : IAsyncDisposable
{
    private readonly CountedEvents _events = new();
    private RingListener _listener = null!; // Set by StartAsync before anyone else sees the object.

    private RawSite() => Group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 1, Events = _events });

    internal ReactorGroup Group { get; }

    internal int Port => ((IPEndPoint)_listener.EndPoint).Port;

    internal long UnhandledCount => _events.Count;

    internal static async Task<RawSite> StartAsync()
    {
        RawSite site = new();
        site._listener = await site.ListenAsync(0);
        return site;
    }

    /// <summary>Binds a second listener to the port, then unbinds the first.</summary>
    internal async Task RestartAsync()
    {
        RingListener before = _listener;
        _listener = await ListenAsync(Port);
        await before.DisposeAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _listener.DisposeAsync();
        await Group.DisposeAsync();
    }

    private Task<RingListener> ListenAsync(int port)
        => Group.ListenAsync(
            new IPEndPoint(IPAddress.Loopback, port), EchoAsync, new RingListenOptions { AllowPortSharing = true });

    private static async Task EchoAsync(RingConnection connection)
    {
        while (true)
        {
            ReadResult read = await connection.Input.ReadAsync();
            foreach (ReadOnlyMemory<byte> segment in read.Buffer)
            {
                connection.Output.Write(segment.Span);
            }

            connection.Input.AdvanceTo(read.Buffer.End);
            FlushResult flush = await connection.Output.FlushAsync();
            if (read.IsCompleted || flush.IsCompleted)
            {
                return;
            }
        }
    }

    private sealed class CountedEvents : ReactorEvents
    {
        private long _count;

        internal long Count => Interlocked.Read(ref _count);

        public override void UnhandledException(int reactorId, Exception exception) => Note(exception);

        public override void ReactorFaulted(int reactorId, Exception exception) => Note(exception);

        private void Note(Exception exception)
        {
            Interlocked.Increment(ref _count);
            Console.Error.WriteLine($"fail: raw listener: {exception}");
        }
    }
}
