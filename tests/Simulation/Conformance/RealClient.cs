using System.Diagnostics;
using System.Net.Sockets;

namespace Ioxide.Simulation;

/// <summary>A client on the loopback device. What it did has arrived at the server when its methods return.</summary>
internal sealed class RealClient : Client
{
    private const int PatienceUs = 2_000_000;
    private const int GlanceUs = 20_000;

    private readonly Socket _socket;
    private bool _wasReset;

    internal RealClient(Stage stage, int number, Socket socket) : base(stage, number)
    {
        _socket = socket;
        _socket.Blocking = false;
        _socket.NoDelay = true;
    }

    public override void Dispose() => _socket.Dispose();

    /// <summary>Waits for what the loopback device does at once, or nearly so.</summary>
    internal static void WaitFor(Func<bool> condition, int seconds = 1)
    {
        long started = Stopwatch.GetTimestamp();
        while (!condition() && Stopwatch.GetElapsedTime(started).TotalSeconds < seconds)
        {
            Thread.Yield();
        }
    }

    protected override bool SendNow(byte[] bytes)
    {
        for (int sent = 0; sent < bytes.Length;)
        {
            _ = _socket.Poll(PatienceUs, SelectMode.SelectWrite);
            int more = _socket.Send(bytes.AsSpan(sent), SocketFlags.None, out SocketError error);
            if (error != SocketError.Success)
            {
                return false;
            }

            sent += more;
        }

        WaitFor(HasArrived);
        return true;
    }

    protected override void FinishNow()
    {
        _socket.Shutdown(SocketShutdown.Send);
        WaitFor(() => IsServerOpen
            ? TcpInfo.Of(Stage.Kernel, Pair!.Number).State != TcpInfo.StateEstablished
            : TcpInfo.Of(_socket).State != TcpInfo.StateFinWait1);
    }

    protected override void CloseNow() => Leave(TcpInfo.StateCloseWait);

    protected override void ResetNow()
    {
        _socket.LingerState = new LingerOption(true, 0);
        Leave(TcpInfo.StateClose);
    }

    protected override int ReadNow(Span<byte> target, bool isPatient)
    {
        if (_wasReset)
        {
            return WasReset;
        }

        if (!_socket.Poll(isPatient ? PatienceUs : GlanceUs, SelectMode.SelectRead))
        {
            return CameNothing;
        }

        int count = _socket.Receive(target, SocketFlags.None, out SocketError error);
        _wasReset = error == SocketError.ConnectionReset;
        return error == SocketError.Success ? count : _wasReset ? WasReset : CameNothing;
    }

    private bool IsServerOpen => Pair is { IsOpen: true };

    private void Leave(byte expectedState)
    {
        _socket.Dispose();
        WaitFor(() => !IsServerOpen || IsIn(TcpInfo.StateClose) || IsIn(expectedState));
    }

    private bool IsIn(byte state) => TcpInfo.Of(Stage.Kernel, Pair!.Number).State == state;

    private bool HasArrived()
    {
        if (!IsServerOpen)
        {
            TcpInfo own = TcpInfo.Of(_socket);
            return own.State == TcpInfo.StateClose || own.Unacknowledged == 0;
        }

        TcpInfo server = TcpInfo.Of(Stage.Kernel, Pair!.Number);
        return server.State == TcpInfo.StateClose || server.BytesReceived >= (ulong)SentBytes;
    }
}
