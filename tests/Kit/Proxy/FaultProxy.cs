using System.Net;
using System.Net.Sockets;

namespace Ioxide.TestKit;

/// <summary>Stands between a client and a server and spoils what passes, as <see cref="ProxyFault"/>s say.</summary>
/// <remarks>It listens on TCP or a unix socket and forwards to either. It reads messages only where a fault counts them.</remarks>
internal sealed class FaultProxy : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly Socket _listener;
    private readonly Task _accepting;
    private readonly List<ProxyLink> _links = [];
    private readonly List<Task> _running = [];
    private ProxyFault[] _faults;
    private TaskCompletionSource _released = Waits.Signal();
    private volatile bool _isRefusing;

    private FaultProxy(EndPoint target, EndPoint? listen, ProxyFault[] faults)
    {
        Target = target;
        _faults = faults;
        bool isUnix = listen is UnixDomainSocketEndPoint;
        _listener = isUnix
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        _listener.Bind(listen ?? new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen(512);
        EndPoint = isUnix ? listen! : _listener.LocalEndPoint!;
        _accepting = AcceptAsync();
    }

    /// <summary>Where clients connect to.</summary>
    internal EndPoint EndPoint { get; }

    /// <summary>The port, where it listens on TCP.</summary>
    internal int Port => ((IPEndPoint)EndPoint).Port;

    /// <summary>Where it forwards to.</summary>
    internal EndPoint Target { get; }

    /// <summary>Connections that were made so far, refused ones too.</summary>
    internal int Connections { get; private set; }

    /// <summary>Connections that are open now.</summary>
    internal int OpenConnections => Links.Count(link => !link.IsOver);

    /// <summary>Every connection so far, in order.</summary>
    internal IReadOnlyList<ProxyLink> Links
    {
        get
        {
            lock (_gate)
            {
                return [.. _links];
            }
        }
    }

    /// <summary>While set, every new connection is reset.</summary>
    internal bool IsRefusing
    {
        get => _isRefusing;
        set => _isRefusing = value;
    }

    /// <summary>Keeps what passes, for <see cref="RecordedStream"/>.</summary>
    internal bool IsRecording { get; init; }

    internal static FaultProxy Start(EndPoint target, params ProxyFault[] faults) => new(target, null, faults);

    /// <summary>Keeps all that passes.</summary>
    internal static FaultProxy StartRecording(EndPoint target) => new(target, null, []) { IsRecording = true };

    internal static FaultProxy StartAt(EndPoint listen, EndPoint target, params ProxyFault[] faults) => new(target, listen, faults);

    /// <summary>Sets the faults of connections made from now on.</summary>
    internal void SetFaults(params ProxyFault[] faults) => Volatile.Write(ref _faults, faults);

    /// <summary>Ends all that stalls now.</summary>
    internal void Release() => Interlocked.Exchange(ref _released, Waits.Signal()).TrySetResult();

    internal Task WhenReleasedAsync() => Volatile.Read(ref _released).Task;

    /// <summary>Cuts all connections at once.</summary>
    internal void CutAll(bool isReset = false)
    {
        foreach (ProxyLink link in Links)
        {
            if (isReset)
            {
                link.Abort();
            }
            else
            {
                link.EndBoth();
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        await _accepting.Within(20.Seconds(), "the proxy accepts no more").ConfigureAwait(false);
        Task[] running;
        lock (_gate)
        {
            running = [.. _running];
        }

        CutAll(isReset: true);
        await Task.WhenAll(running).Within(20.Seconds(), "the proxy's connections have ended").ConfigureAwait(false);
        if (EndPoint is UnixDomainSocketEndPoint)
        {
            File.Delete(EndPoint.ToString()!);
        }
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            Socket client;
            try
            {
                client = await _listener.AcceptAsync().ConfigureAwait(false);
            }
            catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
            {
                return; // It was disposed.
            }

            int index = Connections++;
            if (_isRefusing)
            {
                client.Reset();
                continue;
            }

            ProxyFault[] faults = [.. Volatile.Read(ref _faults).Where(fault => fault.Connection is not { } only || only == index)];
            var link = new ProxyLink(this, client, faults);
            lock (_gate)
            {
                _links.Add(link);
                _running.Add(link.RunAsync());
            }
        }
    }
}
