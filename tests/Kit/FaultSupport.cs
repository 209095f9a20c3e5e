using System.Net.Sockets;

namespace Ioxide.TestKit;

/// <summary>What this kernel lets a test inject into a ring; asked once, by doing it.</summary>
internal static unsafe class FaultSupport
{
    private static readonly Lazy<bool> s_canInjectResults = new(InjectsResult);
    private static readonly Lazy<bool> s_canLimitReceives = new(LimitsReceive);

    /// <summary>Whether a NOP completes with the result that it names. Linux 6.10.</summary>
    internal static bool CanInjectResults => s_canInjectResults.Value;

    /// <summary>Whether the completions of a multishot receive can be bounded together. Linux 6.16.</summary>
    internal static bool CanLimitReceives => s_canLimitReceives.Value;

    private static bool InjectsResult() => OnOwnThread(static ring =>
    {
        *ring.NextEntry() = new Sqe { Opcode = Opcode.Nop, OperationFlags = 1, Length = unchecked((uint)-Errno.EINTR) };
        return ResultsOf(ring, 1) is [(-Errno.EINTR, _)];
    });

    private static bool LimitsReceive() => OnOwnThread(static ring =>
    {
        using Socket listener = RawSocket.Listen();
        using Socket client = new(SocketType.Stream, ProtocolType.Tcp);
        client.Connect(listener.LocalEndPoint!);
        using Socket server = listener.Accept();
        using BufferRing buffers = new(ring, group: 0, bufferSizeBytes: 256, initialCount: 4, maxCount: 4);
        client.Send(new byte[4]);
        *ring.NextEntry() = new Sqe
        {
            Opcode = Opcode.Receive,
            Descriptor = (int)server.Handle,
            IoPriority = OperationFlags.ReceiveMultishot,
            Flags = SqeFlags.BufferSelect,
            Length = 1,
            FileIndex = 2,
        };
        return ResultsOf(ring, 2) is [(1, true), (1, false)];
    });

    /// <summary>A ring belongs to the thread that enables it, and the caller's may have one.</summary>
    private static bool OnOwnThread(Func<Ring, bool> ask)
    {
        if (RingProbe.Check() != RingSupport.Supported)
        {
            return false;
        }

        bool answer = false;
        Thread thread = new(() =>
        {
            using Ring ring = Ring.Create(new RingOptions(8, 16));
            ring.Enable();
            answer = ask(ring);
            ring.ReleaseThread();
        });
        thread.Start();
        thread.Join();
        return answer;
    }

    private static List<(int Result, bool HasMore)> ResultsOf(Ring ring, uint count)
    {
        const long OneSecondNs = 1_000_000_000;
        List<(int Result, bool HasMore)> results = [];
        _ = ring.SubmitAndWait(count, OneSecondNs);
        while (ring.Cq.Ready > 0)
        {
            Cqe completion = ring.Cq.Read();
            results.Add((completion.Result, (completion.Flags & CqeFlags.More) != 0));
        }

        return results;
    }
}
