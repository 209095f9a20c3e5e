using System.Net.Sockets;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Ioxide.Tls.Tests;

/// <summary>
/// Clients that begin a handshake and fall silent hold memory, which is bounded, and nothing that an honest handshake needs. Nothing here
/// depends on time: timeouts are infinite or stand for the very thing that is waited for.
/// </summary>
public class HalfHandshakeTests() : ReactorTests(OneReactor)
{
    private const int Many = 20;

    [Fact]
    public async Task AnHonestHandshakeIsDoneWhileHalfOnesOfAllKindsStayOpen()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, Options(Many + (Many / 2) + 2));
        byte[] hello = await ClientHello.CatchAsync();
        int before = TlsBufferSession.LiveCount;
        using HalfHandshakes half = new();
        for (int index = 0; index < Many; index++)
        {
            await half.OpenAsync(echo, []);
            await half.OpenAsync(echo, [0x16, 3, 1, 2, 0]);
            await half.OpenAsync(echo, hello[..(hello.Length / 2)]);
            await half.OpenAsync(echo, ClientHello.Fragment(hello, 1)[..^1]);
            await half.OpenAsync(echo, hello);
            await half.Last.WaitForAnswerAsync();
        }

        // Whose hello is not whole has no object of OpenSSL's; who was answered has one.
        Assert.Equal(before + Many, TlsBufferSession.LiveCount);
        for (int round = 0; round < 3; round++)
        {
            await EchoOnceAsync(echo);
            Assert.NotNull((await echo.NextEndAsync()).Session);
        }

        Assert.Equal(0, echo.EndCount);
    }

    /// <summary>2,100 answered clients held all places once; the honest one waited for their timeout.</summary>
    [Fact]
    public async Task WhoHasBeenSilentLongestMakesRoom()
    {
        const int Limit = 4;
        const int Count = 20;
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, Options(Limit));
        byte[] hello = await ClientHello.CatchAsync();
        int before = TlsBufferSession.LiveCount;
        using HalfHandshakes half = new();
        for (int index = 0; index < Count; index++)
        {
            await half.OpenAsync(echo, hello);
            await half.Last.WaitForAnswerAsync();
        }

        await EchoOnceAsync(echo);
        List<TlsFailure?> failures = [];
        for (TlsEnd end = await echo.NextEndAsync(); end.Session is null; end = await echo.NextEndAsync())
        {
            failures.Add(end.Failure);
        }

        Assert.Equal(Enumerable.Repeat<TlsFailure?>(TlsFailure.Displaced, Count - Limit + 1), failures);
        Assert.True(TlsBufferSession.LiveCount <= before + Limit);

        // The oldest are gone and the youngest are there.
        for (int index = 0; index <= Count - Limit; index++)
        {
            await half[index].WaitForEndAsync();
        }

        for (int index = Count - Limit + 1; index < Count; index++)
        {
            Assert.True(half[index].IsOpen, $"{index}");
        }
    }

    [Fact]
    public async Task HalfAHelloCostsAnEighthOfAHandshake()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, Options(2));
        using HalfHandshakes half = new();
        for (int index = 0; index < HandshakeLimit.AnsweredUnits; index++)
        {
            await half.OpenAsync(echo, [0x16, 3, 1, 2, 0]);
        }

        await EchoOnceAsync(echo);
        Assert.NotNull((await echo.NextEndAsync()).Session);
        Assert.Equal(0, echo.EndCount);
    }

    [Fact]
    public async Task AByteNowAndThenIsSilence()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, Options(1));
        using HalfHandshakes half = new();
        for (int index = 0; index < HandshakeLimit.AnsweredUnits; index++)
        {
            await half.OpenAsync(echo, [0x16, 3, 1, 2, 0]);
        }

        long received = Fixture[0].Snapshot().BytesReceived;
        await half[0].Socket.SendAllAsync(new byte[] { 1 });
        await Waits.Eventually(() => Fixture[0].Snapshot().BytesReceived == received + 1, Patience.Limit);
        await half.OpenAsync(echo, [0x16, 3, 1, 2, 0]);
        Assert.Equal(TlsFailure.Displaced, (await echo.NextEndAsync()).Failure);
        await half[0].WaitForEndAsync();
        Assert.Equal(0, echo.EndCount);
    }

    /// <summary>What a hello in parts keeps in buffers counts, so that long ones cannot add up.</summary>
    [Fact]
    public async Task WhatWasSentOfAHelloCounts()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, Options(1));
        byte[] part = [.. ClientHello.Record(22, [1, 0, 0x7f, 0, .. new byte[16_000]]), .. ClientHello.Record(22, new byte[15_000])];
        using HalfHandshakes half = new();
        for (int index = 0; index < 3; index++)
        {
            await half.OpenAsync(echo, part);
        }

        Assert.Equal(TlsFailure.Displaced, (await echo.NextEndAsync()).Failure);
        Assert.Equal(TlsFailure.Displaced, (await echo.NextEndAsync()).Failure);
        await half[0].WaitForEndAsync();
        await half[1].WaitForEndAsync();
        Assert.True(half[2].IsOpen);
    }

    [Fact]
    public async Task SilentOnesOfAllKindsEndWithTheirTime()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(
            Fixture, TlsEcho.Options(static options => options.HandshakeTimeout = 300.Milliseconds()));
        byte[] hello = await ClientHello.CatchAsync();
        int before = TlsBufferSession.LiveCount;
        using HalfHandshakes half = new();
        await half.OpenAsync(echo, []);
        await half.OpenAsync(echo, [0x16, 3, 1, 2, 0]);
        await half.OpenAsync(echo, ClientHello.Fragment(hello, 1)[..^1]);
        await half.OpenAsync(echo, hello);
        for (int index = 0; index < half.Count; index++)
        {
            Assert.Equal(TlsFailure.Timeout, (await echo.NextEndAsync()).Failure);
            await half[index].WaitForEndAsync();
        }

        Assert.Equal(before, TlsBufferSession.LiveCount);
    }

    /// <summary>RFC 8446, section 5.1. Five bytes held a place of the gate for ten seconds once.</summary>
    [Theory]
    [InlineData("1603010000", TlsAlert.UnexpectedMessage)]
    [InlineData("160301000102", TlsAlert.UnexpectedMessage)]
    [InlineData("160301000401020000", TlsAlert.IllegalParameter)]
    public async Task AMalformedHelloIsAnsweredAtOnceByAnAlert(string bytes, TlsAlert alert)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, Options(4));
        int before = TlsBufferSession.LiveCount;
        using Socket socket = await RawSocket.ConnectAsync(echo.EndPoint);
        await socket.SendAllAsync(Convert.FromHexString(bytes));
        Assert.Equal([21, 3, 3, 0, 2, 2, (byte)alert], await socket.ReceiveExactlyAsync(7));
        Assert.Equal(TlsFailure.Protocol, (await echo.NextEndAsync()).Failure);
        Assert.Equal(before, TlsBufferSession.LiveCount);
    }

    /// <summary>OpenSSL makes room for what a second hello says that it takes.</summary>
    [Theory]
    [InlineData("160303000401020000", TlsAlert.IllegalParameter)]
    [InlineData("140303000101160303000401020000", TlsAlert.IllegalParameter)]
    [InlineData("1603030000", TlsAlert.UnexpectedMessage)]
    public async Task ASecondHelloIsBoundedLikeTheFirst(string second, TlsAlert alert)
    {
        byte[] retry = Convert.FromHexString("CF21AD74E59A6111BE1D8C021E65B891C2A211167ABB8C5E079E09E2C8A8339C");
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, Options(4));
        using Socket socket = await RawSocket.ConnectAsync(echo.EndPoint);
        await socket.SendAllAsync(ClientHello.WithStrangeKey(await ClientHello.CatchAsync()));
        byte[] head = await socket.ReceiveExactlyAsync(5);
        byte[] hello = await socket.ReceiveExactlyAsync((head[3] << 8) | head[4]);
        Assert.Equal(retry, hello[6..38]);
        await socket.SendAllAsync(Convert.FromHexString(second));
        byte[] rest = await socket.ReceiveToEndAsync();
        Assert.Equal([21, 3, 3, 0, 2, 2, (byte)alert], rest[^7..]);
    }

    [Fact]
    public async Task AHelloInRecordsOfOneByteIsAnswered()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, Options(1));
        using HalfHandshakes half = new();
        await half.OpenAsync(echo, ClientHello.Fragment(await ClientHello.CatchAsync(), 1));
        await half.Last.WaitForAnswerAsync();
    }

    /// <summary>It waits for them as long as stock Kestrel does: <see cref="HostOptions.ShutdownTimeout"/>.</summary>
    [Fact]
    public async Task AStopEndsHalfHandshakes()
    {
        await using HttpsServer server = await HttpsServer.StartAsync(
            listen => listen.UseIoxideTls(static https =>
            {
                https.ServerCertificate = TestCertificates.Ecdsa;
                https.HandshakeTimeout = TimeSpan.FromHours(1);
            }),
            static host => host.ConfigureServices(
                static services => services.Configure<HostOptions>(static options => options.ShutdownTimeout = 2.Seconds())));
        byte[] hello = await ClientHello.CatchAsync();
        List<Socket> half = [];
        try
        {
            foreach (byte[] part in (byte[][])[[0x16, 3, 1, 2, 0], hello[..^1], hello])
            {
                half.Add(await RawSocket.ConnectAsync(server.EndPoint));
                await half[^1].SendAllAsync(part);
            }

            Assert.Equal(22, (await half[^1].ReceiveExactlyAsync(1))[0]);
            await server.StopAsync();
        }
        finally
        {
            half.ForEach(static socket => socket.Dispose());
        }
    }

    private static EchoOptions Options(int maxHandshakes) => TlsEcho.Options(options =>
    {
        options.MaxHandshakesPerReactor = maxHandshakes;
        options.HandshakeTimeout = Timeout.InfiniteTimeSpan;
    });

    private static async Task EchoOnceAsync(TlsEcho echo)
    {
        await using SslClient client = await SslClient.ConnectAsync(echo.EndPoint);
        Payload.AssertSame(Payload.Of(5000), await client.EchoAsync(Payload.Of(5000)));
        await client.FinishAsync();
    }
}
