using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// Memory of somebody else is sent by reference, so its owner must be told once, and never before the kernel is done with it:
/// the owners here scribble over their memory when they are told, which a peer would see.
/// </summary>
public class SendReferenceTests : ReactorTests
{
    [Fact]
    public async Task SendsReferencesBetweenCopiesInOrderAndDisposesEachOwnerOnce()
    {
        const int PieceCount = 400;
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        var owners = new List<ScribblingOwner>();
        long offset = 0;
        Task<byte[]> receiving = pair.Client.ReceiveToEndAsync();
        await SendPipeTests.OnReactor(pair, async output =>
        {
            for (int piece = 0; piece < PieceCount; piece++)
            {
                byte[] copied = new byte[1 + (piece % 300)];
                Payload.Fill(copied, 4, offset);
                output.Write(copied);
                offset += copied.Length;
                var owner = new ScribblingOwner(1 + (piece * 37 % 9000), 4, offset);
                owners.Add(owner);
                output.Append(owner.Memory, owner);
                offset += owner.Memory.Length;
                if (piece % 150 == 149)
                {
                    await output.FlushAsync();
                }
            }

            output.Complete();
        });
        byte[] received = await receiving;
        Assert.Equal(offset, received.Length);
        Assert.Equal(-1, Payload.FirstDifference(received, 4, 0));
        await AllDisposedOnceAsync(pair.Server.Reactor, owners);
    }

    /// <summary>The writer asks for room and uses none of it. Memory that is large and does not change goes by its pages.</summary>
    [Theory, Each(1000, 256 * 1024)]
    public async Task SendsAReferenceBehindRoomThatStayedEmpty(int length)
    {
        const int RoundCount = 5;
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        Task<byte[]> receiving = pair.Client.ReceiveToEndAsync();
        await SendPipeTests.OnReactor(pair, async output =>
        {
            for (int round = 0; round < RoundCount; round++)
            {
                _ = output.GetSpan();
                byte[] content = GC.AllocateUninitializedArray<byte>(length, pinned: true);
                Payload.Fill(content, 4, round * (long)length);
                ((IReferenceWriter)output).Append(content, owner: null, isImmutable: true);
                await output.FlushAsync();
            }

            output.Complete();
        });
        byte[] received = await receiving;
        Assert.Equal(RoundCount * length, received.Length);
        Assert.Equal(-1, Payload.FirstDifference(received, 4, 0));
    }

    [Fact]
    public async Task KeepsTheOwnerUntilAStalledPeerHasTakenItsBytes()
    {
        await using StalledPeer pair = await StalledPeer.ConnectAsync();
        var owner = new ScribblingOwner(StalledPeer.TooManyBytes, 4, 0);
        await pair.OnReactor(output =>
        {
            output.Append(owner.Memory, owner);
            _ = output.FlushAsync().AsTask();
            output.Complete();
            return Task.CompletedTask;
        });
        await TurnsAsync(pair.Server.Reactor);
        Assert.Equal(0, owner.Disposals);
        byte[] received = await pair.Client.ReceiveToEndAsync();
        Assert.Equal(StalledPeer.TooManyBytes, received.Length);
        Assert.Equal(-1, Payload.FirstDifference(received, 4, 0));
        await AllDisposedOnceAsync(pair.Server.Reactor, [owner]);
    }

    [Theory, AllValues]
    public async Task DisposesEveryOwnerOnceWhenTheConnectionBreaksInTheMiddle(bool peerResets)
    {
        await using StalledPeer pair = await StalledPeer.ConnectAsync();
        ScribblingOwner[] owners =
        [
            new(StalledPeer.TooManyBytes, 4, 0),
            new(1000, 4, StalledPeer.TooManyBytes),
            new(1000, 4, StalledPeer.TooManyBytes + 1000),
            new(1000, 4, StalledPeer.TooManyBytes + 2000),
        ];
        byte[] head = await WriteInThreePlacesAsync(pair, owners);
        Assert.Equal(-1, Payload.FirstDifference(head, 4, 0));
        Assert.All(owners, owner => Assert.Equal(0, owner.Disposals));
        if (peerResets)
        {
            RawSocket.Reset(pair.Client);
        }
        else
        {
            pair.Server.Abort();
        }

        // In flight, queued behind it, and written but not flushed when it broke.
        await Waits.Eventually(() => owners[..3].All(owner => owner.Disposals == 1), 20.Seconds());
        Assert.Equal(0, owners[3].Disposals);
        await pair.OnReactor(async output => Assert.True((await output.FlushAsync()).IsCompleted));
        await AllDisposedOnceAsync(pair.Server.Reactor, owners);
    }

    [Fact]
    public async Task DisposesTheOwnerOfWhatWasNeverFlushed()
    {
        var flushed = new ScribblingOwner(5000, 4, 0);
        var dropped = new ScribblingOwner(5000, 4, 0);
        await using RingListener listener = await Fixture.ListenAsync(async connection =>
        {
            await connection.Input.ReadAsync();
            connection.Output.Append(flushed.Memory, flushed);
            await connection.Output.FlushAsync();
            connection.Output.Append(dropped.Memory, dropped);
            connection.Output.Complete(new IOException("given up"));
        });
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        await client.SendAllAsync(new byte[1]);
        byte[] received = await client.ReceiveToEndAsync();
        Assert.Equal(5000, received.Length);
        Assert.Equal(-1, Payload.FirstDifference(received, 4, 0));
        await Waits.Eventually(() => flushed.Disposals == 1 && dropped.Disposals == 1, 20.Seconds());
    }

    [Fact]
    public async Task DisposesTheOwnerOfNothingAtOnceAndNoneOfARefusedOne()
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        var nothing = new ScribblingOwner(0, 4, 0);
        var refused = new ScribblingOwner(10, 4, 0);
        await SendPipeTests.OnReactor(pair, output =>
        {
            output.Append(nothing.Memory, nothing);
            Assert.Equal(1, nothing.Disposals);
            output.Complete();
            Assert.Throws<InvalidOperationException>(() => output.Append(refused.Memory, refused));
            return Task.CompletedTask;
        });
        await TurnsAsync(pair.Server.Reactor);
        Assert.Equal(0, refused.Disposals);
    }

    /// <summary>Whoever offered it sends it in another way, and disposes it after that.</summary>
    [Fact]
    public async Task LeavesTheOwnerOfAnOfferThatWasNotTakenAlone()
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        var offered = new ScribblingOwner(10, 4, 0);
        await SendPipeTests.OnReactor(pair, async output =>
        {
            Assert.False(((IReferenceWriter)output).TryAppendBehind(PipeWriter.Create(Stream.Null), offered.Memory, offered));
            output.Write(offered.Memory.Span);
            await output.FlushAsync();
            output.Complete();
        });
        Assert.Equal(-1, Payload.FirstDifference(await pair.Client.ReceiveToEndAsync(), 4, 0));
        await TurnsAsync(pair.Server.Reactor);
        Assert.Equal(0, offered.Disposals);
    }

    [Fact]
    public async Task DisposesTheOwnerOnTheReactorWhateverThreadAppends()
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        var owner = new ScribblingOwner(20_000, 4, 0);
        await Task.Run(async () =>
        {
            pair.Server.Output.Append(owner.Memory, owner);
            await pair.Server.Output.FlushAsync();
        }).Within(20.Seconds());
        byte[] received = await pair.Client.ReceiveExactlyAsync(20_000);
        Assert.Equal(-1, Payload.FirstDifference(received, 4, 0));
        await Waits.Eventually(() => owner.Disposals == 1, 20.Seconds());
        Assert.Same(pair.Server.Reactor, owner.DisposedOn);
    }

    [Fact]
    public async Task DisposesTheOwnerAlsoAfterTheReactorHasEnded()
    {
        LoopbackPair pair = await LoopbackPair.ConnectAsync(Fixture);
        await Fixture.Group.DisposeAsync().Within(20.Seconds());
        var owner = new ScribblingOwner(100, 4, 0);
        pair.Server.Output.Append(owner.Memory, owner);
        Assert.True((await pair.Server.Output.FlushAsync().Within(20.Seconds())).IsCompleted);
        await pair.DisposeAsync();
        Assert.Equal(1, owner.Disposals);
    }

    private static async Task<byte[]> WriteInThreePlacesAsync(StalledPeer pair, ScribblingOwner[] owners)
    {
        await pair.OnReactor(output =>
        {
            output.Append(owners[0].Memory, owners[0]);
            _ = output.FlushAsync().AsTask();
            return Task.CompletedTask;
        });
        byte[] head = await pair.Client.ReceiveExactlyAsync(1000);
        await pair.OnReactor(async output =>
        {
            output.CancelPendingFlush();
            output.Append(owners[1].Memory, owners[1]);
            output.Append(owners[2].Memory, owners[2]);
            await output.FlushAsync();
            output.Append(owners[3].Memory, owners[3]);
        });
        return head;
    }

    private static async Task AllDisposedOnceAsync(Reactor reactor, IReadOnlyCollection<ScribblingOwner> owners)
    {
        await Waits.Eventually(() => owners.All(owner => owner.Disposals > 0), 20.Seconds());
        await TurnsAsync(reactor);
        Assert.All(owners, owner => Assert.Equal(1, owner.Disposals));
    }

    private static async Task TurnsAsync(Reactor reactor)
    {
        for (int turn = 0; turn < 20; turn++)
        {
            await reactor.RunAsync(() => { }).Within(20.Seconds());
        }
    }

    /// <summary>Pinned memory of a keyed stream, overwritten when it is disposed.</summary>
    private sealed class ScribblingOwner : IDisposable
    {
        private readonly byte[] _bytes;
        private int _disposals;

        internal ScribblingOwner(int lengthBytes, long key, long offset)
        {
            _bytes = GC.AllocateUninitializedArray<byte>(lengthBytes, pinned: true);
            Payload.Fill(_bytes, key, offset);
        }

        internal ReadOnlyMemory<byte> Memory => _bytes;

        internal int Disposals => Volatile.Read(ref _disposals);

        internal Reactor? DisposedOn { get; private set; }

        public void Dispose()
        {
            DisposedOn = Reactor.Current;
            _bytes.AsSpan().Fill(0xEE);
            Interlocked.Increment(ref _disposals);
        }
    }
}
