using System.Net;
using System.Net.Sockets;

namespace Ioxide.TestKit;

/// <summary>One connection through a <see cref="FaultProxy"/>: two sockets and a pump for each direction.</summary>
internal sealed class ProxyLink : IDisposable
{
    private readonly FaultProxy _proxy;
    private readonly CancellationTokenSource _over = new();
    private readonly ProxyFault[] _faults;
    private readonly Socket _client;
    private readonly Socket _server;
    private readonly ProxyPump[] _pumps;
    private volatile bool _isOver;
    private volatile bool _isDiscarding;

    internal ProxyLink(FaultProxy proxy, Socket client, ProxyFault[] faults)
    {
        _proxy = proxy;
        _client = client;
        _faults = faults;
        Over = _over.Token;
        bool isIp = proxy.Target is IPEndPoint;
        _server = new Socket(proxy.Target.AddressFamily, SocketType.Stream, isIp ? ProtocolType.Tcp : ProtocolType.Unspecified);
        foreach (Socket socket in (Socket[])[_client, _server])
        {
            if (socket.AddressFamily != AddressFamily.Unix)
            {
                socket.NoDelay = true;
            }
        }

        var boundaries = faults.Any(fault => fault.CountsMessages) ? new WireBoundaries() : null;
        _pumps =
        [
            new ProxyPump(this, Direction.ToServer, _client, _server, boundaries),
            new ProxyPump(this, Direction.ToClient, _server, _client, boundaries),
        ];
    }

    internal bool IsOver => _isOver;

    /// <summary>Set once bytes are to disappear, because both sides were told that the stream has ended.</summary>
    internal bool IsDiscarding => _isDiscarding;

    internal bool IsRecording => _proxy.IsRecording;

    /// <summary>Cancelled by <see cref="Abort"/>.</summary>
    internal CancellationToken Over { get; }

    /// <summary>Bytes that went on to the other side.</summary>
    internal long Forwarded(Direction direction) => _pumps[(int)direction].Forwarded;

    /// <summary>What came from the sender, before any fault, where the proxy records.</summary>
    internal byte[] Recorded(Direction direction) => _pumps[(int)direction].Recorded;

    internal IEnumerable<ProxyFault> FaultsOf(Direction direction) => _faults.Where(fault => fault.Direction == direction);

    internal Task WhenReleasedAsync() => _proxy.WhenReleasedAsync().WaitAsync(Over);

    internal async Task RunAsync()
    {
        try
        {
            Task connecting = _server.ConnectAsync(_proxy.Target);
            Waits.Observe(connecting); // The link may be cut before it ends.
            await connecting.WaitAsync(60.Seconds(), Over).ConfigureAwait(false);
            await Task.WhenAll(_pumps.Select(pump => pump.RunAsync())).ConfigureAwait(false);
        }
        catch (Exception exception) when (IsEnd(exception))
        {
            // The server is not there, or the link was cut.
            Abort();
        }
        finally
        {
            Dispose();
            _isOver = true;
        }
    }

    public void Dispose()
    {
        _client.Dispose();
        _server.Dispose();
        _over.Dispose();
    }

    /// <summary>Tells both sides that the stream has ended, and lets what still comes disappear.</summary>
    internal void EndBoth()
    {
        _isDiscarding = true;
        End(_client);
        End(_server);
    }

    /// <summary>Resets both sides.</summary>
    internal void Abort()
    {
        Try(_over.Cancel);
        Try(_client.Reset);
        Try(_server.Reset);
    }

    /// <summary>Whether an exception is only what a closed socket throws.</summary>
    internal static bool IsEnd(Exception exception)
        => exception is SocketException or ObjectDisposedException or OperationCanceledException or TimeoutException;

    internal static void End(Socket socket) => Try(() => socket.Shutdown(SocketShutdown.Send));

    private static void Try(Action action)
    {
        try
        {
            action();
        }
        catch (Exception exception) when (IsEnd(exception))
        {
            // It is closed already.
        }
    }
}
