using System.Net;

namespace Ioxide.Simulation;

/// <summary>One ring through the shipped classes, what a script may do with it, and a transcript.</summary>
/// <remarks>
/// Lines that begin with &gt; say what the script did, the others what came of it. Descriptors have no place in them:
/// their numbers are not a kernel's promise, but that a number is given again is. A stage belongs to one thread.
/// </remarks>
internal abstract partial class Stage : IDisposable
{
    private const int BacklogLength = 16;

    // Above the limit of descriptors of any host that runs tests.
    private const int NumberOfNothing = 1 << 30;

    private readonly List<string> _transcript = [];
    private readonly List<Place> _places = [];
    private readonly List<Client> _clients = [];
    private readonly Dictionary<ushort, LentBuffers> _groups = [];
    private Ring? _ring;

    protected Stage(Kernel kernel) => Kernel = kernel;

    internal Kernel Kernel { get; }

    internal IReadOnlyList<string> Transcript => _transcript;

    private Ring Ring => _ring ?? OpenRing();

    internal void Note(string line) => _transcript.Add(line);

    /// <summary>Opens the ring; a script that does not call it gets queues that are long enough.</summary>
    internal Ring OpenRing(uint sqEntries = 64, uint cqEntries = 128)
    {
        _ring = Ring.Create(new RingOptions(sqEntries, cqEntries), Kernel);
        _ring.Enable();
        return _ring;
    }

    /// <summary>Registers a group of buffers and lends them all.</summary>
    /// <param name="count">A power of two.</param>
    /// <param name="sizeBytes">Bytes of one buffer.</param>
    /// <param name="group">Its number.</param>
    internal LentBuffers Lend(int count, int sizeBytes, ushort group = 0)
    {
        var buffers = new LentBuffers(new BufferRing(Ring, group, sizeBytes, count, count));
        _groups.Add(group, buffers);
        return buffers;
    }

    /// <summary>Takes a group from the kernel; no receive may use it.</summary>
    internal void TakeBack(LentBuffers buffers)
    {
        _groups.Remove(buffers.Group);
        buffers.Dispose();
        Note($"> group {buffers.Group} is taken back");
    }

    /// <summary>Registers a group whose number is taken.</summary>
    internal void LendTwice(LentBuffers buffers)
    {
        RingUnavailableException refusal = Assert.Throws<RingUnavailableException>(
            () => new BufferRing(Ring, buffers.Group, bufferSizeBytes: 64, initialCount: 1, maxCount: 1));
        Note($"> group {buffers.Group} again: {Errno.Name(refusal.ErrorNumber)}");
    }

    /// <summary>A second descriptor for the same socket.</summary>
    internal Place Duplicate(Pair pair) => Keep(new Place(Kernel.Duplicate(pair.Number), $"second descriptor of {pair.Name}"));

    /// <summary>A connection and the client at its other end.</summary>
    internal Pair Connect()
    {
        Pair pair = MakePair(NextClientNumber());
        pair.Client.Pair = pair;
        _clients.Add(pair.Client);
        _places.Add(pair);
        return pair;
    }

    /// <summary>Buffers of the first group, and a connection.</summary>
    internal Pair Connect(int lentCount, int sizeBytes)
    {
        Lend(lentCount, sizeBytes);
        return Connect();
    }

    /// <summary>A connection with a receive ("receive") on a group of buffers that was lent for it.</summary>
    internal Pair Arm(int count = 4, int sizeBytes = 64) => Arm(count, sizeBytes, out _);

    /// <inheritdoc cref="Arm(int, int)"/>
    internal Pair Arm(int count, int sizeBytes, out LentBuffers buffers)
    {
        buffers = Lend(count, sizeBytes);
        Pair pair = Connect();
        Receive("receive", pair);
        return pair;
    }

    /// <summary>The same, and the kernel has seen that nothing is there yet.</summary>
    internal Pair Armed()
    {
        Pair pair = Arm();
        Collect(0);
        return pair;
    }

    /// <summary>A number that no descriptor has.</summary>
    internal static Pair Nowhere(Pair pair) => new(NumberOfNothing, pair.Client) { IsOpen = false };

    internal ListenPlace Listen()
    {
        int number = ListenOnLoopback(BacklogLength, out EndPoint endPoint);
        var place = new ListenPlace(number, "listener", endPoint);
        _places.Add(place);
        Listening(place);
        return place;
    }

    /// <summary>A client that waits to be accepted; null where nobody listens any more.</summary>
    internal Client? ConnectTo(ListenPlace listener)
    {
        int number = NextClientNumber();
        Client? client = MakeClient(listener, number);
        Note($"> client {number} {(client is null ? "is refused" : "connects")}");
        if (client is not null)
        {
            _clients.Add(client);
            listener.Waiting.Enqueue(client);
        }

        return client;
    }

    /// <summary>Accepts a client by a call, outside of the ring.</summary>
    internal Pair AcceptNow(ListenPlace listener) => Accepted(listener, Kernel.Accept(listener.Number, SocketConstants.CloseOnExec));

    internal Place MakeEvent()
    {
        var place = new Place(Kernel.EventDescriptor(), "event");
        _places.Add(place);
        return place;
    }

    internal unsafe Stage Write(Place counter)
    {
        ulong one = 1;
        Note($"> write to the {counter.Name}: {Kernel.Write(counter.Number, &one, sizeof(ulong))}");
        return this;
    }

    internal void Shutdown(Place place, int how)
        => Note($"> shut {place.Name} down ({(how == SocketConstants.ShutdownWrite ? "write" : "both")}): "
            + Name(Kernel.Shutdown(place.Number, how)));

    /// <summary>Closes by a call, outside of the ring.</summary>
    internal void CloseNow(Place place)
    {
        place.IsOpen = false;
        Note($"> close {place.Name} by a call: {Name(Kernel.Close(place.Number))}");
    }

    /// <summary>Whoever shares the socket makes it non-blocking.</summary>
    internal void MakeNonBlocking(Pair pair)
    {
        _ = Kernel.SetNonBlocking(pair.Number, isNonBlocking: true);
        Note($"> {pair.Name} is non-blocking");
    }

    internal unsafe void ResetOnClose(Pair pair)
    {
        // struct linger, on for 0 seconds.
        ulong resetOnClose = 1;
        int result = Kernel.SetSocketOption(pair.Number, SocketConstants.LevelSocket, SocketConstants.OptionLinger, &resetOnClose, sizeof(ulong));
        Note($"> {pair.Name} resets on close: {Name(result)}");
    }

    /// <summary>Takes every free number up to this one, so that what is closed next is what is given next.</summary>
    internal void FillNumbersUpTo(Place place)
    {
        while (MakeEvent().Number < place.Number)
        {
        }
    }

    internal void NoteWaitingBytes(Pair pair) => Note($"{Kernel.BytesAvailable(pair.Number)} bytes wait on {pair.Name}");

    internal void NoteOverflowFlag()
    {
        bool isSet = (Ring.Sq.Flags & SubmissionQueueFlags.CompletionOverflow) != 0;
        Note($"the overflow flag is {(isSet ? "set" : "clear")}");
    }

    /// <summary>Cancels what still runs, closes everything, and returns what is left all the same.</summary>
    internal IReadOnlyList<string> End()
    {
        Note("> end");
        CancelAll();
        foreach (Place place in _places.Where(static place => place.IsOpen))
        {
            place.IsOpen = false;
            _ = Kernel.Close(place.Number);
        }

        var left = new List<string>();
        left.AddRange(from submission in _submissions where !submission.IsOver select $"{submission.Name} never ended");
        left.AddRange(LeftInKernel());
        Dispose();
        left.AddRange(LeftOpen());
        return left;
    }

    public virtual void Dispose()
    {
        foreach (Client client in _clients)
        {
            client.Dispose();
        }

        foreach (LentBuffers buffers in _groups.Values)
        {
            buffers.Dispose();
        }

        if (_ring is { IsDisposed: false })
        {
            _ring.ReleaseThread();
            _ring.Dispose();
        }
    }

    /// <summary>Makes a connection whose client has this number.</summary>
    protected abstract Pair MakePair(int clientNumber);

    /// <summary>Connects a client to a listener; null where it is refused.</summary>
    protected abstract Client? MakeClient(ListenPlace listener, int clientNumber);

    /// <summary>What the target of a connect needs; the endpoint to connect to.</summary>
    protected abstract EndPoint Prepare(ConnectTarget target);

    /// <summary>Lets a silent target answer, and returns when the connection is there, without entering.</summary>
    protected abstract void Answer(Place place);

    /// <summary>The client at the other end of a connect that succeeded.</summary>
    protected abstract Client MakeFarEnd(Place place, int clientNumber);

    /// <summary>Lets the action happen while the stage waits.</summary>
    protected abstract void While(Action action, Action wait);

    protected virtual void Listening(ListenPlace place)
    {
    }

    /// <summary>Sets what every connection of this stage needs.</summary>
    /// <summary>Returns when the peer has acknowledged all it took: then no room comes any more without a read.</summary>
    protected virtual void Settle(Pair pair)
    {
    }

    protected virtual void Configure(int descriptor)
    {
    }

    /// <summary>What the kernel still runs or complained of, while the ring is there.</summary>
    protected abstract IEnumerable<string> LeftInKernel();

    /// <summary>Descriptors that are open after everything was closed.</summary>
    protected abstract IEnumerable<string> LeftOpen();

    /// <summary>Clients so far; the next one has the number behind it.</summary>
    protected int ClientCount { get; private set; }

    private int NextClientNumber() => ++ClientCount;

    /// <summary>Keeps a place that is closed at the end.</summary>
    protected Place Keep(Place place)
    {
        _places.Add(place);
        return place;
    }

    protected unsafe int ListenOnLoopback(int backlog, out EndPoint endPoint)
    {
        int number = Kernel.Socket(
            SocketConstants.FamilyInternet,
            SocketConstants.TypeStream | SocketConstants.CloseOnExec | SocketConstants.NonBlocking,
            0);
        byte* address = stackalloc byte[SocketAddress.MaxLengthBytes];
        var any = new IPEndPoint(IPAddress.Loopback, 0);
        uint length = SocketAddress.Write(any, new Span<byte>(address, SocketAddress.MaxLengthBytes));
        Assert.Equal(0, Kernel.Bind(number, address, length));
        if (backlog >= 0)
        {
            Assert.Equal(0, Kernel.Listen(number, backlog));
        }

        endPoint = SocketAddress.LocalOf(Kernel, number)!;
        return number;
    }

    private Pair Accepted(ListenPlace listener, int descriptor)
    {
        Assert.True(descriptor >= 0, $"accept gave {descriptor}");
        Configure(descriptor);
        Client client = listener.Waiting.Dequeue();
        var pair = new Pair(descriptor, client);
        client.Pair = pair;
        _places.Add(pair);
        return pair;
    }
}
