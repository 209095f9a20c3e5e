using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Ioxide.Simulation;

/// <summary>A kernel in memory: descriptors, sockets, one ring, and a clock that moves when the host lets it.</summary>
/// <remarks>
/// It does what Linux 6.18 was measured to do, and what it may do. It runs on the thread of the reactor, inside its calls:
/// there is no other thread, so a seed is a run.
/// </remarks>
internal sealed unsafe partial class SimulatedKernel : Ioxide.Kernel, IDisposable
{
    private const int InternetAddressBytes = 16;

    private readonly Dice _dice;
    private readonly List<SimulatedFile?> _descriptors = [];
    private readonly List<nint> _memory = [];
    private readonly List<ListeningSocket> _listeners = [];

    internal SimulatedKernel(KernelHost host, Dice dice, KernelFaults faults)
    {
        Host = host;
        _dice = dice;
        _ring = _rings[0];
        Faults = faults;
    }

    internal KernelHost Host { get; }

    internal KernelFaults Faults { get; }

    /// <summary>The clock, in nanoseconds.</summary>
    internal long NowNs { get; set; } = 1_000_000_000;

    /// <summary>Where clients arrive; null before there is one. Of several, the last.</summary>
    internal ListeningSocket? Listener => _listeners.Count == 0 ? null : _listeners[^1];

    /// <summary>All sockets that have listened.</summary>
    internal IReadOnlyList<ListeningSocket> Listeners => _listeners;

    internal int OpenDescriptors => _descriptors.Count(static file => file is not null);

    internal SimulatedFile? FileOf(int descriptor) => (uint)descriptor < (uint)_descriptors.Count ? _descriptors[descriptor] : null;

    /// <summary>Gives the file the lowest free number, or <c>-EMFILE</c>.</summary>
    internal int Open(SimulatedFile file)
    {
        int number = _descriptors.IndexOf(null);
        if (number < 0)
        {
            number = _descriptors.Count;
            if (number < Faults.DescriptorLimit)
            {
                _descriptors.Add(null);
            }
        }

        if (number >= Faults.DescriptorLimit)
        {
            return -Errno.EMFILE;
        }

        if (_lastClosedInUse == number)
        {
            Mark("close: descriptor reused while an operation is in flight");
        }

        _descriptors[number] = file;
        file.Descriptors++;
        return number;
    }

    /// <summary>The socket of a connect turns into the one that the peer is at the other end of.</summary>
    internal void BecomeStream(Operation operation, StreamSocket socket)
    {
        SimulatedFile unbound = operation.File!;
        unbound.Waiting.Remove(operation);
        _descriptors[operation.Entry.Descriptor] = socket;
        unbound.Descriptors--;
        unbound.LetGo();
        socket.Descriptors++;
        socket.Hold();
        socket.Waiting.Add(operation);
        operation.File = socket;
    }

    internal void Mark(string mark) => Host.Marked(mark);

    internal void Violate(string what) => Host.Violated(what);

    /// <summary>Frees what is still mapped; a run that ended in a violation leaves it.</summary>
    public void Dispose()
    {
        foreach (nint address in _memory)
        {
            NativeMemory.Free((void*)address);
        }

        _memory.Clear();
    }

    internal override long Timestamp()
    {
        NowNs += 50;
        Host.Interleave();
        Host.MayTurnOthers();
        return NowNs;
    }

    internal override ThreadSchedule? OpenThreadSchedule() => null;

    internal override void Yield()
    {
        NowNs += 300;
        Host.Interleave();
        Host.MayTurnOthers();
    }

    /// <summary>Who looks at a reactor meanwhile does so on a thread of its own, and there is none here.</summary>
    internal override Task DelayAsync(TimeSpan delay) => new TaskCompletionSource().Task;

    internal override void Sleep(int milliseconds) => NowNs += milliseconds * 1_000_000L;

    internal override int Close(int fd)
    {
        CheckAlive("close");
        return CloseAny(fd);
    }

    /// <summary>A descriptor that is none of the runtime's.</summary>
    internal void CloseOfApplication(int fd) => _ = CloseAny(fd);

    private int CloseAny(int fd)
    {
        if (_rings.Find(ring => ring.Descriptor == fd) is { IsClosed: false, IsMade: true } ring)
        {
            CloseRing(ring);
            return 0;
        }

        if (FileOf(fd) is not { } file)
        {
            return -Errno.EBADF;
        }

        _lastClosedInUse = file.Operations > 0 ? fd : -1;
        _descriptors[fd] = null;
        file.Descriptors--;
        file.ReleaseIfUnused();
        return 0;
    }

    internal override int Socket(int family, int type, int protocol) => Open(new ListeningSocket(Host));

    internal override int Bind(int fd, byte* address, uint length)
    {
        ((ListeningSocket)FileOf(fd)!).Port = BinaryPrimitives.ReadUInt16BigEndian(new ReadOnlySpan<byte>(address + 2, 2));
        return 0;
    }

    internal override int Listen(int fd, int backlog)
    {
        _listeners.Add((ListeningSocket)FileOf(fd)!);
        return 0;
    }

    internal override int Accept(int fd, int flags)
    {
        CheckAlive("accept");
        if (FileOf(fd) is not ListeningSocket listener)
        {
            return -Errno.EBADF;
        }

        if (listener.IsShutDown)
        {
            return -Errno.EINVAL;
        }

        if (!listener.Backlog.TryPeek(out StreamSocket? socket))
        {
            return -Errno.EAGAIN;
        }

        if (_dice.Chance(Faults.AcceptError))
        {
            Mark("accept: a client in the queue was gone");
            return -Errno.ECONNABORTED;
        }

        int descriptor = Open(socket);
        if (descriptor >= 0)
        {
            listener.Backlog.Dequeue();
        }

        return descriptor;
    }

    internal override int Shutdown(int fd, int how)
    {
        CheckAlive("shutdown");
        if (FileOf(fd) is ListeningSocket listener)
        {
            listener.ShutDown();
            WakeFile(listener);
            return 0;
        }

        Host.Interleave();
        if (FileOf(fd) is not StreamSocket socket)
        {
            return -Errno.EBADF;
        }

        if (socket.IsReset || socket.IsOver)
        {
            return -Errno.ENOTCONN;
        }

        socket.Shut(read: how == SocketConstants.ShutdownBoth, write: true);
        return 0;
    }

    internal override int SetSocketOption(int fd, int level, int option, void* value, uint length)
    {
        CheckAlive("setsockopt");
        if (FileOf(fd) is not { } file)
        {
            return -Errno.EBADF;
        }

        if (level == SocketConstants.LevelSocket && option == SocketConstants.OptionLinger && file is StreamSocket socket)
        {
            socket.ResetOnClose();
        }

        return 0;
    }

    internal override int GetSocketOption(int fd, int level, int option, void* value, uint* length)
    {
        const int AcknowledgedOffset = 120;
        if (FileOf(fd) is not StreamSocket socket || level != SocketConstants.LevelTcp
            || option != SocketConstants.OptionTcpInfo)
        {
            return -Errno.EINVAL;
        }

        *(ulong*)((byte*)value + AcknowledgedOffset) = (ulong)socket.AcknowledgedBytes;
        *length = SocketConstants.TcpInfoBytes;
        return 0;
    }

    internal override int GetSocketName(int fd, byte* address, uint* length)
        => WriteAddress(address, length, FileOf(fd) is ListeningSocket listener ? listener.Port : 80);

    internal override int GetPeerName(int fd, byte* address, uint* length)
        => FileOf(fd) is StreamSocket socket ? WriteAddress(address, length, socket.Port) : -Errno.ENOTCONN;

    internal override int EventDescriptor() => Open(new EventCounter());

    internal override int Write(int fd, void* buffer, nuint length)
    {
        CheckAlive("write");
        if (FileOf(fd) is not EventCounter counter)
        {
            return -Errno.EBADF;
        }

        if (!_ring.IsInEnter)
        {
            Mark("wake: between the look and the sleep");
        }

        counter.Value += *(ulong*)buffer;
        WakeFile(counter);
        return sizeof(ulong);
    }

    internal override PagePipe? OpenPagePipe(out CallRefusal refusal)
    {
        refusal = default;
        return new(-1, -1, -1);
    }

    internal override int Send(int fd, void* buffer, nuint length, uint flags)
    {
        Mark("send: by a call");
        return TakeAtOnce(fd, buffer, length);
    }

    internal override int SendPages(PagePipe pipe, int fd, void* memory, nuint length)
    {
        Mark("send: by pages");
        return TakeAtOnce(fd, memory, length);
    }

    private int TakeAtOnce(int fd, void* memory, nuint length)
    {
        CheckAlive("send");
        Host.Interleave();
        if (FileOf(fd) is not StreamSocket socket)
        {
            return -Errno.EBADF;
        }

        if (_rings.Exists(ring => ring.InFlight.Exists(
            operation => operation.File == socket && operation.Opcode is Opcode.Send or Opcode.SendMessage)))
        {
            Violate("a call sends on a socket while a send is in flight");
        }

        if (socket.IsReset || socket.IsWriteShut)
        {
            bool isFirst = socket.HasError;
            socket.HasError = false;
            return isFirst ? -Errno.ECONNRESET : -Errno.EPIPE;
        }

        int room = (int)Math.Min((nuint)socket.SendRoom, length);
        if (room > 1 && _dice.Chance(Faults.ShortSend))
        {
            room = _dice.Between(1, room);
        }

        if (room == 0)
        {
            return -Errno.EAGAIN;
        }

        socket.TakeSent(new ReadOnlySpan<byte>(memory, room));
        return room;
    }

    internal override int BytesAvailable(int fd)
    {
        CheckAlive("ioctl");
        Host.Interleave();
        return FileOf(fd) is StreamSocket socket ? socket.Available : -Errno.EBADF;
    }

    internal override int Duplicate(int fd) => FileOf(fd) is { } file ? Open(file) : -Errno.EBADF;

    internal override int CountDescriptors() => _descriptors.Count(static file => file is not null);

    internal override int SetNonBlocking(int fd, bool isNonBlocking) => 0;

    internal override int SetCloseOnExec(int fd) => 0;

    internal override int GetResourceLimit(int resource, ResourceLimit* limit)
    {
        ulong told = Faults.IsLimitOfProcess ? (ulong)Faults.DescriptorLimit : 4096;
        *limit = new ResourceLimit { Current = told, Maximum = told };
        return 0;
    }

    [DoesNotReturn]
    internal override void Fail(string what, string state)
    {
        string broken = $"{what} ({state})";
        Violate(broken);
        throw new ViolationException(broken);
    }

    private static int WriteAddress(byte* address, uint* length, int port)
    {
        new Span<byte>(address, InternetAddressBytes).Clear();
        *(ushort*)address = SocketConstants.FamilyInternet;
        BinaryPrimitives.WriteUInt16BigEndian(new Span<byte>(address + 2, 2), (ushort)port);
        address[4] = 127;
        address[7] = 1;
        *length = InternetAddressBytes;
        return 0;
    }

    private int _lastClosedInUse = -1;
}
