using System.Net;
using System.Net.Sockets;

namespace Ioxide.Pg.Tests;

/// <summary>A server in this process that follows a <see cref="Script"/> on every connection. It speaks real bytes.</summary>
internal sealed class FakeServer : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly Socket _listener = RawSocket.Listen(512);
    private readonly Func<int, Script> _scriptOf;
    private readonly Delivery _delivery;
    private readonly List<FakeSession> _sessions = [];
    private readonly List<Task> _running = [];
    private readonly Task _accepting;

    private FakeServer(Func<int, Script> scriptOf, Delivery delivery)
    {
        _scriptOf = scriptOf;
        _delivery = delivery;
        EndPoint = (IPEndPoint)_listener.LocalEndPoint!;
        _accepting = AcceptAsync();
    }

    internal IPEndPoint EndPoint { get; }

    internal int Port => EndPoint.Port;

    /// <summary>Every connection so far, in order.</summary>
    internal IReadOnlyList<FakeSession> Sessions
    {
        get
        {
            lock (_gate)
            {
                return [.. _sessions];
            }
        }
    }

    /// <summary>The same script for every connection.</summary>
    internal static FakeServer Start(Script script, Delivery? delivery = null) => Start(_ => script, delivery);

    /// <param name="scriptOf">The script of a connection by its number, from 0.</param>
    /// <param name="delivery">How its bytes come.</param>
    internal static FakeServer Start(Func<int, Script> scriptOf, Delivery? delivery = null) => new(scriptOf, delivery ?? Delivery.Whole);

    /// <summary>Waits until so many connections came to their script's end; fails with what broke one.</summary>
    internal async Task AssertScriptsEndedAsync(int connections = 1)
    {
        await Waits.Eventually(
            () => Sessions.Count >= connections && Sessions.All(session => session.HasEnded || session.Failure is not null),
            20.Seconds(), "the scripts have ended").ConfigureAwait(false);
        Exception[] failures = [.. Sessions.Select(session => session.Failure).OfType<Exception>()];
        if (failures.Length > 0)
        {
            throw new AggregateException("A client did not keep to the script.", failures);
        }
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        await _accepting.Within(20.Seconds(), "the fake server accepts no more").ConfigureAwait(false);
        foreach (FakeSession session in Sessions)
        {
            session.Abandon();
        }

        Task[] running;
        lock (_gate)
        {
            running = [.. _running];
        }

        await Task.WhenAll(running).Within(35.Seconds(), "the fake server's connections have ended").ConfigureAwait(false);
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            Socket socket;
            try
            {
                socket = await _listener.AcceptAsync().ConfigureAwait(false);
            }
            catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
            {
                return; // It was disposed.
            }

            socket.NoDelay = true;
            lock (_gate)
            {
                var session = new FakeSession(socket, _sessions.Count, _delivery);
                _sessions.Add(session);
                _running.Add(session.RunAsync(_scriptOf(session.Index)));
            }
        }
    }
}
