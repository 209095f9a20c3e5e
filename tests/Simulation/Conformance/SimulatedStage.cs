using System.Net;

namespace Ioxide.Simulation;

/// <summary>A stage on the simulated kernel.</summary>
internal sealed class SimulatedStage : Stage
{
    private const int SendCapacityBytes = 128 * 1024;

    private readonly SimulatedKernel _kernel;
    private readonly QuietHost _host;
    private readonly Dictionary<ListenPlace, ListeningSocket> _listeners = [];
    private ConnectTarget _connectTarget;
    private StreamSocket? _connected;
    private Operation? _waitingConnect;

    internal SimulatedStage(KernelFaults? faults = null) : this(new QuietHost(), faults ?? new KernelFaults())
    {
    }

    private SimulatedStage(QuietHost host, KernelFaults faults) : this(host, new SimulatedKernel(host, new Dice(1), faults))
    {
    }

    private SimulatedStage(QuietHost host, SimulatedKernel kernel) : base(kernel)
    {
        _host = host;
        _kernel = kernel;
        _host.OnConnect = AnswerConnect;
    }

    public override void Dispose()
    {
        base.Dispose();
        _kernel.Dispose();
    }

    protected override Pair MakePair(int clientNumber)
    {
        SimulatedClient client = MakeClient(clientNumber, out StreamSocket socket);
        return new Pair(_kernel.Open(socket), client);
    }

    protected override Client? MakeClient(ListenPlace listener, int clientNumber)
    {
        ListeningSocket listening = _listeners[listener];
        if (listening.IsClosed)
        {
            return null;
        }

        SimulatedClient client = MakeClient(clientNumber, out StreamSocket socket);
        listening.Backlog.Enqueue(socket);
        _kernel.WakeFile(listening);
        return client;
    }

    protected override void Listening(ListenPlace place) => _listeners.Add(place, (ListeningSocket)_kernel.FileOf(place.Number)!);

    protected override EndPoint Prepare(ConnectTarget target)
    {
        _connectTarget = target;
        return new IPEndPoint(IPAddress.Loopback, 1);
    }

    protected override void Answer(Place place) => _kernel.FinishConnect(_waitingConnect!, 0);

    protected override Client MakeFarEnd(Place place, int clientNumber)
    {
        var client = new SimulatedClient(this, clientNumber, _connected!);
        _connected!.Peer = client;
        return client;
    }

    protected override void While(Action action, Action wait)
    {
        const long MillisecondNs = 1_000_000;
        _host.HappenAt(_kernel, _kernel.NowNs + MillisecondNs, action);
        wait();
    }

    protected override IEnumerable<string> LeftInKernel()
    {
        foreach (string violation in _host.Violations)
        {
            yield return violation;
        }

        if (_kernel.InFlight > 0)
        {
            yield return $"{_kernel.InFlight} operations in the kernel";
        }
    }

    protected override IEnumerable<string> LeftOpen() => _kernel.OpenDescriptors == 0 ? [] : [$"{_kernel.OpenDescriptors} open descriptors"];

    private SimulatedClient MakeClient(int number, out StreamSocket socket)
    {
        socket = new StreamSocket(_kernel, number, Client.InboundKeyOf(number), SendCapacityBytes);
        var client = new SimulatedClient(this, number, socket);
        socket.Peer = client;
        return client;
    }

    private void AnswerConnect(Operation operation)
    {
        // The far end has the number that the next client gets.
        int number = ClientCount + 1;
        var socket = new StreamSocket(_kernel, number, Client.InboundKeyOf(number), SendCapacityBytes);
        _kernel.BecomeStream(operation, socket);
        if (_connectTarget == ConnectTarget.Accepting)
        {
            _connected = socket;
            _kernel.FinishConnect(operation, 0);
        }
        else if (_connectTarget == ConnectTarget.Refusing)
        {
            _kernel.FinishConnect(operation, -Errno.ECONNREFUSED);
        }
        else
        {
            _waitingConnect = operation;
        }
    }
}
