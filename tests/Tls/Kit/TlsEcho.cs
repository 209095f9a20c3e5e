using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using System.Threading.Channels;

namespace Ioxide.Tls.Tests;

/// <summary>A server that sends back what it decrypts, and keeps how each connection went.</summary>
internal sealed class TlsEcho : IAsyncDisposable
{
    private readonly RingListener _listener;
    private readonly Channel<TlsEnd> _ends = Channel.CreateUnbounded<TlsEnd>();

    private ReactorFixture? _own;
    private int _begunCount;

    private TlsEcho(RingListener listener, TlsServer server)
    {
        _listener = listener;
        Server = server;
    }

    internal TlsServer Server { get; }

    internal IPEndPoint EndPoint => (IPEndPoint)_listener.EndPoint;

    internal static EchoOptions Options(Action<EchoOptions>? configure = null)
    {
        // The first handshake of a process is slow on an emulated or busy machine.
        EchoOptions options = new() { HandshakeTimeout = TimeSpan.FromMinutes(2) };
        configure?.Invoke(options);
        return options;
    }

    internal static async Task<TlsEcho> StartAsync(ReactorFixture fixture, EchoOptions? options = null, TlsSessionKind? kind = null)
    {
        TlsServer server = (options ?? Options()).CreateServer(kind);
        TlsEcho? echo = null;
        TaskCompletionSource isReady = Waits.Signal();
        RingListener listener = await fixture.ListenAsync(async connection =>
        {
            await isReady.Task;
            await echo!.HandleAsync(connection);
        });
        echo = new TlsEcho(listener, server);
        isReady.SetResult();
        return echo;
    }

    /// <summary>Starts one on reactors of its own, which end with it.</summary>
    internal static async Task<TlsEcho> StartAsync(EchoOptions? options = null, TlsSessionKind? kind = null)
    {
        ReactorFixture own = ReactorFixture.Start();
        TlsEcho echo = await StartAsync(own, options, kind);
        echo._own = own;
        return echo;
    }

    /// <summary>The reactor that the last connection came to.</summary>
    internal Reactor Reactor { get; private set; } = null!; // Set before a test can have met a connection.

    /// <summary>Handshakes that were begun.</summary>
    internal int BegunCount => Volatile.Read(ref _begunCount);

    /// <summary>Connections that have ended and were not asked for yet.</summary>
    internal int EndCount => _ends.Reader.Count;

    /// <summary>How the next connection ended, in the order in which they ended.</summary>
    internal Task<TlsEnd> NextEndAsync() => _ends.Reader.ReadAsync().Within(Patience.Limit, "a connection has ended");

    public async ValueTask DisposeAsync()
    {
        await using ReactorFixture? own = _own;
        await _listener.UnbindAsync().Within(Patience.Limit, "the listener is unbound");
        Server.Dispose();
    }

    private async Task HandleAsync(RingConnection connection)
    {
        TlsSession? session = null;
        long echoed = 0;
        Exception? error = null;
        try
        {
            Reactor = connection.Reactor;
            ValueTask<TlsSession> authenticating = Server.AuthenticateAsync(connection);
            Interlocked.Increment(ref _begunCount);
            session = await authenticating;
            Assert.True(connection.Reactor.IsCurrent);
            bool isOver = false;
            while (!isOver)
            {
                ReadResult read = await session.Input.ReadAsync();
                foreach (ReadOnlyMemory<byte> piece in read.Buffer)
                {
                    session.Output.Write(piece.Span);
                }

                echoed += read.Buffer.Length;
                session.Input.AdvanceTo(read.Buffer.End);
                isOver = read.IsCompleted;
                await session.Output.FlushAsync();
            }
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            error = exception;
        }
        finally
        {
            if (session is not null)
            {
                await session.DisposeAsync();
            }
        }

        // The channel has a lock. A wait for it would turn the ring here, and other connections would go on to the thread pool meanwhile.
        using (connection.Reactor.EnterRuntime())
        {
            _ends.Writer.TryWrite(new TlsEnd(session, echoed, error));
        }
    }
}
