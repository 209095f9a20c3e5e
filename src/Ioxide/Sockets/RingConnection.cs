using System.IO.Pipelines;
using System.Net;

namespace Ioxide;

/// <summary>One stream socket (TCP or unix) on a reactor's ring: receiving, sending and closing.</summary>
/// <remarks>
/// <para>It holds what both directions share: the socket, its addresses, how it is handled, and its end (.Close). <see cref="ReceivePipe"/>
/// receives and <see cref="SendPipe"/> sends. It has 23 fields, because each belongs to the whole connection.</para>
/// <para>It belongs to one reactor. Members may be called from any thread; work for the reactor is posted there.</para>
/// <para>An object serves one connection and is never reused, so a stale reference cannot harm another connection. Only memory that
/// the kernel sees is pooled, and only when no operation names it.</para>
/// </remarks>
public sealed partial class RingConnection : IDuplexPipe, ICompletionTarget, IAsyncDisposable
{
    private static readonly Action<object?, object?, long, long> s_cancelClosed =
        static (source, _, _, _) => ((CancellationTokenSource)source!).Cancel();

    private readonly int _slotIndex;
    private readonly RingListener.Acceptor? _acceptor;
    private int _descriptor;
    private bool _isDirty;
    private CancellationTokenSource? _closedSource;
    private bool _isClosedRaised;

    /// <param name="reactor">The reactor of the calling thread.</param>
    /// <param name="descriptor">A connected socket, close-on-exec. The connection owns it from here on.</param>
    /// <param name="options">Limits.</param>
    /// <param name="localEndPoint">The bound address, or null to ask the kernel.</param>
    /// <param name="acceptor">The acceptor, notified when the connection is closed.</param>
    internal RingConnection(
        Reactor reactor, int descriptor, RingConnectionOptions options, EndPoint? localEndPoint, RingListener.Acceptor? acceptor)
    {
        Reactor = reactor;
        Options = options;
        ResumesOnThreadPool = options.ResumeOnThreadPool;
        _descriptor = descriptor;
        _acceptor = acceptor;
        LocalEndPoint = localEndPoint ?? SocketAddress.LocalOf(reactor.Kernel, descriptor);
        RemoteEndPoint = SocketAddress.RemoteOf(reactor.Kernel, descriptor);
        Receiver = new ReceivePipe(this);
        Output = new SendPipe(this);
        _slotIndex = reactor.Operations.Add(this);
        reactor.ConnectionOpened(this);
        Receiver.Arm();
    }

    /// <summary>The connection's reactor.</summary>
    public Reactor Reactor { get; }

    /// <summary>Received bytes: a reader over the reactor's buffers. Awaits complete on the reactor.</summary>
    public PipeReader Input => Receiver;

    /// <summary>Bytes to send. Completing it sends the end of the stream behind the last byte; reading may continue.</summary>
    public SendPipe Output { get; }

    PipeWriter IDuplexPipe.Output => Output;

    /// <summary>The local address.</summary>
    public EndPoint? LocalEndPoint { get; }

    /// <summary>The peer's address, or null if the peer was gone before it could be queried.</summary>
    public EndPoint? RemoteEndPoint { get; }

    /// <summary>Why the connection ended, or <see cref="CloseReason.None"/> while it is open.</summary>
    public CloseReason CloseReason { get; private set; }

    /// <summary>
    /// Cancelled at once when the peer has sent its last byte or reset the connection, or when this side aborted or closed it,
    /// even without a pending read.
    /// </summary>
    /// <remarks>Threads: any. Registrations run on the reactor, or on the pool with <see cref="RingConnectionOptions.ResumeOnThreadPool"/>.</remarks>
    public CancellationToken ConnectionClosed
    {
        get
        {
            if (Volatile.Read(ref _closedSource) is { } existing)
            {
                return existing.Token;
            }

            var created = new CancellationTokenSource();
            CancellationTokenSource source = Interlocked.CompareExchange(ref _closedSource, created, null) ?? created;
            if (Volatile.Read(ref _isClosedRaised))
            {
                source.Cancel();
            }

            return source.Token;
        }
    }

    /// <summary>The receiving side: <see cref="Input"/> and its operations.</summary>
    internal ReceivePipe Receiver { get; }

    /// <summary>An object of the host for this connection, such as its context.</summary>
    internal object? Tag { get; set; }

    /// <summary>The acceptor; null for an outbound connection.</summary>
    internal RingListener? Listener { get; init; }

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

    /// <summary>Await it to continue on the reactor, unless application code belongs on the thread pool.</summary>
    /// <remarks>Threads: any.</remarks>
    internal ReactorEntry EnterAsync() => new(Options.ResumeOnThreadPool ? null : Reactor);

    /// <summary>Whether an await of a read or flush resumes on the thread pool. Threads: any.</summary>
    /// <param name="isElsewhere">The wait began on another thread than the reactor's.</param>
    internal bool ResumesOnPool(bool isElsewhere) => ResumesOnThreadPool || (isElsewhere && IsHandledOnPool);

    /// <summary>The error that readers get when the connection did not end by a clean FIN.</summary>
    internal Exception MakeError()
    {
        CloseReason reason = CloseReason == CloseReason.None ? CloseReason.ReactorEnded : CloseReason;
        return Options.ErrorFactory?.Invoke(reason, _closeCause) ?? new IOException(
            reason switch
            {
                CloseReason.PeerReset => "The peer reset the connection.",
                CloseReason.TimedOut => "The connection timed out.",
                CloseReason.Aborted => "The connection was aborted by this side.",
                CloseReason.ReactorEnded => "The reactor of the connection has ended.",
                _ => "The connection is closed.",
            },
            _closeCause);
    }

    /// <summary>A second descriptor for the socket, or <c>-errno</c>. Threads: any; a closed connection gives EBADF.</summary>
    internal int Duplicate()
    {
        // The descriptor must not be closed and reused between the check and the call.
        lock (Receiver)
        {
            return CanReceive ? Reactor.Kernel.Duplicate(_descriptor) : -Errno.EBADF;
        }
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
                Output.Completed(result);
                break;
            case OperationKind.Close:
                CloseCompleted(result);
                break;
            case OperationKind.CancelReceive:
            case OperationKind.CancelSend:
                // 0, ENOENT and EALREADY all mean the same here: the operation has its own last completion.
                TryFinish();
                break;
            default:
                Reactor.Kernel.Fail($"a connection got the completion of {kind}");
                break;
        }
    }

    private void RaiseClosed()
    {
        if (_isClosedRaised)
        {
            return;
        }

        Volatile.Write(ref _isClosedRaised, true);

        // Orders the flag before the read of the source; pairs with the exchange in ConnectionClosed.
        Interlocked.MemoryBarrier();
        if (_closedSource is not { } source)
        {
            return;
        }

        if (Options.ResumeOnThreadPool)
        {
            Reactor.Kernel.QueueToThreadPool(static source => source.Cancel(), source);
        }
        else
        {
            // A turn after the reader: an immediate answer to the end of the input, such as Kestrel's 400 to half a request, is then on
            // its way before Kestrel reacts to this by dropping the connection.
            Reactor.EnqueueOrElsewhere(new WorkItem(
                static (reactor, source, _, _) =>
                    ((Reactor)reactor!).EnqueueOrElsewhere(new WorkItem(s_cancelClosed, source, Owner: WorkOwner.Application)),
                Reactor,
                source));
        }
    }
}
