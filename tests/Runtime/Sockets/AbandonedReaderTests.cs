using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// A handler may stop reading at any point. Whatever it held goes back: the fixture checks buffers, blocks, operations and
/// descriptors of a reactor that goes on running.
/// </summary>
public class AbandonedReaderTests
{
    public enum Shape
    {
        NeverRead,
        ReadWithoutAdvance,
        PartialAdvance,
        CompletedWithData,
        DisposedWithPendingRead,
    }

    public static TheoryData<Shape, bool> Shapes()
    {
        TheoryData<Shape, bool> data = [];
        foreach (Shape shape in Enum.GetValues<Shape>())
        {
            data.Add(shape, false);
            data.Add(shape, true);
        }

        return data;
    }

    [Theory, MemberData(nameof(Shapes))]
    public async Task LeavesNoBufferBehind(Shape shape, bool peerResets)
    {
        const int ConnectionCount = 40;
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.ReceiveBufferSize = 256;
            options.ReceiveBufferCount = 8;
            options.MaxReceiveBufferCount = 64;
        });
        int ended = 0;
        await using RingListener listener = await fixture.ListenAsync(
            async connection =>
            {
                await AbandonAsync(connection, shape);
                Interlocked.Increment(ref ended);
            },
            new RingListenOptions { Connection = new RingConnectionOptions { LingerTimeout = TimeSpan.FromMilliseconds(50) } });
        List<Socket> clients = [];
        for (int key = 0; key < ConnectionCount; key++)
        {
            Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
            clients.Add(client);
            if (shape != Shape.DisposedWithPendingRead)
            {
                await client.SendAllAsync(Payload.Of(3000));
            }
        }

        await Waits.Eventually(() => Volatile.Read(ref ended) == ConnectionCount, 20.Seconds());
        foreach (Socket client in clients)
        {
            if (peerResets)
            {
                client.Reset();
            }
            else
            {
                client.Dispose();
            }
        }

        await Waits.Eventually(() => fixture.Reactors.All(reactor => reactor.Snapshot() is { Connections: 0, BuffersTaken: 0 }), 20.Seconds());
    }

    private static async Task AbandonAsync(RingConnection connection, Shape shape)
    {
        PipeReader input = connection.Input;
        switch (shape)
        {
            case Shape.NeverRead:
                return;
            case Shape.ReadWithoutAdvance:
                await input.ReadAsync();
                return;
            case Shape.PartialAdvance:
                ReadResult read = await ReceivePipeTests.ReadAtLeast(input, 1000);
                input.AdvanceTo(read.Buffer.GetPosition(300), read.Buffer.GetPosition(700));
                return;
            case Shape.CompletedWithData:
                await ReceivePipeTests.ReadAtLeast(input, 1000);
                await input.CompleteAsync();
                return;
            case Shape.DisposedWithPendingRead:
                Task pending = Assert.ThrowsAsync<InvalidOperationException>(async () => await input.ReadAsync());
                Task disposing = connection.DisposeAsync().AsTask();
                await pending;
                await disposing;
                return;
            default:
                throw new ArgumentOutOfRangeException(nameof(shape));
        }
    }
}
