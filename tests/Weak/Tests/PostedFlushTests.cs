using System.Buffers;
using System.Buffers.Binary;
using Ioxide.TestKit;

namespace Ioxide.Weak;

/// <summary>A writer that flushes on its own thread and in between on the reactor: the peer gets all bytes, in the order of the flushes.</summary>
public sealed class PostedFlushTests
{
    private const int Races = 10;
    private const int Numbers = 1000;

    [Fact]
    public async Task FlushesOfTwoThreadsKeepTheirOrder()
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, "no io_uring");
        await using ReactorGroup group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 1 });
        for (int race = 0; race < Scale.Of(Races); race++)
        {
            var peer = new Peer();
            await using RingListener listener = await group.ListenAsync(new IPEndPoint(IPAddress.Loopback, 0), peer.ReadAsync);
            await using RingConnection connection = await group.ConnectAsync(
                listener.EndPoint, new RingConnectionOptions { MaxWriteBufferSize = null });
            Race.Run(race, random => Write(random, connection, peer));
            Assert.Null(peer.Problem);
        }
    }

    private static void Write(Random random, RingConnection connection, Peer peer)
    {
        int number = 0;
        for (; number < Numbers; number++)
        {
            Hop? hop = random.Next(8) == 0 ? new Hop(connection, number + 1) : null;
            if (hop is not null)
            {
                connection.Reactor.Enqueue(hop, static hop => hop.Run());
            }

            Write(connection, number);
            if (hop is not null)
            {
                hop.LetGo();
                number++;
            }

            if (hop is not null || random.Next(8) == 0)
            {
                Await(peer, number + 1);
            }
        }

        Await(peer, number);
    }

    private static void Await(Peer peer, int all) => Race.Until(() => peer.Problem is not null || peer.Received == all, "the last bytes");

    private static void Write(RingConnection connection, int number)
    {
        BinaryPrimitives.WriteInt32LittleEndian(connection.Output.GetSpan(sizeof(int)), number);
        connection.Output.Advance(sizeof(int));
        ValueTask<FlushResult> flush = connection.Output.FlushAsync();
        Assert.True(flush.IsCompletedSuccessfully);
    }

    /// <summary>The writer goes on there: it comes by no post behind its own, but to code of the reactor that is there already.</summary>
    private sealed class Hop(RingConnection connection, int number)
    {
        private bool _isHere;

        internal void LetGo() => Volatile.Write(ref _isHere, true);

        internal void Run()
        {
            Race.Until(() => Volatile.Read(ref _isHere), "the writer");
            Write(connection, number);
        }
    }

    /// <summary>Who receives the numbers.</summary>
    private sealed class Peer
    {
        private int _received;
        private string? _problem;

        internal int Received => System.Threading.Volatile.Read(ref _received);

        internal string? Problem => System.Threading.Volatile.Read(ref _problem);

        internal async Task ReadAsync(RingConnection connection)
        {
            while (await connection.Input.ReadAsync() is { IsCompleted: false } result)
            {
                ReadOnlySequence<byte> rest = result.Buffer;
                while (rest.Length >= sizeof(int))
                {
                    Take(rest.Slice(0, sizeof(int)).ToArray());
                    rest = rest.Slice(sizeof(int));
                }

                connection.Input.AdvanceTo(rest.Start, result.Buffer.End);
            }
        }

        private void Take(byte[] bytes)
        {
            int number = BinaryPrimitives.ReadInt32LittleEndian(bytes);
            if (number != _received)
            {
                System.Threading.Volatile.Write(ref _problem, $"{number} came where {_received} was next");
            }

            System.Threading.Volatile.Write(ref _received, _received + 1);
        }
    }
}
