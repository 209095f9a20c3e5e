namespace Ioxide.Simulation;

/// <summary>The server's end of a TCP connection.</summary>
/// <remarks>
/// Bytes on their way in are a count and a pattern; bytes on their way out are checked by the peer at the moment at which
/// the kernel copies them, which for a parked send is long after it was submitted.
/// </remarks>
internal sealed class StreamSocket(SimulatedKernel kernel, int port, ulong inboundKey, int sendCapacity) : SimulatedFile
{
    private bool _isFinShown;
    private bool _resetsOnClose;

    /// <summary>The peer's port, which names it.</summary>
    internal int Port => port;

    internal IPeer? Peer { get; set; }

    /// <summary>Bytes that wait to be received.</summary>
    internal int Available { get; private set; }

    /// <summary>The stream offset of the first of them.</summary>
    internal long InboundOffset { get; private set; }

    internal bool HasPeerFinished { get; private set; }

    internal bool IsReset { get; private set; }

    /// <summary>The reset has not been told to anybody yet.</summary>
    internal bool HasError { get; set; }

    /// <summary>Answers of EAGAIN in a row.</summary>
    internal int Agains { get; set; }

    /// <summary>Another socket that began to wait for a buffer later was armed before it.</summary>
    internal bool IsPassed { get; set; }

    internal bool IsReadShut { get; private set; }

    internal bool IsWriteShut { get; private set; }

    internal bool IsGone { get; private set; }

    /// <summary>The peer sent to a socket that was shut down in both directions, and the kernel broke the connection off.</summary>
    internal bool WasSentToWhenShut { get; private set; }

    /// <summary>Bytes in the send buffer that the peer has not read.</summary>
    internal int Queued { get; private set; }

    internal long SentBytes { get; private set; }

    internal long AcknowledgedBytes => SentBytes - Queued;

    internal int SendRoom => IsReset || IsWriteShut ? 0 : Math.Max(0, sendCapacity - Queued);

    /// <summary>Both ends have finished, and everything has arrived.</summary>
    internal bool IsOver => HasPeerFinished && _isFinShown;

    internal bool CanReceive => Available > 0 || HasPeerFinished || IsReadShut || IsReset;

    internal void Deliver(int bytes)
    {
        if (IsGone)
        {
            // Nobody is there any more: the answer is a reset, and takes along what the peer has not read.
            Peer?.WasReset(Queued);
            return;
        }

        if (IsReset)
        {
            return;
        }

        if (IsReadShut && IsWriteShut)
        {
            // Nobody will read it, and the kernel knows: it breaks the connection off.
            WasSentToWhenShut = true;
            IsReset = true;
            HasError = true;
            int lost = Queued;
            Queued = 0;
            kernel.WakeFile(this);
            Peer?.WasReset(lost);
            return;
        }

        Available += bytes;
        kernel.WakeFile(this, wakesSends: false);
    }

    internal void FinishByPeer()
    {
        HasPeerFinished = true;
        kernel.WakeFile(this);
    }

    internal void ResetByPeer()
    {
        if (IsGone || IsReset)
        {
            return;
        }

        // What arrived before can still be received. Behind the end a reset is no error to a receive.
        IsReset = true;
        HasError = !HasPeerFinished;
        Queued = 0;
        kernel.WakeFile(this);
    }

    internal void ResetByKernel()
    {
        IsGone = true;
        IsReset = true;
        Peer?.WasReset(Queued);
    }

    /// <summary>The peer takes bytes out of the send buffer.</summary>
    internal int ReadByPeer(int most)
    {
        int count = Math.Min(most, Queued);
        Queued -= count;
        if (count > 0)
        {
            kernel.WakeFile(this, wakesReceives: false);
        }

        ShowFin();
        return count;
    }

    internal void TakeReceived(Span<byte> target)
    {
        if (Peer is not { } peer || !peer.CopySent(target, InboundOffset))
        {
            Pattern.Fill(target, inboundKey, InboundOffset);
        }

        Available -= target.Length;
        InboundOffset += target.Length;
    }

    internal void TakeSent(ReadOnlySpan<byte> bytes)
    {
        Queued += bytes.Length;
        SentBytes += bytes.Length;
        Peer?.BytesSent(bytes);
    }

    internal void Shut(bool read, bool write)
    {
        if (write && !IsWriteShut)
        {
            IsWriteShut = true;
            ShowFin();
        }

        IsReadShut |= read;
        kernel.WakeFile(this);
    }

    internal void ResetOnClose() => _resetsOnClose = true;

    /// <summary>Unread bytes, or a linger time of 0, turn the end into a reset.</summary>
    protected override void Release()
    {
        IsGone = true;
        if (IsReset)
        {
            return;
        }

        if (_resetsOnClose || Available > 0)
        {
            if (!_resetsOnClose)
            {
                kernel.Mark("close: reset because of unread bytes");
            }

            IsReset = true;
            Peer?.WasReset(Queued);
            return;
        }

        IsWriteShut = true;
        ShowFin();
    }

    private void ShowFin()
    {
        if (IsWriteShut && Queued == 0 && !_isFinShown && !IsReset)
        {
            _isFinShown = true;
            Peer?.FinSent();
        }
    }
}
