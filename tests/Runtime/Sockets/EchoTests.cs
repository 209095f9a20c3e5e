using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;

namespace Ioxide.Tests;

/// <summary>
/// Every byte comes back, in order, once: over every kind of endpoint and at every size around the limits of a buffer.
/// The clients are plain sockets.
/// </summary>
public class EchoTests : ReactorTests
{
    private const int MaxUnixPathBytes = 107;

    public enum Way
    {
        Internet4,
        Internet6,
        Internet4ToDualStack,
        Internet6ToDualStack,
        Unix,
        AbstractUnix,
    }

    public static TheoryData<Way, int> WaysAndSizes()
    {
        TheoryData<Way, int> data = [];
        foreach (Way way in Enum.GetValues<Way>())
        {
            foreach (int lengthBytes in (int[])[0, 1, 4095, 4096, 4097, 65535, 65536, 65537, 8 * 1024 * 1024])
            {
                data.Add(way, lengthBytes);
            }
        }

        return data;
    }

    [Theory, MemberData(nameof(WaysAndSizes))]
    public async Task SendsBackEveryByte(Way way, int lengthBytes)
    {
        SkipWithoutInternet6(way);
        string directory = Directory.CreateTempSubdirectory("ioxide-echo").FullName;
        try
        {
            EndPoint endPoint = ServerEndPoint(way, directory);
            await using RingListener listener = await Fixture.ListenAsync(EchoHandler.RunAsync, endPoint: endPoint);
            using Socket client = await RawSocket.ConnectAsync(ClientEndPoint(way, listener.EndPoint));
            byte[] sent = Payload.Of(lengthBytes);

            Task<byte[]> receiving = client.ReceiveToEndAsync();
            await client.SendAllAsync(sent);
            client.Shutdown(SocketShutdown.Send);

            Payload.AssertSame(sent, await receiving);
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
    }

    [Fact]
    public async Task ServesAThousandConnectionsAtOnce()
    {
        const int ConnectionCount = 1000;
        const int LengthBytes = 300;
        await using RingListener listener = await Fixture.ListenAsync(EchoHandler.RunAsync);
        List<Socket> clients = [];
        try
        {
            for (int key = 0; key < ConnectionCount; key++)
            {
                clients.Add(await RawSocket.ConnectAsync(listener.EndPoint));
                byte[] sent = new byte[LengthBytes];
                Payload.Fill(sent, key, 0);
                await clients[key].SendAllAsync(sent);
            }

            for (int key = 0; key < ConnectionCount; key++)
            {
                byte[] received = await clients[key].ReceiveExactlyAsync(LengthBytes);
                Assert.Equal(-1, Payload.FirstDifference(received, key, 0));
            }

            Assert.Equal(ConnectionCount, Fixture.Reactors.Sum(reactor => reactor.Snapshot().Connections));
            Assert.All(Fixture.Reactors, reactor => Assert.InRange(reactor.Snapshot().Connections, 1, ConnectionCount - 1));
        }
        finally
        {
            clients.ForEach(client => client.Dispose());
        }
    }

    [Fact]
    public async Task AnswersPipelinedSmallMessagesInOrder()
    {
        const int MessageCount = 10_000;
        var random = new Random(Seed.Print());
        await using RingListener listener = await Fixture.ListenAsync(EchoHandler.RunAsync);
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);

        Task<byte[]> receiving = client.ReceiveToEndAsync();
        long offset = 0;
        for (int message = 0; message < MessageCount; message++)
        {
            byte[] bytes = new byte[random.Next(1, 65)];
            Payload.Fill(bytes, key: 1, offset);
            await client.SendAllAsync(bytes);
            offset += bytes.Length;
        }

        client.Shutdown(SocketShutdown.Send);
        byte[] received = await receiving;
        Assert.Equal(offset, received.Length);
        Assert.Equal(-1, Payload.FirstDifference(received, key: 1, 0));
    }

    [Fact]
    public async Task ReceivesALargeUploadInBulkBuffersAndSmallMessagesInSmallOnes()
    {
        const int UploadBytes = 64 * 1024 * 1024;
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        Reactor reactor = fixture[0];
        BufferRing? lastRing = null;
        HashSet<int> bulkLengths = [];
        await using RingListener listener = await fixture.ListenAsync(async connection =>
        {
            using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
            for (long received = 0; received < UploadBytes;)
            {
                ReadResult read = await connection.Input.ReadAsync();
                foreach (ReadOnlyMemory<byte> segment in read.Buffer)
                {
                    hash.AppendData(segment.Span);
                }

                if (read.Buffer.Start.GetObject() is ReceiveSegment { Home.Group: 1 } first)
                {
                    bulkLengths.Add(first.Length);
                }

                received += read.Buffer.Length;
                connection.Input.AdvanceTo(read.Buffer.End);
            }

            await connection.Output.WriteAsync(hash.GetHashAndReset());
            while (true)
            {
                ReadResult read = await connection.Input.ReadAsync();
                lastRing = (read.Buffer.Start.GetObject() as ReceiveSegment)?.Home ?? lastRing;
                connection.Output.Write(read.Buffer.ToArray());
                connection.Input.AdvanceTo(read.Buffer.End);
                await connection.Output.FlushAsync();
                if (read.IsCompleted)
                {
                    return;
                }
            }
        });
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        Assert.Null(reactor.Buffers.Bulk);

        byte[] upload = Payload.Of(UploadBytes);
        await client.SendAllAsync(upload);
        Assert.Equal(SHA256.HashData(upload), await client.ReceiveExactlyAsync(SHA256.HashSizeInBytes));
        Assert.True(reactor.Buffers.Bulk is { Count: > 0 }, "No large buffer was made.");
        Assert.True(bulkLengths.Max() > reactor.Buffers.Small.BufferSizeBytes, "No large buffer held more than a small one.");

        // A connection leaves the large buffers after a few messages that would have fitted a small one.
        for (int message = 0; message < 20 && lastRing != reactor.Buffers.Small; message++)
        {
            byte[] small = Payload.Of(100 + message);
            await client.SendAllAsync(small);
            Payload.AssertSame(small, await client.ReceiveExactlyAsync(small.Length));
        }

        Assert.Same(reactor.Buffers.Small, lastRing);
    }

    [Fact]
    public async Task AShortageOfMemoryForBulkBuffersIsOnlySlower()
    {
        var kernel = new FaultyKernel(1, new FaultRates { [Fault.RegisterBuffersNoMemory] = 1000 });
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.ReactorCount = 1;
            options.PlayedKernel = kernel;
        });
        await using RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync);
        long atStart = kernel.Counts[Fault.RegisterBuffersNoMemory];
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        byte[] upload = Payload.Of(1024 * 1024);
        long started = Environment.TickCount64;
        while (fixture[0].Buffers.Bulk is null && Environment.TickCount64 - started < 20_000)
        {
            Task<byte[]> receiving = client.ReceiveExactlyAsync(upload.Length);
            await client.SendAllAsync(upload);
            Payload.AssertSame(upload, await receiving);
        }

        Assert.NotNull(fixture[0].Buffers.Bulk);
        Assert.True(kernel.Counts[Fault.RegisterBuffersNoMemory] > atStart, "It was never injected.");
    }

    [Fact]
    public async Task KeepsSmallMessagesOutOfTheBulkBuffers()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        await using RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync);
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        for (int message = 0; message < 100; message++)
        {
            byte[] small = Payload.Of(1 + (message * 40));
            await client.SendAllAsync(small);
            Payload.AssertSame(small, await client.ReceiveExactlyAsync(small.Length));
        }

        Assert.Null(fixture[0].Buffers.Bulk);
    }

    private static void SkipWithoutInternet6(Way way)
        => Assert.SkipUnless(
            way is not (Way.Internet6 or Way.Internet4ToDualStack or Way.Internet6ToDualStack) || Socket.OSSupportsIPv6,
            "This host has no IPv6.");

    private static EndPoint ServerEndPoint(Way way, string directory)
    {
        switch (way)
        {
            case Way.Internet4:
                return new IPEndPoint(IPAddress.Loopback, 0);
            case Way.Internet6:
                return new IPEndPoint(IPAddress.IPv6Loopback, 0);
            case Way.Internet4ToDualStack:
            case Way.Internet6ToDualStack:
                return new IPEndPoint(IPAddress.IPv6Any, 0);
            case Way.AbstractUnix:
                return new UnixDomainSocketEndPoint($"\0ioxide-echo-{Guid.NewGuid():N}");
            default:
                string path = Path.Combine(directory, "echo.sock");
                Assert.InRange(path.Length, 1, MaxUnixPathBytes);
                return new UnixDomainSocketEndPoint(path);
        }
    }

    private static EndPoint ClientEndPoint(Way way, EndPoint bound) => way switch
    {
        Way.Internet4ToDualStack => new IPEndPoint(IPAddress.Loopback, ((IPEndPoint)bound).Port),
        Way.Internet6ToDualStack => new IPEndPoint(IPAddress.IPv6Loopback, ((IPEndPoint)bound).Port),
        _ => bound,
    };
}
