using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Ioxide.Compare.Loads;

/// <summary>Waits for any of some sockets to become readable.</summary>
/// <remarks>Source: epoll(7), level-triggered: a wait costs what is ready, not what is held. Threads: one.</remarks>
internal sealed unsafe partial class PollSet : IDisposable
{
    private const uint EpollIn = 1;
    private const int ControlAdd = 1;
    private const int CloseOnExec = 0x80000;
    private const int Interrupted = 4;

    /// <summary><c>struct epoll_event</c> is packed on x86-64 and nowhere else.</summary>
    private static readonly int s_dataOffset = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 4 : 8;

    private static readonly int s_eventBytes = s_dataOffset + sizeof(ulong);

    private readonly int _descriptor;
    private readonly byte* _events;
    private readonly int[] _ready;
    private readonly bool[] _isReady;
    private int _readyCount;

    /// <param name="sockets">They outlive the set.</param>
    internal PollSet(IReadOnlyList<Socket> sockets)
    {
        _ready = new int[sockets.Count];
        _isReady = new bool[sockets.Count];
        _descriptor = Create(CloseOnExec);
        if (_descriptor < 0)
        {
            throw new SocketException();
        }

        _events = (byte*)NativeMemory.AllocZeroed((nuint)sockets.Count, (nuint)s_eventBytes);
        for (int index = 0; index < sockets.Count; index++)
        {
            Write(_events, index);
            if (Control(_descriptor, ControlAdd, (int)sockets[index].Handle, _events) != 0)
            {
                Dispose();
                throw new SocketException();
            }
        }
    }

    /// <summary>The places of those that the last wait found readable or ended.</summary>
    internal ReadOnlySpan<int> Ready => _ready.AsSpan(0, _readyCount);

    public void Dispose()
    {
        _ = Close(_descriptor);
        NativeMemory.Free(_events);
    }

    /// <param name="timeoutMs">0 looks without waiting.</param>
    /// <returns>How many are readable or have ended.</returns>
    internal int Wait(int timeoutMs)
    {
        foreach (int index in Ready)
        {
            _isReady[index] = false;
        }

        _readyCount = 0;
        int count = EpollWait(_descriptor, _events, _ready.Length, timeoutMs);
        if (count < 0 && Marshal.GetLastPInvokeError() != Interrupted)
        {
            throw new SocketException();
        }

        for (int place = 0; place < count; place++)
        {
            int index = (int)*(ulong*)(_events + (place * s_eventBytes) + s_dataOffset);
            _ready[_readyCount++] = index;
            _isReady[index] = true;
        }

        return _readyCount;
    }

    /// <summary>Whether the last wait found it readable or ended.</summary>
    internal bool IsReady(int index) => _isReady[index];

    private static void Write(byte* place, int index)
    {
        *(uint*)place = EpollIn;
        *(ulong*)(place + s_dataOffset) = (ulong)index;
    }

    [LibraryImport("libc", EntryPoint = "epoll_create1", SetLastError = true)]
    private static partial int Create(int flags);

    [LibraryImport("libc", EntryPoint = "epoll_ctl", SetLastError = true)]
    private static partial int Control(int set, int operation, int descriptor, byte* entry);

    [LibraryImport("libc", EntryPoint = "epoll_wait", SetLastError = true)]
    private static partial int EpollWait(int set, byte* events, int count, int timeoutMs);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    private static partial int Close(int descriptor);
}
