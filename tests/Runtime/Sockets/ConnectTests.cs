using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>Outbound connections to plain listening sockets: every family, refusal, cancellation, the place they live on.</summary>
public class ConnectTests : ReactorTests
{
    public enum Way
    {
        Internet4,
        Internet6,
        Unix,
        AbstractUnix,
        DnsName,
    }

    [Theory, Each(Way.Internet4, Way.Internet6, Way.Unix, Way.AbstractUnix, Way.DnsName)]
    public async Task ExchangesBytesWithAServer(Way way)
    {
        Assert.SkipUnless(way != Way.Internet6 || Socket.OSSupportsIPv6, "This host has no IPv6.");
        string directory = Directory.CreateTempSubdirectory("ioxide-connect").FullName;
        try
        {
            using Socket listener = Listen(way, directory);
            EndPoint target = way == Way.DnsName
                ? new DnsEndPoint("localhost", ((IPEndPoint)listener.LocalEndPoint!).Port)
                : listener.LocalEndPoint!;
            Task serving = EchoAsync(listener);
            RingConnection connection = await Fixture.Group.ConnectAsync(target).Within(20.Seconds());
            byte[] sent = Payload.Of(1_000_000);
            byte[] received = await connection.Reactor.RunAsync(() => RoundTripAsync(connection, sent)).Within(20.Seconds());
            Payload.AssertSame(sent, received);
            await serving.Within(20.Seconds());
            if (target is IPEndPoint)
            {
                Assert.Equal(target, connection.RemoteEndPoint);
                Assert.NotEqual(0, ((IPEndPoint)connection.LocalEndPoint!).Port);
            }

            await connection.DisposeAsync().Within(20.Seconds());
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
    }

    /// <summary>No NUL ends an abstract name, so it has room for one byte more than a path.</summary>
    [Theory, AllValues]
    public async Task ReachesTheLongestNameOfAUnixSocket(bool isAbstract)
    {
        const int MostBytes = 108;
        string directory = isAbstract ? "\0" : Directory.CreateTempSubdirectory("ioxide-connect").FullName + "/";
        string name = directory + Guid.NewGuid().ToString("N").PadRight(MostBytes, 'x')[..(MostBytes - directory.Length - (isAbstract ? 0 : 1))];
        try
        {
            await using RingListener listener = await Fixture.ListenAsync(EchoHandler.RunAsync, endPoint: new UnixDomainSocketEndPoint(name));
            RingConnection connection = await Fixture.Group.ConnectAsync(new UnixDomainSocketEndPoint(name)).Within(20.Seconds());
            byte[] received = await connection.Reactor.RunAsync(() => RoundTripAsync(connection, "one"u8.ToArray())).Within(20.Seconds());
            Assert.Equal("one"u8.ToArray(), received);
            Assert.Equal(new UnixDomainSocketEndPoint(name), connection.RemoteEndPoint);
            await connection.DisposeAsync().Within(20.Seconds());
        }
        finally
        {
            if (!isAbstract)
            {
                Directory.Delete(directory, recursive: true);
            }
        }
    }

    /// <remarks>Such a name has a file, in the folder of the process; .NET itself shows an abstract name with this sign.</remarks>
    [Fact]
    public async Task ANameThatBeginsWithAnAtSignIsAFile()
    {
        string name = $"@ioxide-{Guid.NewGuid():N}";
        RingListener listener = await Fixture.ListenAsync(EchoHandler.RunAsync, endPoint: new UnixDomainSocketEndPoint(name));
        Assert.True(File.Exists(name));
        using Socket client = await RawSocket.ConnectAsync(new UnixDomainSocketEndPoint(name));
        await client.SendAllAsync("one"u8.ToArray());
        Assert.Equal("one"u8.ToArray(), await client.ReceiveExactlyAsync(3));
        RingConnection connection = await Fixture.Group.ConnectAsync(new UnixDomainSocketEndPoint(name)).Within(20.Seconds());
        Assert.Equal(new UnixDomainSocketEndPoint(name), connection.RemoteEndPoint);
        await connection.DisposeAsync().Within(20.Seconds());
        await listener.DisposeAsync();
        Assert.False(File.Exists(name));
    }

    /// <remarks>"localhost" has an IPv4 address on every host.</remarks>
    [Theory, Each(AddressFamily.Unspecified, AddressFamily.InterNetwork, AddressFamily.InterNetworkV6)]
    public async Task ANameIsResolvedToAddressesOfItsFamily(AddressFamily family)
    {
        using Socket listener = RawSocket.Listen();
        var target = new DnsEndPoint("localhost", ((IPEndPoint)listener.LocalEndPoint!).Port, family);
        if (family == AddressFamily.InterNetworkV6)
        {
            await Assert.ThrowsAsync<SocketException>(() => Fixture.Group.ConnectAsync(target).Within(20.Seconds()));
            return;
        }

        RingConnection connection = await Fixture.Group.ConnectAsync(target).Within(20.Seconds());
        Assert.Equal(listener.LocalEndPoint, connection.RemoteEndPoint);
        await connection.DisposeAsync().Within(20.Seconds());
    }

    [Fact]
    public async Task StaysOnTheReactorOfTheCallerAndElseTakesTurns()
    {
        using Socket listener = RawSocket.Listen();
        foreach (Reactor reactor in Fixture.Reactors)
        {
            for (int round = 0; round < 4; round++)
            {
                await reactor.RunAsync(async () =>
                {
                    await using RingConnection own = await Fixture.Group.ConnectAsync(listener.LocalEndPoint!);
                    Assert.Same(reactor, own.Reactor);
                    Assert.True(reactor.IsCurrent);
                }).Within(20.Seconds());
            }
        }

        HashSet<Reactor> seen = [];
        for (int round = 0; round < 4; round++)
        {
            await using RingConnection connection = await Fixture.Group.ConnectAsync(listener.LocalEndPoint!).Within(20.Seconds());
            seen.Add(connection.Reactor);
        }

        Assert.Equal(Fixture.Reactors.Count, seen.Count);
    }

    [Fact]
    public async Task SaysThatNobodyListens()
    {
        using Socket nobody = RawSocket.Reserve();
        EndPoint free = nobody.LocalEndPoint!;

        SocketException refused = await Assert.ThrowsAsync<SocketException>(() => Fixture.Group.ConnectAsync(free).Within(20.Seconds()));
        Assert.Equal(SocketError.ConnectionRefused, refused.SocketErrorCode);
        refused = await Assert.ThrowsAsync<SocketException>(
            () => Fixture.Group.ConnectAsync(new DnsEndPoint("localhost", ((IPEndPoint)free).Port)).Within(20.Seconds()));
        Assert.Equal(SocketError.ConnectionRefused, refused.SocketErrorCode);
        await Assert.ThrowsAsync<SocketException>(
            () => Fixture.Group.ConnectAsync(new UnixDomainSocketEndPoint($"\0ioxide-nobody-{Guid.NewGuid():N}")).Within(20.Seconds()));
    }

    [Theory, AllValues]
    public async Task ACancelledAttemptEndsAndFreesItsSocket(bool isUnix)
    {
        const int Backlog = 1;
        using Socket listener = Listen(isUnix, Backlog);
        List<RingConnection> made = [];
        using var source = new CancellationTokenSource();

        // Linux keeps one more than the backlog; the next attempt stays.
        for (int number = 0; number <= Backlog; number++)
        {
            made.Add(await Fixture.Group.ConnectAsync(listener.LocalEndPoint!, null, source.Token).Within(20.Seconds()));
        }

        Task<RingConnection> attempt = Fixture.Group.ConnectAsync(listener.LocalEndPoint!, null, source.Token).AsTask();

        // What each reactor connects later is there, and the attempt is not.
        using Socket roomy = RawSocket.Listen();
        foreach (Reactor _ in Fixture.Group.Reactors)
        {
            made.Add(await Fixture.Group.ConnectAsync(roomy.LocalEndPoint!).Within(20.Seconds()));
        }

        Assert.False(attempt.IsCompleted);
        int before = LeakCheck.Count();
        source.Cancel();
        OperationCanceledException thrown = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => attempt.Within(20.Seconds()));
        Assert.Equal(source.Token, thrown.CancellationToken);
        await Waits.Eventually(() => LeakCheck.Count() == before - 1, 20.Seconds());
        foreach (RingConnection connection in made)
        {
            await connection.DisposeAsync().Within(20.Seconds());
        }
    }

    /// <remarks>
    /// A full listener of a Unix socket holds the caller. The ring tries it over and over, then hands it to a worker; a cancel that
    /// comes between two of these is told that there is no such operation.
    /// </remarks>
    [Theory, AllValues]
    public async Task AnAttemptThatIsCancelledAtAnyMomentEnds(bool isUnix)
    {
        const int AttemptCount = 400;
        using Socket listener = Listen(isUnix, backlog: 0);
        await using RingConnection filling = await Fixture.Group.ConnectAsync(listener.LocalEndPoint!).Within(20.Seconds());
        var random = new Random(1);
        for (int number = 0; number < AttemptCount; number++)
        {
            using var source = new CancellationTokenSource();
            Task<RingConnection> attempt = Fixture.Group.ConnectAsync(listener.LocalEndPoint!, null, source.Token).AsTask();
            int microseconds = random.Next(200);
            long start = Stopwatch.GetTimestamp();
            while (Stopwatch.GetElapsedTime(start).TotalMicroseconds < microseconds)
            {
            }

            source.Cancel();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => attempt.Within(20.Seconds()));
        }
    }

    [Fact]
    public async Task ATokenThatIsCancelledAlreadyOpensNothing()
    {
        using Socket listener = RawSocket.Listen();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Fixture.Group.ConnectAsync(
            listener.LocalEndPoint!, cancellationToken: new CancellationToken(canceled: true)).Within(20.Seconds()));
        Assert.False(listener.Poll(0, SelectMode.SelectRead));
    }

    [Fact]
    public async Task SeesTheResetOfTheServer()
    {
        using Socket listener = RawSocket.Listen();
        RingConnection connection = await Fixture.Group.ConnectAsync(listener.LocalEndPoint!).Within(20.Seconds());
        (await listener.AcceptAsync().Within(20.Seconds())).Reset();
        await Assert.ThrowsAsync<IOException>(() => connection.Reactor.RunAsync(async () => await connection.Input.ReadAsync()).Within(20.Seconds()));
        Assert.Equal(CloseReason.PeerReset, connection.CloseReason);
        await connection.DisposeAsync().Within(20.Seconds());
    }

    private static Socket Listen(Way way, string directory)
    {
        bool isUnix = way is Way.Unix or Way.AbstractUnix;
        AddressFamily family = isUnix ? AddressFamily.Unix
            : way == Way.Internet6 ? AddressFamily.InterNetworkV6 : AddressFamily.InterNetwork;
        var socket = new Socket(family, SocketType.Stream, isUnix ? ProtocolType.Unspecified : ProtocolType.Tcp);
        socket.Bind(way switch
        {
            Way.Unix => new UnixDomainSocketEndPoint(Path.Combine(directory, "peer.sock")),
            Way.AbstractUnix => new UnixDomainSocketEndPoint($"\0ioxide-peer-{Guid.NewGuid():N}"),
            Way.Internet6 => new IPEndPoint(IPAddress.IPv6Loopback, 0),
            _ => new IPEndPoint(IPAddress.Loopback, 0),
        });
        socket.Listen(16);
        return socket;
    }

    private static async Task EchoAsync(Socket listener)
    {
        using Socket peer = await listener.AcceptAsync();
        byte[] chunk = new byte[64 * 1024];
        for (int count = await peer.ReceiveAsync(chunk); count > 0; count = await peer.ReceiveAsync(chunk))
        {
            await peer.SendAllAsync(chunk.AsMemory(0, count));
        }
    }

    private static async Task<byte[]> RoundTripAsync(RingConnection connection, byte[] sent)
    {
        Task writing = WriteAsync();
        using var received = new MemoryStream();
        await connection.Input.CopyToAsync(received);
        await writing;
        return received.ToArray();

        async Task WriteAsync()
        {
            await connection.Output.WriteAsync(sent);
            connection.Output.Complete();
        }
    }

    private static Socket Listen(bool isUnix, int backlog)
    {
        Socket listener = isUnix
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(isUnix
            ? new UnixDomainSocketEndPoint($"\0ioxide-full-{Guid.NewGuid():N}")
            : new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(backlog);
        return listener;
    }
}
