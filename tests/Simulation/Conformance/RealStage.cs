using System.Net;
using System.Net.Sockets;

namespace Ioxide.Simulation;

/// <summary>A stage on Linux, with sockets of the loopback device, and a ring of Linux or one that is played over epoll.</summary>
internal sealed class RealStage : Stage
{
    // Small, so that a send of a megabyte does not fit.
    private const int BufferBytes = 64 * 1024;
    private const int OptionSendBuffer = 7;

    // How /proc shows a thread that sleeps in io_uring_enter, or in epoll_pwait or epoll_pwait2.
    private static readonly string[] s_waits =
        [$"{CallNumber.RingEnter.Value} ", $"{CallNumber.EpollWait.Value} ", $"{CallNumber.EpollWaitPrecisely.Value} "];

    private readonly HashSet<string> _before;
    private readonly int _listener;
    private readonly EndPoint _endPoint;
    private readonly List<Socket> _fillers = [];
    private int _silent;
    private bool _isDisposed;

    static RealStage()
    {
        // The framework opens an epoll of its own for the first socket that waits: here, and not in a script, where it would count as left open.
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _ = socket.ReceiveAsync(new byte[1]);
    }

    internal RealStage(Kernel kernel) : base(kernel)
    {
        _before = OpenDescriptors();
        _listener = ListenOnLoopback(backlog: 16, out _endPoint);
    }

    public override void Dispose()
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        base.Dispose();
        _ = Kernel.Close(_listener);
        foreach (Socket filler in _fillers)
        {
            filler.Dispose();
        }
    }

    protected override Pair MakePair(int clientNumber)
    {
        var client = new RealClient(this, clientNumber, ConnectSocket(_endPoint));
        int descriptor = AcceptOne();
        Configure(descriptor);
        return new Pair(descriptor, client);
    }

    protected override Client? MakeClient(ListenPlace listener, int clientNumber)
    {
        uint before = listener.IsOpen ? TcpInfo.Of(Kernel, listener.Number).Unacknowledged : 0;
        try
        {
            var client = new RealClient(this, clientNumber, ConnectSocket(listener.EndPoint));
            RealClient.WaitFor(() => !listener.IsOpen || TcpInfo.Of(Kernel, listener.Number).Unacknowledged > before);
            return client;
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionRefused)
        {
            return null;
        }
    }

    protected override EndPoint Prepare(ConnectTarget target)
    {
        if (target == ConnectTarget.Accepting)
        {
            return _endPoint;
        }

        bool isSilent = target == ConnectTarget.Silent;
        int number = ListenOnLoopback(backlog: isSilent ? 0 : -1, out EndPoint endPoint);
        Keep(new Place(number, "target"));
        if (isSilent)
        {
            _silent = number;
            Fill(endPoint);
        }

        return endPoint;
    }

    protected override void Answer(Place place)
    {
        // Once the queue has room, what was not answered is sent again, a second after the first time.
        RealClient.WaitFor(
            () =>
            {
                int accepted = Kernel.Accept(_silent, SocketConstants.CloseOnExec);
                if (accepted >= 0)
                {
                    Keep(new Place(accepted, "accepted"));
                }

                return TcpInfo.Of(Kernel, place.Number).State == TcpInfo.StateEstablished;
            },
            seconds: 5);
    }

    protected override Client MakeFarEnd(Place place, int clientNumber)
        => new RealClient(this, clientNumber, new Socket(new SafeSocketHandle(AcceptOne(), ownsHandle: true)));

    protected override void Settle(Pair pair) => RealClient.WaitFor(() => TcpInfo.Of(Kernel, pair.Number).Unacknowledged == 0);

    protected override void Configure(int descriptor)
    {
        _ = Kernel.SetSocketOption(descriptor, SocketConstants.LevelSocket, OptionSendBuffer, BufferBytes);
        _ = Kernel.SetSocketOption(descriptor, SocketConstants.LevelTcp, SocketConstants.OptionNoDelay, 1);
    }

    protected override void While(Action action, Action wait)
    {
        string waiter = $"/proc/{new FileInfo("/proc/thread-self").LinkTarget}/syscall";
        var other = new Thread(() =>
        {
            RealClient.WaitFor(() =>
            {
                string call = File.ReadAllText(waiter);
                return s_waits.Any(wait => call.StartsWith(wait, StringComparison.Ordinal));
            });
            action();
        });
        other.Start();
        wait();
        other.Join();
    }

    protected override IEnumerable<string> LeftInKernel() => [];

    protected override IEnumerable<string> LeftOpen() => OpenDescriptors().Except(_before).Select(static open => $"open descriptor {open}");

    private static Socket ConnectSocket(EndPoint endPoint)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = BufferBytes };
        try
        {
            socket.Connect(endPoint);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Connects until the queue is full; what comes then gets no answer.</summary>
    private void Fill(EndPoint endPoint)
    {
        for (int index = 0; index < 2; index++)
        {
            var filler = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            filler.Blocking = false;
            _fillers.Add(filler);
            try
            {
                filler.Connect(endPoint);
            }
            catch (SocketException exception)
                when (exception.SocketErrorCode is SocketError.WouldBlock or SocketError.InProgress)
            {
                // It is connected a moment later, or never.
            }

            _ = filler.Poll(20_000, SelectMode.SelectWrite);
        }
    }

    private int AcceptOne()
    {
        int descriptor = -1;
        RealClient.WaitFor(() => (descriptor = Kernel.Accept(_listener, SocketConstants.CloseOnExec)) >= 0);
        Assert.True(descriptor >= 0, $"accept gave {descriptor}");
        return descriptor;
    }

    private HashSet<string> OpenDescriptors()
    {
        bool countsEpoll = Kernel is EpollKernel;
        var open = new HashSet<string>();
        foreach (string path in Directory.GetFiles("/proc/self/fd"))
        {
            string? target = LinkOf(path);
            if (target is "anon_inode:[io_uring]" or "anon_inode:[eventfd]" || (countsEpoll && target == "anon_inode:[eventpoll]")
                || target?.StartsWith("socket:", StringComparison.Ordinal) == true)
            {
                open.Add($"{Path.GetFileName(path)} -> {target}");
            }
        }

        return open;
    }

    private static string? LinkOf(string path)
    {
        try
        {
            return new FileInfo(path).LinkTarget;
        }
        catch (IOException)
        {
            // It was the listing's own descriptor.
            return null;
        }
    }
}
