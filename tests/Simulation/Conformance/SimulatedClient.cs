using System.Runtime.InteropServices;

namespace Ioxide.Simulation;

/// <summary>A client of the simulated kernel.</summary>
internal sealed class SimulatedClient(Stage stage, int number, StreamSocket socket) : Client(stage, number), IPeer
{
    private readonly List<byte> _arrived = [];
    private bool _hasSeenEnd;
    private bool _wasReset;
    private bool _isClosed;

    public void BytesSent(ReadOnlySpan<byte> bytes)
    {
        _arrived.AddRange(bytes);
        if (_isClosed)
        {
            socket.ResetByPeer();
        }
    }

    public void FinSent() => _hasSeenEnd = true;

    void IPeer.WasReset(int lostBytes) => _wasReset = true;

    public override void Dispose()
    {
    }

    protected override bool SendNow(byte[] bytes)
    {
        if (_wasReset)
        {
            return false;
        }

        socket.Deliver(bytes.Length);
        return true;
    }

    protected override void FinishNow() => socket.FinishByPeer();

    protected override void CloseNow()
    {
        _isClosed = true;
        socket.FinishByPeer();
    }

    protected override void ResetNow() => socket.ResetByPeer();

    protected override int ReadNow(Span<byte> target, bool isPatient)
    {
        int count = socket.ReadByPeer(target.Length);
        if (count == 0)
        {
            return _hasSeenEnd ? 0 : _wasReset ? WasReset : CameNothing;
        }

        CollectionsMarshal.AsSpan(_arrived)[..count].CopyTo(target);
        _arrived.RemoveRange(0, count);
        return count;
    }
}
