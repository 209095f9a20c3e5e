using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// 2,000 streams of random length, sent in random pieces and read in random patterns, through receive buffers so small and so
/// few that streams span, share and run out of them. Each byte is compared with what was sent, and each read with what the
/// last one left.
/// </summary>
public class RandomReadTests
{
    private const int HeaderBytes = 12;
    private const int MaxStreamBytes = 6000;

    [Fact]
    public async Task ReadsEveryStreamInEveryPattern()
    {
        const int StreamCount = 2000;
        const int Clients = 16;
        int seed = Seed.Print();
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.ReceiveBufferSize = 256;
            options.ReceiveBufferCount = 8;
            options.MaxReceiveBufferCount = 8;
            options.BulkReceiveBufferSize = 4096;
            options.MaxBulkReceiveBufferCount = 2;
        });
        await using RingListener listener = await fixture.ListenAsync(connection => ServeAsync(connection, seed));
        int next = 0;
        await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => Task.Run(async () =>
        {
            for (int stream = Interlocked.Increment(ref next); stream <= StreamCount; stream = Interlocked.Increment(ref next))
            {
                await SendStreamAsync(listener, new Random(seed + stream), stream);
            }
        }))).Within(60.Seconds());
        Assert.True(fixture.Reactors.Sum(reactor => reactor.Snapshot().BufferExhaustions) > 0);
    }

    private static async Task SendStreamAsync(RingListener listener, Random random, int key)
    {
        byte[] bytes = new byte[HeaderBytes + random.Next(MaxStreamBytes)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, key);
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(sizeof(long)), bytes.Length);
        Payload.Fill(bytes.AsSpan(HeaderBytes), key, HeaderBytes);
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        for (int offset = 0; offset < bytes.Length;)
        {
            int count = Math.Min(bytes.Length - offset, random.Next(3) == 0 ? random.Next(1, 20) : random.Next(1, 1500));
            await client.SendAllAsync(bytes.AsMemory(offset, count));
            offset += count;
        }

        client.Shutdown(SocketShutdown.Send);
        byte[] answer = await client.ReceiveToEndAsync();
        Assert.True(answer.Length == sizeof(int), $"Stream {key} was not answered.");
        Assert.Equal(bytes.Length, BinaryPrimitives.ReadInt32LittleEndian(answer));
    }

    private static async Task ServeAsync(RingConnection connection, int seed)
    {
        PipeReader input = connection.Input;
        ReadResult first = await ReceivePipeTests.ReadAtLeast(input, HeaderBytes);
        byte[] header = first.Buffer.Slice(0, HeaderBytes).ToArray();
        long key = BinaryPrimitives.ReadInt64LittleEndian(header);
        int lengthBytes = BinaryPrimitives.ReadInt32LittleEndian(header.AsSpan(sizeof(long)));
        input.AdvanceTo(first.Buffer.GetPosition(HeaderBytes));
        await ReadRandomlyAsync(input, new Random(seed ^ (int)key), key, lengthBytes, examined: HeaderBytes);
        byte[] answer = new byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(answer, lengthBytes);
        await connection.Output.WriteAsync(answer);
    }

    private static async Task ReadRandomlyAsync(PipeReader input, Random random, long key, int lengthBytes, long examined)
    {
        long consumed = examined;
        long seen = 0;
        while (true)
        {
            bool isCancelled = random.Next(10) == 0;
            if (isCancelled)
            {
                input.CancelPendingRead();
            }

            ValueTask<ReadResult> reading = default;
            if (random.Next(3) != 0 || !input.TryRead(out ReadResult read))
            {
                reading = input.ReadAsync();
                Assert.True(reading.IsCompleted || (seen <= examined && !isCancelled), "A read waits though bytes are there.");
                read = await reading;
            }

            Assert.Equal(isCancelled, read.IsCanceled);
            Payload.AssertKeyed(read.Buffer, key, consumed);
            long end = consumed + read.Buffer.Length;
            Assert.True(end >= seen, "Bytes that were there are gone.");
            Assert.True(end > examined || read.IsCanceled || read.IsCompleted, "A read brought nothing new.");
            seen = end;
            if (read.IsCompleted && random.Next(2) == 0)
            {
                Assert.Equal(lengthBytes, end);
                input.AdvanceTo(read.Buffer.End);
                return;
            }

            long consume = random.Next(3) == 0 ? 0 : random.NextInt64(read.Buffer.Length + 1);
            long examine = random.Next(3) == 0 ? read.Buffer.Length : random.NextInt64(consume, read.Buffer.Length + 1);
            input.AdvanceTo(read.Buffer.GetPosition(consume), read.Buffer.GetPosition(examine));
            examined = Math.Max(examined, consumed + examine);
            consumed += consume;
        }
    }
}
