namespace Ioxide;

/// <summary>One outbound connect. It owns the socket and the address until the last completion.</summary>
internal sealed unsafe class ConnectOperation : ICompletionTarget
{
    private readonly Reactor _reactor;
    private readonly EndPoint _endPoint;
    private readonly RingConnectionOptions _options;
    private readonly CancellationToken _cancellationToken;
    private readonly TaskCompletionSource<RingConnection> _completion = new();
    private CancellationTokenRegistration _registration;
    private byte* _address;
    private int _descriptor = -1;
    private int _slotIndex;
    private int? _result;
    private bool _isCancelRequested;
    private Exception? _reactorEnded;

    private ConnectOperation(Reactor reactor, EndPoint endPoint, RingConnectionOptions options, CancellationToken cancellationToken)
    {
        _reactor = reactor;
        _endPoint = endPoint;
        _options = options;
        _cancellationToken = cancellationToken;
    }

    internal static ValueTask<RingConnection> StartAsync(
        Reactor reactor, EndPoint endPoint, RingConnectionOptions options, CancellationToken cancellationToken)
    {
        options.Validate();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<RingConnection>(cancellationToken);
        }

        // What cannot be written is the caller's error: on the reactor, it would have no one to go to.
        _ = SocketAddress.Write(endPoint, stackalloc byte[SocketAddress.MaxLengthBytes]);
        var operation = new ConnectOperation(reactor, endPoint, options.Clone(), cancellationToken);
        if (IoxideEventSource.Log.IsEnabled())
        {
            HostCalls.CallOut(static endPoint => IoxideEventSource.Log.ConnectStart(endPoint.ToString()!), endPoint);
        }

        if (reactor.IsCurrent)
        {
            operation.Start();
        }
        else if (!reactor.TryEnqueue(operation, static operation => operation.Start()))
        {
            operation.End(new ObjectDisposedException($"Reactor {reactor.Id} has ended."));
        }

        return new ValueTask<RingConnection>(operation._completion.Task);
    }

    public string Describe() => $"connect to {_endPoint}{(_isCancelRequested ? ", cancelling" : "")}";

    public void Complete(OperationKind kind, int result, uint flags)
    {
        if (kind == OperationKind.Connect)
        {
            _result = result;
            _registration.Unregister();
        }
        else
        {
            _reactor.CompleteCancel(kind, OperationKind.Connect, _slotIndex, result, isInFlight: _result is null);
        }

        if (_reactor.Operations.InFlightOf(_slotIndex) == 0)
        {
            _reactor.Operations.Remove(_slotIndex);
            NativeMemory.Free(_address);
            _address = null;
            Finish(_result!.Value);
        }
    }

    public void ReactorEnded(Exception reason)
    {
        _reactorEnded = reason;
        Cancel();
    }

    /// <remarks>The address stays: the kernel may still read it.</remarks>
    public void EndWithoutRing(Exception reason)
    {
        // A cancel may be on its way here, and must not make an entry.
        _isCancelRequested = true;
        _registration.Unregister();
        _ = _reactor.Kernel.Close(_descriptor);
        End(reason);
    }

    private void Start()
    {
        if (!_reactor.CanStart)
        {
            End(new ObjectDisposedException($"Reactor {_reactor.Id} has ended."));
            return;
        }

        _descriptor = _reactor.Kernel.Socket(
            SocketAddress.Family(_endPoint), SocketConstants.TypeStream | SocketConstants.CloseOnExec, 0);
        if (_descriptor < 0)
        {
            End(Errno.ToSocketException(-_descriptor, "open a socket"));
            return;
        }

        try
        {
            _slotIndex = _reactor.Operations.Add(this);
        }
        catch (InvalidOperationException full)
        {
            _ = _reactor.Kernel.Close(_descriptor);
            End(full);
            return;
        }

        if (_endPoint is IPEndPoint)
        {
            SetTcpOptions();
        }

        _address = (byte*)NativeMemory.AllocZeroed(SocketAddress.MaxLengthBytes);
        uint length = SocketAddress.Write(_endPoint, new Span<byte>(_address, SocketAddress.MaxLengthBytes));
        Sqe* entry = _reactor.Prepare(OperationKind.Connect, _slotIndex);
        entry->Opcode = Opcode.Connect;
        entry->Descriptor = _descriptor;
        entry->Address = (ulong)_address;
        entry->Offset = length;
        if (_cancellationToken.CanBeCanceled)
        {
            _registration = _cancellationToken.UnsafeRegister(
                static operation =>
                {
                    var self = (ConnectOperation)operation!;
                    self._reactor.Enqueue(self, static operation => operation.Cancel());
                },
                this);
        }
    }

    private void Cancel()
    {
        if (_result is null && !_isCancelRequested && _address is not null)
        {
            _isCancelRequested = true;
            _reactor.PrepareCancel(OperationKind.CancelConnect, OperationKind.Connect, _slotIndex);
        }
    }

    private void Finish(int result)
    {
        if (result == 0 && _reactorEnded is null && !_cancellationToken.IsCancellationRequested)
        {
            End(null, new RingConnection(_reactor, _descriptor, _options, null, null));
            return;
        }

        _ = _reactor.Kernel.Close(_descriptor);
        End(_reactorEnded ?? (_cancellationToken.IsCancellationRequested
            ? new OperationCanceledException(_cancellationToken)
            : Errno.ToSocketException(-result, $"connect to {_endPoint}")));
    }

    private void End(Exception? error, RingConnection? connection = null)
    {
        if (IoxideEventSource.Log.IsEnabled())
        {
            HostCalls.CallOut(static error => IoxideEventSource.Log.ConnectEnded(error), error);
        }

        using ContextScope scope = _reactor.EnterApplication();
        if (error is null)
        {
            _completion.SetResult(connection!);
        }
        else
        {
            _completion.SetException(error);
        }
    }

    private void SetTcpOptions()
    {
        if (_options.NoDelay)
        {
            SetTcp(SocketConstants.OptionNoDelay, 1);
        }

        if (_options.KeepAliveTime is { } idle)
        {
            _ = _reactor.Kernel.SetSocketOption(_descriptor, SocketConstants.LevelSocket, SocketConstants.OptionKeepAlive, 1);
            SetTcp(SocketConstants.OptionKeepAliveIdle, (int)idle.TotalSeconds);
            SetTcp(SocketConstants.OptionKeepAliveInterval, (int)_options.KeepAliveInterval.TotalSeconds);
            SetTcp(SocketConstants.OptionKeepAliveCount, _options.KeepAliveCount);
        }

        if (_options.UserTimeout is { } limit)
        {
            SetTcp(SocketConstants.OptionUserTimeout, (int)Math.Min(int.MaxValue, limit.TotalMilliseconds));
        }
    }

    private void SetTcp(int option, int value)
        => _ = _reactor.Kernel.SetSocketOption(_descriptor, SocketConstants.LevelTcp, option, value);
}
