using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Ioxide.Compare.Loads;

/// <summary>Waits for any of some sockets to become readable.</summary>
/// <remarks>Source: poll(2). Unlike <see cref="Socket.Select(System.Collections.IList, System.Collections.IList, System.Collections.IList, int)"/>
/// it makes no list at each turn.</remarks>
internal sealed unsafe partial class PollSet : IDisposable
{
    private const short PollIn = 1;

    private readonly PollEntry* _entries;
    private readonly int _count;

    internal PollSet(IReadOnlyList<Socket> sockets)
    {
        _count = sockets.Count;
        _entries = (PollEntry*)NativeMemory.AllocZeroed((nuint)_count, (nuint)sizeof(PollEntry));
        for (int index = 0; index < _count; index++)
        {
            _entries[index] = new PollEntry { Descriptor = (int)sockets[index].Handle, Events = PollIn };
        }
    }

    public void Dispose() => NativeMemory.Free(_entries);

    /// <param name="timeoutMs">0 looks without waiting.</param>
    /// <returns>How many are readable or have ended.</returns>
    internal int Wait(int timeoutMs)
    {
        int ready = Poll(_entries, (nuint)_count, timeoutMs);
        const int interrupted = 4;
        return ready >= 0 ? ready : Marshal.GetLastPInvokeError() == interrupted ? 0 : throw new SocketException();
    }

    internal bool IsReady(int index) => _entries[index].Returned != 0;

    [LibraryImport("libc", EntryPoint = "poll", SetLastError = true)]
    private static partial int Poll(PollEntry* entries, nuint count, int timeoutMs);

    /// <summary><c>struct pollfd</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct PollEntry
    {
        internal int Descriptor;
        internal short Events;
        internal short Returned;
    }
}
