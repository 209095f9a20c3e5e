using System.Net;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>Who may bind what, which reactor gets a connection, and what unbinding does to clients that already queue.</summary>
public class ListenTests : ReactorTests
{
    [Theory, AllValues]
    public async Task LeastLoadedAndUnixSocketsSpreadConnectionsEvenly(bool isUnix)
    {
        const int ConnectionCount = 100;
        await using RingListener listener = await (isUnix
            ? Fixture.ListenAsync(EchoHandler.RunAsync, endPoint: new UnixDomainSocketEndPoint($"\0ioxide-spread-{Guid.NewGuid():N}"))
            : Fixture.ListenAsync(EchoHandler.RunAsync, new RingListenOptions { Balancing = AcceptBalancing.LeastLoaded }));
        Socket[] clients = await Task.WhenAll(Enumerable.Range(0, ConnectionCount).Select(_ => RawSocket.ConnectAsync(listener.EndPoint)));
        await Waits.Eventually(() => Fixture.Reactors.Sum(reactor => reactor.Snapshot().Connections) == ConnectionCount, 20.Seconds());
        Assert.All(Fixture.Reactors, reactor => Assert.InRange(reactor.Snapshot().Connections, (ConnectionCount / 2) - 2, (ConnectionCount / 2) + 2));
        foreach (Socket client in clients)
        {
            await client.SendAllAsync(new byte[1]);
            await client.ReceiveExactlyAsync(1);
            client.Dispose();
        }
    }

    [Theory, Each(1, 2)]
    public async Task APortInUseIsAnError(int reactorCount)
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = reactorCount);
        await using RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync);
        await AssertInUseAsync(() => fixture.ListenAsync(EchoHandler.RunAsync, endPoint: listener.EndPoint));
        await using ReactorGroup other = ReactorGroup.Start(new ReactorOptions { ReactorCount = reactorCount });
        await AssertInUseAsync(() => other.ListenAsync(listener.EndPoint, EchoHandler.RunAsync));
        using var plain = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        Assert.Equal(SocketError.AddressAlreadyInUse, Assert.Throws<SocketException>(() => plain.Bind(listener.EndPoint)).SocketErrorCode);

        // The owner is not harmed.
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        await client.SendAllAsync(new byte[3]);
        await client.ReceiveExactlyAsync(3);
    }

    [Fact]
    public async Task APortOfAPlainSocketIsAnErrorAlsoWithPortSharing()
    {
        using Socket plain = RawSocket.Listen();
        await AssertInUseAsync(() => Fixture.ListenAsync(EchoHandler.RunAsync, endPoint: plain.LocalEndPoint));
        await AssertInUseAsync(() => Fixture.ListenAsync(
            EchoHandler.RunAsync, new RingListenOptions { AllowPortSharing = true }, plain.LocalEndPoint));
    }

    [Fact]
    public async Task AUnixPathInUseIsAnErrorAndIsFreeAfterUnbinding()
    {
        string path = Path.Combine(Path.GetTempPath(), $"ioxide-{Guid.NewGuid():N}.sock");
        var endPoint = new UnixDomainSocketEndPoint(path);
        RingListener listener = await Fixture.ListenAsync(EchoHandler.RunAsync, endPoint: endPoint);
        await AssertInUseAsync(() => Fixture.ListenAsync(EchoHandler.RunAsync, endPoint: endPoint));
        Assert.True(File.Exists(path));
        await listener.UnbindAsync().Within(20.Seconds());
        Assert.False(File.Exists(path));
        await using RingListener again = await Fixture.ListenAsync(EchoHandler.RunAsync, endPoint: endPoint);
    }

    /// <summary>The framework's sockets leave such a file too.</summary>
    [Fact]
    public async Task AGroupStopsThoughTheFileOfAUnixSocketCannotBeRemoved()
    {
        using var folder = new Folder();
        RingListener listener = await Fixture.ListenAsync(EchoHandler.RunAsync, endPoint: folder.EndPoint);
        folder.Dispose();

        await listener.UnbindAsync().Within(20.Seconds());
        await Fixture.Group.StopAsync().Within(20.Seconds());
        Assert.All(Fixture.Reactors, reactor => Assert.True(reactor.HasEnded));
    }

    [Theory, AllValues]
    public async Task AnErrorOfListeningIsToldThoughTheFileCannotBeRemoved(bool isServed)
    {
        using var folder = new Folder();
        var kernel = new UnlistenedKernel(folder);
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.PlayedKernel = kernel);
        Task listening = isServed
            ? fixture.ListenAsync(EchoHandler.RunAsync, endPoint: folder.EndPoint)
            : HeldAddress.BindAsync(kernel, folder.EndPoint, new RingListenOptions(), CancellationToken.None);

        Assert.Equal(SocketError.AddressAlreadyInUse, Assert.IsType<SocketException>(await listening.ErrorWithin(20.Seconds())).SocketErrorCode);
    }

    /// <summary>A name that the framework gives to no endpoint of its own: 107 bytes that are no text.</summary>
    [Fact]
    public async Task AClientMayHaveAnyNameThatTheKernelTakes()
    {
        var name = new System.Net.SocketAddress(AddressFamily.Unix, 110);
        for (int index = 3; index < name.Size; index++)
        {
            name[index] = 0xFF;
        }

        await using RingListener listener = await Fixture.ListenAsync(
            EchoHandler.RunAsync, endPoint: new UnixDomainSocketEndPoint($"\0ioxide-named-{Guid.NewGuid():N}"));
        using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        client.Bind(listener.EndPoint.Create(name));
        await client.ConnectAsync(listener.EndPoint).Within(20.Seconds());
        await client.SendAllAsync("one"u8.ToArray());

        Assert.Equal("one"u8.ToArray(), await client.ReceiveExactlyAsync(3));
    }

    [Fact]
    public async Task WaitsForAPortThatIsAboutToBeFree()
    {
        Socket plain = RawSocket.Listen();
        Task<RingListener> listening = Fixture.ListenAsync(EchoHandler.RunAsync, endPoint: plain.LocalEndPoint);
        Assert.False(listening.IsCompleted);
        plain.Dispose();
        await using RingListener listener = await listening;
    }

    [Fact]
    public async Task GroupsMaySharePortsAndHandThemOver()
    {
        var sharing = new RingListenOptions { AllowPortSharing = true };
        await using ReactorGroup second = ReactorGroup.Start(new ReactorOptions { ReactorCount = 2 });
        RingListener first = await Fixture.ListenAsync(EchoHandler.RunAsync, sharing);
        await using RingListener other = await second.ListenAsync(first.EndPoint, EchoHandler.RunAsync, sharing);
        await EchoManyAsync(first.EndPoint, 200);
        Assert.True(Fixture.Reactors.Sum(reactor => reactor.Snapshot().Accepted) > 0);
        long before = second.Reactors.Sum(reactor => reactor.Snapshot().Accepted);
        Assert.True(before > 0);

        await first.UnbindAsync().Within(20.Seconds());
        await EchoManyAsync(other.EndPoint, 50);
        Assert.Equal(before + 50, second.Reactors.Sum(reactor => reactor.Snapshot().Accepted));
    }

    /// <param name="cqEntries">With few, the accept ends by overflow while clients still queue, and unbinding must take the rest.</param>
    [Theory, Each(4096, 8)]
    public async Task UnbindingServesTheClientsThatQueueAlready(int cqEntries)
    {
        const int ClientCount = 60;
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.SqEntries = 8;
            options.CqEntries = cqEntries;
        });
        RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync);
        using var release = new Blocker();
        foreach (Reactor reactor in fixture.Reactors)
        {
            TaskCompletionSource isBlocked = Waits.Signal();
            reactor.Post(
                _ =>
                {
                    isBlocked.SetResult();
                    release.Hold();
                },
                null);
            await isBlocked.Task.Within(20.Seconds());
        }

        Socket[] clients = await Task.WhenAll(Enumerable.Range(0, ClientCount).Select(_ => RawSocket.ConnectAsync(listener.EndPoint)));
        foreach (Socket client in clients)
        {
            await client.SendAllAsync("queued"u8.ToArray());
        }

        Task unbinding = listener.UnbindAsync();
        Assert.False(unbinding.IsCompleted);
        release.Release();
        await unbinding.Within(20.Seconds());
        foreach (Socket client in clients)
        {
            Assert.Equal("queued"u8.ToArray(), await client.ReceiveExactlyAsync(6));
            client.Dispose();
        }

        await RawSocket.UntilNobodyListensAsync(listener.EndPoint);
    }

    [Fact]
    public async Task APortCanBeBoundAgainAtOnceWhileOldConnectionsGoOn()
    {
        RingListener listener = await Fixture.ListenAsync(EchoHandler.RunAsync);
        EndPoint endPoint = listener.EndPoint;
        for (int round = 0; round < 20; round++)
        {
            using Socket old = await RawSocket.ConnectAsync(endPoint);
            await old.SendAllAsync(new byte[1]);
            await old.ReceiveExactlyAsync(1);
            await listener.UnbindAsync().Within(20.Seconds());
            await listener.UnbindAsync().Within(20.Seconds());
            listener = await Fixture.ListenAsync(EchoHandler.RunAsync, endPoint: endPoint);
            using Socket young = await RawSocket.ConnectAsync(endPoint);
            foreach (Socket client in (Socket[])[old, young])
            {
                await client.SendAllAsync("go"u8.ToArray());
                Assert.Equal("go"u8.ToArray(), await client.ReceiveExactlyAsync(2));
            }
        }
    }

    [Fact]
    public async Task AListenerThatItsOwnerShutDownIsLookedAtSeldom()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        using var owned = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        owned.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        owned.Listen();
        await using RingListener listener = await RingListener.AdoptAsync(
            fixture.Group, (int)owned.SafeHandle.DangerousGetHandle(), static _ => { }, new RingListenOptions());
        owned.Shutdown(SocketShutdown.Both);
        Reactor reactor = fixture[0];
        await Waits.Eventually(() => reactor.Snapshot().AcceptPauses >= 3, 20.Seconds());
        Assert.InRange(reactor.Snapshot().Completions, 1, 100);
    }

    [Fact]
    public async Task AnEndedGroupClosesEachListeningSocketOnlyOnce()
    {
        // A second close of the same number may hit a descriptor that another thread has just opened.
        const int AttemptCount = 3000;
        await Fixture.Group.DisposeAsync().Within(20.Seconds());
        using var stop = new CancellationTokenSource();
        Task<int> opening = Task.Run(() =>
        {
            int lost = 0;
            int[] numbers = new int[16];
            while (!stop.IsCancellationRequested)
            {
                for (int index = 0; index < numbers.Length; index++)
                {
                    numbers[index] = Kernel.Linux.EventDescriptor();
                }

                foreach (int number in numbers)
                {
                    lost += Kernel.Linux.Close(number) < 0 ? 1 : 0;
                }
            }

            return lost;
        });
        for (int attempt = 0; attempt < AttemptCount; attempt++)
        {
            await Assert.ThrowsAsync<ObjectDisposedException>(() => Fixture.Group.ListenAsync(
                new IPEndPoint(IPAddress.Loopback, 0), EchoHandler.RunAsync));
        }

        stop.Cancel();
        Assert.Equal(0, await opening.Within(20.Seconds()));
    }

    private static async Task AssertInUseAsync(Func<Task> listen)
        => Assert.Equal(SocketError.AddressAlreadyInUse, (await Assert.ThrowsAsync<SocketException>(listen)).SocketErrorCode);

    private static async Task EchoManyAsync(EndPoint endPoint, int count)
    {
        for (int client = 0; client < count; client++)
        {
            using Socket socket = await RawSocket.ConnectAsync(endPoint);
            await socket.SendAllAsync(new byte[1]);
            await socket.ReceiveExactlyAsync(1);
        }
    }

    /// <summary>Room for the file of a unix socket, until it is disposed.</summary>
    private sealed class Folder : IDisposable
    {
        private readonly string _path = Directory.CreateTempSubdirectory("ioxide-listen").FullName;

        internal UnixDomainSocketEndPoint EndPoint => new(Path.Combine(_path, "listener.sock"));

        public void Dispose()
        {
            if (Directory.Exists(_path))
            {
                Directory.Delete(_path, recursive: true);
            }
        }
    }

    /// <summary>Refuses to listen, and removes the folder before that.</summary>
    private sealed class UnlistenedKernel(Folder folder) : Kernel
    {
        internal override int Listen(int fd, int backlog)
        {
            folder.Dispose();
            return -Errno.EADDRINUSE;
        }
    }
}
