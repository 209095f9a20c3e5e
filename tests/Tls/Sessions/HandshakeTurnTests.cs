using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Tls.Tests;

/// <summary>The work of handshakes does not keep a reactor from its other connections: it is spread over turns, and long keys are used elsewhere.</summary>
public class HandshakeTurnTests() : ReactorTests(OneReactor)
{
    /// <summary>Each step takes as long as a turn may spend on steps, so each gets a turn of its own, however many arrive together.</summary>
    [Fact]
    public async Task StepsThatArriveTogetherAreSpreadOverTurns()
    {
        const int Count = 20;
        ConcurrentQueue<long> turns = [];
        Reactor reactor = Fixture[0];
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, TlsEcho.Options(options => options.OnAnswer = _ =>
        {
            Assert.True(reactor.IsCurrent);
            turns.Enqueue(reactor.Turns);
            for (long started = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(started) < 2.Milliseconds();)
            {
            }
        }));
        byte[] hello = await ClientHello.CatchAsync();
        using HalfHandshakes half = new();
        for (int index = 0; index < Count; index++)
        {
            await half.OpenAsync(echo, []);
        }

        // All hellos lie in their sockets before the reactor sees the first.
        using ManualResetEventSlim sent = new();
        Task<bool> holding = reactor.RunAsync(() => SpinWait.SpinUntil(() => sent.IsSet, Patience.Limit));
        for (int index = 0; index < Count; index++)
        {
            await half[index].Socket.SendAllAsync(hello);
        }

        sent.Set();
        Assert.True(await holding.Within(Patience.Limit));
        for (int index = 0; index < Count; index++)
        {
            await half[index].WaitForAnswerAsync();
        }

        Assert.Equal(Count, turns.Count);
        Assert.Equal(Count, turns.Distinct().Count());
    }

    [Theory]
    [InlineData(2048, false)]
    [InlineData(3072, true)]
    [InlineData(4096, true)]
    public async Task ALongKeyIsUsedOnTheThreadPool(int rsaBits, bool isOnPool)
    {
        ConcurrentQueue<bool> places = [];
        await using TlsEcho echo = await TlsEcho.StartAsync(TlsEcho.Options(options =>
        {
            options.Certificate = TestCertificates.SignRsa(rsaBits);
            options.OnAnswer = connection => places.Enqueue(connection.Reactor.IsCurrent);
        }));
        await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => EchoOnceAsync(echo))).Within(Patience.Limit);
        Assert.Equal(Enumerable.Repeat(!isOnPool, 8), places);
    }

    /// <summary>The certificate is chosen before the handshake, so its key is known.</summary>
    [Fact]
    public async Task ALongKeyOfASelectorIsUsedOnTheThreadPool()
    {
        X509Certificate2 certificate = TestCertificates.SignRsa(4096);
        ConcurrentQueue<bool> places = [];
        await using TlsEcho echo = await TlsEcho.StartAsync(TlsEcho.Options(options =>
        {
            options.CertificateSelector = (_, name) => name.Length > 0 ? certificate : null;
            options.OnAnswer = connection => places.Enqueue(connection.Reactor.IsCurrent);
        }));
        await EchoOnceAsync(echo);
        await EchoOnceAsync(echo);
        Assert.Equal([false, false], places);
    }

    [Fact]
    public async Task AClientThatResetsWhileItsKeyIsInUseElsewhereLeavesNothing()
    {
        using ManualResetEventSlim release = new();
        TaskCompletionSource isInUse = Waits.Signal();
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, LongKeyOptions(isInUse, release));
        byte[] hello = await ClientHello.CatchAsync();
        int before = TlsBufferSession.LiveCount;
        using HalfHandshakes half = new();
        await half.OpenAsync(echo, hello);
        await isInUse.Task.Within(Patience.Limit);
        half.Last.Socket.Reset();

        // The reactor serves meanwhile; the object that the other thread works on is there.
        await echo.Reactor.RunAsync(static () => 0).Within(Patience.Limit);
        Assert.Equal(before + 1, TlsBufferSession.LiveCount);
        release.Set();
        Assert.IsType<IOException>((await echo.NextEndAsync()).Error, exactMatch: false);
        Assert.Equal(before, TlsBufferSession.LiveCount);
        await EchoOnceAsync(echo);
    }

    [Fact]
    public async Task ANewCertificateWhileAKeyIsInUseCountsForTheNextHandshake()
    {
        using ManualResetEventSlim release = new();
        TaskCompletionSource isInUse = Waits.Signal();
        EchoOptions options = LongKeyOptions(isInUse, release);
        X509Certificate2 certificate = options.Certificate!;
        options.CertificateSelector = (_, _) => Volatile.Read(ref certificate);
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, options);
        Task<SslClient> early = SslClient.ConnectAsync(echo.EndPoint);
        await isInUse.Task.Within(Patience.Limit);
        Volatile.Write(ref certificate, TestCertificates.Ecdsa);

        // The new key is short: its handshake waits for nobody.
        await using SslClient late = await SslClient.ConnectAsync(echo.EndPoint);
        Assert.Equal(TestCertificates.Ecdsa.Subject, late.ServerSubject);
        Assert.False(early.IsCompleted);
        release.Set();
        await using SslClient finished = await early.Within(Patience.Limit);
        Assert.Equal("CN=localhost long", finished.ServerSubject);
        Assert.Equal(Payload.Of(5000), await finished.EchoAsync(Payload.Of(5000)));
    }

    [Fact]
    public async Task TheReactorEndsWhileAKeyIsInUse()
    {
        using ManualResetEventSlim release = new();
        TaskCompletionSource isInUse = Waits.Signal();
        int before = TlsBufferSession.LiveCount;
        await using (ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1))
        {
            using TlsServer server = LongKeyOptions(isInUse, release).CreateServer();
            TaskCompletionSource<Exception?> ended = Waits.Signal<Exception?>();
            RingListener listener = await fixture.ListenAsync(async connection => ended.SetResult(await Record.ExceptionAsync(
                async () => await server.AuthenticateAsync(connection))));
            using Socket socket = await RawSocket.ConnectAsync(listener.EndPoint);
            await socket.SendAllAsync(await ClientHello.CatchAsync());
            await isInUse.Task.Within(Patience.Limit);
            await fixture.Group.DisposeAsync().AsTask().Within(Patience.Limit);
            release.Set();
            Assert.NotNull(await ended.Task.Within(Patience.Limit));
        }

        Assert.Equal(before, TlsBufferSession.LiveCount);
    }

    /// <summary>The first use of the key waits to be released; later ones do not.</summary>
    private static EchoOptions LongKeyOptions(TaskCompletionSource isInUse, ManualResetEventSlim release)
        => TlsEcho.Options(options =>
        {
            options.Certificate = TestCertificates.SignRsa(4096);
            options.OnAnswer = _ =>
            {
                if (isInUse.TrySetResult())
                {
                    Assert.True(release.Wait(Patience.Limit));
                }
            };
        });

    private static async Task EchoOnceAsync(TlsEcho echo)
    {
        await using SslClient client = await SslClient.ConnectAsync(echo.EndPoint);
        Payload.AssertSame(Payload.Of(100), await client.EchoAsync(Payload.Of(100)));
        await client.FinishAsync();
    }
}
