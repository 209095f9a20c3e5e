namespace Ioxide;

/// <summary>One stream socket (TCP or unix) on a reactor's ring: receiving, sending and closing.</summary>
/// <remarks>
/// <para>It holds what both directions share: the socket, its addresses, how it is handled, and its end (.Close). The
/// <see cref="Receiver"/> receives for the reader, and the <see cref="Sender"/> sends what the <see cref="SendPipe"/> has flushed.</para>
/// <para>It belongs to one reactor. Members may be called from any thread; work for the reactor is posted there.</para>
/// <para>An object serves one connection and is never reused, so a stale reference cannot harm another connection. Only memory that
/// the kernel sees is pooled, and only when no operation names it.</para>
/// </remarks>
[DebuggerDisplay("{Describe(),nq}")]
public sealed partial class RingConnection : IDuplexPipe, ICompletionTarget, IAsyncDisposable
{
    private readonly int _slotIndex;
    private readonly Acceptor? _acceptor;
    private int _descriptor;
    private bool _isDirty;
    private ClosedToken _closedToken;
    private CloseCause _cause;

    /// <param name="reactor">The reactor of the calling thread.</param>
    /// <param name="descriptor">A connected socket, close-on-exec. The connection owns it from here on.</param>
    /// <param name="options">Limits.</param>
    /// <param name="localEndPoint">The bound address, or null to ask the kernel.</param>
    /// <param name="acceptor">The acceptor, notified when the connection is closed.</param>
    internal RingConnection(Reactor reactor, int descriptor, RingConnectionOptions options, EndPoint? localEndPoint, Acceptor? acceptor)
    {
        Reactor = reactor;
        Options = options;
        ResumesOnThreadPool = options.ResumeOnThreadPool;
        _descriptor = descriptor;
        _acceptor = acceptor;
        LocalEndPoint = localEndPoint ?? SocketAddress.LocalOf(reactor.Kernel, descriptor);
        RemoteEndPoint = SocketAddress.RemoteOf(reactor.Kernel, descriptor);
        Receiver = new Receiver(this);
        Reader = new ReceivePipe(this);
        Sender = new Sender(this);
        Output = new SendPipe(this);
        _slotIndex = reactor.Operations.Add(this);
        reactor.Load.Opened(this);
        _stageSince = reactor.Wait.TimeOfTurn;
        Receiver.Arm();
    }

    /// <summary>The connection's reactor.</summary>
    public Reactor Reactor { get; }

    /// <summary>Received bytes: a reader over the reactor's buffers. Awaits complete on the reactor.</summary>
    public PipeReader Input => Reader;

    /// <summary>Bytes to send. Completing it sends the end of the stream behind the last byte; reading may continue.</summary>
    public SendPipe Output { get; }

    PipeWriter IDuplexPipe.Output => Output;

    /// <summary>The local address.</summary>
    public EndPoint? LocalEndPoint { get; }

    /// <summary>The peer's address, or null if the peer was gone before it could be queried.</summary>
    public EndPoint? RemoteEndPoint { get; }

    /// <summary>Why the connection ended, or <see cref="CloseReason.None"/> while it is open.</summary>
    public CloseReason CloseReason => _cause.Reason;

    /// <summary>
    /// Cancelled when the peer has sent its last byte or reset the connection, or when this side aborted or closed it, even without a pending
    /// read. A reader gets the bytes and the end first, if it keeps reading.
    /// </summary>
    /// <remarks>Threads: any. Registrations run on the reactor, or on the pool with <see cref="RingConnectionOptions.ResumeOnThreadPool"/>.</remarks>
    public CancellationToken ConnectionClosed => _closedToken.Of(this);

    /// <summary><see cref="Input"/>.</summary>
    internal ReceivePipe Reader { get; }

    /// <summary>The receiving side: what <see cref="Input"/> reads, and its operations.</summary>
    internal Receiver Receiver { get; }

    /// <summary>The sending side: what <see cref="Output"/> has flushed, and its operations.</summary>
    internal Sender Sender { get; }

    /// <summary>An object of the host for this connection, such as its context.</summary>
    internal object? Tag { get; set; }

    /// <summary>The acceptor; null for an outbound connection.</summary>
    internal RingListener? Listener { get; init; }

    /// <summary>Whether it was read; null for an outbound connection.</summary>
    internal FirstRead? FirstRead { get; init; }

    internal RingConnectionOptions Options { get; }

    /// <summary>
    /// Code after a read or flush that another thread started resumes on the thread pool, whatever its context. Set while a handler that may block
    /// runs there. <see cref="RingConnectionOptions.ResumeOnThreadPool"/> has the same effect. Threads: any.
    /// </summary>
    internal bool IsHandledOnPool
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    /// <summary>
    /// Whether awaits of its pipes resume on the thread pool. A change applies from the next read and flush on. For protocols that
    /// dispatch their work to the pool anyway, such as Kestrel's HTTP/2.
    /// </summary>
    /// <remarks>Threads: any.</remarks>
    internal bool ResumesOnThreadPool { get; set; }

    internal int SlotIndex => _slotIndex;

    /// <summary>The socket, or -1 once it is closed. Only for the reactor's thread.</summary>
    internal int Descriptor => _descriptor;

    /// <inheritdoc/>
    public override string ToString() => $"{LocalEndPoint} <- {RemoteEndPoint}";

    string ICompletionTarget.Describe() => Describe();

    /// <summary>Its addresses, both directions and its stage, in one line. Threads: the reactor's.</summary>
    internal string Describe()
    {
        string stage = _stage == CloseStage.HalfClosed ? "half closed" : _stage.ToString().ToLowerInvariant();
        string end = _ending == Ending.None ? "" : $", {_ending.ToString().ToLowerInvariant()}";
        string reason = CloseReason == CloseReason.None ? "" : $", reason {CloseReason}";
        long seconds = Math.Max(0, Reactor.Wait.TimeOfTurn - _stageSince) / 1000;
        return $"{this}: {Reader.Describe()}; {Output.Describe()}; {stage} since {seconds} s{end}{reason}";
    }

    /// <summary>Await it to continue on the reactor, unless application code belongs on the thread pool.</summary>
    /// <remarks>Threads: any.</remarks>
    [Experimental("IOX1001")]
    public SwitchToReactor EnterAsync() => new(Options.ResumeOnThreadPool ? null : Reactor);

    /// <summary>Whether an await of a read or flush resumes on the thread pool. Threads: any.</summary>
    /// <param name="isElsewhere">The wait began on another thread than the reactor's.</param>
    internal bool ResumesOnPool(bool isElsewhere) => ResumesOnThreadPool || (isElsewhere && IsHandledOnPool);

    /// <summary>The error that readers get when the connection did not end by a clean FIN.</summary>
    internal Exception MakeError() => _cause.ToError(Options);

    /// <summary>A second descriptor for the socket, or <c>-errno</c>. Threads: any; a closed connection gives EBADF.</summary>
    internal int Duplicate()
    {
        // The descriptor must not be closed and reused between the check and the call.
        using HeldLock held = _descriptorLock.Hold();
        return CanReceive ? Reactor.Kernel.Duplicate(_descriptor) : -Errno.EBADF;
    }

    internal void MarkDirty()
    {
        if (!_isDirty)
        {
            _isDirty = true;
            Reactor.MarkDirty(this);
        }
    }

    void ICompletionTarget.Complete(OperationKind kind, int result, uint flags)
    {
        switch (kind)
        {
            case OperationKind.Receive:
                Receiver.Completed(result, flags);
                break;
            case OperationKind.Send:
                Sender.Completed(result);
                break;
            case OperationKind.Close:
                CloseCompleted(result);
                break;
            case OperationKind.CancelReceive:
                Receiver.CancelCompleted(result);
                TryFinish();
                break;
            case OperationKind.CancelSend:
                Sender.CancelCompleted(result);
                TryFinish();
                break;
            default:
                Reactor.Kernel.Fail($"a connection got the completion of {kind}", Describe());
                break;
        }
    }
}
