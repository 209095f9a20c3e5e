using System.Net.Sockets;
using System.Text;

namespace Ioxide.Tests;

/// <summary>
/// A buffer is with the kernel or with the application, never with both. A real ring receives from a real socket into groups
/// of few small buffers.
/// </summary>
public sealed unsafe class BufferRingTests : IDisposable
{
    private const ushort Group = 3;
    private const int BufferBytes = 256;

    private readonly Socket _client;
    private readonly Socket _server;

    public BufferRingTests()
    {
        using Socket listener = RawSocket.Listen();
        _client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        _client.Connect(listener.LocalEndPoint!);
        _server = listener.Accept();
    }

    public void Dispose()
    {
        _client.Dispose();
        _server.Dispose();
    }

    [Fact]
    public void CountsWhatIsTakenAndReturned()
    {
        using var ring = new TestRing();
        using var buffers = new BufferRing(ring.Ring, Group, BufferBytes, initialCount: 4, maxCount: 4);
        Assert.Equal((4, 4, 0), Counts(buffers));

        ReceiveSegment first = buffers.Take(0, 10);
        ReceiveSegment last = buffers.Take(3, BufferBytes);
        Assert.Equal((4, 2, 2), Counts(buffers));
        Assert.Equal((10, BufferBytes), (first.Memory.Length, last.Memory.Length));

        buffers.Return(last);
        buffers.Return(first);
        Assert.Equal((4, 4, 0), Counts(buffers));
        Assert.Same(first, buffers.Take(0, 1));
    }

    [Theory]
    [InlineData(1, 8, "2 4 8")]
    [InlineData(3, 8, "6 8")]
    [InlineData(8, 8, "")]
    [InlineData(5, 32, "10 20 32")]
    public void GrowsByDoublingUpToTheCap(int initialCount, int maxCount, string expected)
    {
        using var ring = new TestRing();
        using var buffers = new BufferRing(ring.Ring, Group, BufferBytes, initialCount, maxCount);
        var counts = new List<int>();
        while (buffers.TryGrow())
        {
            counts.Add(buffers.Count);
        }

        Assert.Equal(expected, string.Join(' ', counts));
        Assert.Equal((maxCount, maxCount, 0), Counts(buffers));
        Assert.False(buffers.TryGrow());
    }

    [Fact]
    public void IsLowWhenFewAreLentAndNoMoreCanBeMade()
    {
        using var ring = new TestRing();
        using var buffers = new BufferRing(ring.Ring, Group, BufferBytes, initialCount: 4, maxCount: 8);
        for (int index = 0; index < 4; index++)
        {
            buffers.Take(index, 1);
        }

        Assert.False(buffers.IsLow);
        buffers.TryGrow();
        Assert.False(buffers.IsLow);
        for (int index = 4; index < 7; index++)
        {
            buffers.Take(index, 1);
        }

        Assert.True(buffers.IsLow);
    }

    [Fact]
    public void ABufferIsFilledByTheKernelAndOnlyThatOne()
    {
        using var ring = new TestRing();
        using var buffers = new BufferRing(ring.Ring, Group, BufferBytes, initialCount: 4, maxCount: 4);
        ArmReceive(ring);
        Send("first");
        ReceiveSegment first = Take(ring, buffers);
        Send("second");
        ReceiveSegment second = Take(ring, buffers);

        Assert.NotSame(first, second);
        Assert.Equal(("first", "second"), (Text(first), Text(second)));
    }

    [Fact]
    public void WhatWasReturnedIsOnlyTheKernelsOncePublished()
    {
        using var ring = new TestRing();
        using var buffers = new BufferRing(ring.Ring, Group, BufferBytes, initialCount: 1, maxCount: 1);
        ArmReceive(ring);
        Send("a");
        List<Cqe> first = ring.CompleteAtLeast(1);
        buffers.Return(Take(first[0], buffers));
        Send("b");

        // Returned, not published: the kernel has no buffer and ends the receive.
        Cqe ended = first.Count > 1 ? first[1] : ring.Complete(1)[0];
        Assert.Equal((-Errno.ENOBUFS, 0u), (ended.Result, ended.Flags & CqeFlags.More));
        buffers.Publish();
        ArmReceive(ring);
        Assert.Equal("b", Text(Take(ring, buffers)));
    }

    [Fact]
    public void RunningOutEndsTheReceiveAndNothingIsLostWhenItIsArmedAgain()
    {
        const int Buffers = 2;
        byte[] sent = new byte[BufferBytes * 5];
        new Random(7).NextBytes(sent);
        using var ring = new TestRing();
        using var buffers = new BufferRing(ring.Ring, Group, BufferBytes, Buffers, Buffers);
        Assert.Equal(sent.Length, _client.Send(sent));
        var received = new List<byte>();
        int exhaustions = 0;
        while (received.Count < sent.Length)
        {
            ArmReceive(ring);
            List<Cqe> completions = [];
            while (completions.Count == 0 || (completions[^1].Flags & CqeFlags.More) != 0)
            {
                completions.AddRange(ring.CompleteAtLeast(1));
                if (received.Count + completions.Sum(completion => Math.Max(0, completion.Result)) == sent.Length)
                {
                    break;
                }
            }

            exhaustions += completions.Count(completion => completion.Result == -Errno.ENOBUFS);
            foreach (Cqe completion in completions.Where(completion => completion.Result > 0))
            {
                ReceiveSegment segment = buffers.Take((int)(completion.Flags >> CqeFlags.BufferShift), completion.Result);
                received.AddRange(segment.Memory.Span);
                buffers.Return(segment);
            }

            buffers.Publish();
        }

        Assert.Equal(sent, received);
        Assert.Equal(2, exhaustions);
        Assert.Equal((Buffers, Buffers, 0), Counts(buffers));
    }

    [Fact]
    public void BuffersMadeByGrowingAreUsed()
    {
        using var ring = new TestRing();
        using var buffers = new BufferRing(ring.Ring, Group, BufferBytes, initialCount: 1, maxCount: 4);
        ArmReceive(ring);
        Send("one");
        List<Cqe> first = ring.CompleteAtLeast(1);
        ReceiveSegment held = Take(first[0], buffers);
        Assert.True(buffers.TryGrow());
        if (first.Count > 1)
        {
            Assert.Equal(-Errno.ENOBUFS, first[1].Result);
            ArmReceive(ring);
        }

        Send("two");

        Assert.Equal(("one", "two"), (Text(held), Text(Take(ring, buffers))));
    }

    [Fact]
    public void AGroupThatExistsIsRefused()
    {
        using var ring = new TestRing();
        using var buffers = new BufferRing(ring.Ring, Group, BufferBytes, initialCount: 1, maxCount: 1);

        RingUnavailableException exception = Assert.Throws<RingUnavailableException>(
            () => new BufferRing(ring.Ring, Group, BufferBytes, initialCount: 1, maxCount: 1));
        Assert.Equal(Errno.EEXIST, exception.ErrorNumber);
        new BufferRing(ring.Ring, Group + 1, BufferBytes, initialCount: 1, maxCount: 1).Dispose();
    }

    private void ArmReceive(TestRing ring)
    {
        Sqe* entry = ring.Next(Opcode.Receive, 1, SqeFlags.BufferSelect);
        entry->Descriptor = (int)_server.Handle;
        entry->IoPriority = OperationFlags.ReceiveMultishot;
        entry->BufferGroup = Group;
    }

    private void Send(string text) => Assert.Equal(text.Length, _client.Send(Encoding.ASCII.GetBytes(text)));

    // Linux 6.1 looks for the next buffer before there are data for it, so that what took the last one ends at once.
    private static ReceiveSegment Take(TestRing ring, BufferRing buffers)
    {
        List<Cqe> completions = ring.CompleteAtLeast(1);
        Assert.All(completions.Skip(1), static end => Assert.Equal(-Errno.ENOBUFS, end.Result));
        return Take(completions[0], buffers);
    }

    private static ReceiveSegment Take(Cqe completion, BufferRing buffers)
    {
        Assert.True(completion.Result > 0, $"receive gave {completion.Result}");
        Assert.NotEqual(0u, completion.Flags & CqeFlags.Buffer);
        return buffers.Take((int)(completion.Flags >> CqeFlags.BufferShift), completion.Result);
    }

    private static string Text(ReceiveSegment segment) => Encoding.ASCII.GetString(segment.Memory.Span);

    private static (int Count, int Lent, int Taken) Counts(BufferRing buffers) => (buffers.Count, buffers.LentCount, buffers.TakenCount);
}
