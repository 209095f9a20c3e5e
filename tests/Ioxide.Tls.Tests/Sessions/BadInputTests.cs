using System.Net.Sockets;
using System.Text;

namespace Ioxide.Tls.Tests;

/// <summary>What is no TLS, or too slow: an alert or a close, and others are served.</summary>
public class BadInputTests
{
    [Theory]
    [InlineData("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")]
    [InlineData("\u0080\u002e\u0001\u0000\u0002\u0000\u0015\u0000\u0000\u0000\u0010")]
    [InlineData("\u0016\u0002\u0001\u0000\u0005hello")]
    [InlineData("\u0016\u0003\u0001\u00ff\u00ff")]
    [InlineData("\u0017\u0003\u0003\u0000\u0003abc")]
    [InlineData("\u0016\u0003\u0001\u0000\u0005hello")]
    [InlineData("\u0015\u0003\u0001\u0000\u0002\u0002\u0028")]
    [InlineData("\u0016\u0003\u0001\u0000\u0000")]
    public async Task WhatIsNoHandshakeIsAnsweredByAnAlertOrAClose(string bytes)
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using TlsEcho echo = await TlsEcho.StartAsync(fixture);
        using Socket socket = await RawSocket.ConnectAsync(echo.EndPoint);
        await socket.SendAsync(Encoding.Latin1.GetBytes(bytes)).Within(60.Seconds());
        socket.Shutdown(SocketShutdown.Send);
        byte[] answer = await ReadToEndAsync(socket);
        Assert.True(answer.Length == 0 || answer[0] == 21, Convert.ToHexString(answer));
        TlsEnd end = await echo.NextEndAsync();
        Assert.Null(end.Session);
        Assert.NotNull(end.Failure);
        await using SslClient other = await SslClient.ConnectAsync(echo.EndPoint);
        Payload.AssertSame(Payload.Of(10), await other.EchoAsync(Payload.Of(10)));
    }

    /// <summary>RFC 6066, section 3: the alert says that it is the name. Nothing else goes out before it.</summary>
    [Fact]
    public async Task ANameThatIsNotServedIsAnsweredByTheAlertThatSaysSo()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        TlsServerOptions options = TlsEcho.Options(static options => options.RequireKnownName = true);
        options.CertificatesByName["other.test"] = TestCertificates.Named;
        await using TlsEcho echo = await TlsEcho.StartAsync(fixture, options);
        using Socket socket = await RawSocket.ConnectAsync(echo.EndPoint);
        await socket.SendAsync(await HelloAsync()).Within(60.Seconds());
        Assert.Equal([21, 3, 3, 0, 2, 2, (byte)TlsAlert.UnrecognizedName], await ReadToEndAsync(socket));
        Assert.Equal(TlsFailure.Handshake, (await echo.NextEndAsync()).Failure);
    }

    [Fact]
    public async Task AHandshakeThatTakesTooLongIsAborted()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using TlsEcho echo = await TlsEcho.StartAsync(
            fixture, TlsEcho.Options(options => options.HandshakeTimeout = 200.Milliseconds()));
        using Socket socket = await RawSocket.ConnectAsync(echo.EndPoint);
        await socket.SendAsync(new byte[] { 0x16, 3, 1 }).Within(60.Seconds());
        Assert.Equal(TlsFailure.Timeout, (await echo.NextEndAsync()).Failure);
        Assert.Empty(await ReadToEndAsync(socket));
    }

    /// <summary>Half-open handshakes hold all places; who comes next waits, and is served when they are gone.</summary>
    [Fact]
    public async Task HandshakesBeyondTheLimitWait()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        await using TlsEcho echo = await TlsEcho.StartAsync(fixture, TlsEcho.Options(options => options.MaxHandshakesPerReactor = 1));
        byte[] hello = await HelloAsync();
        using Socket halfOpen = await RawSocket.ConnectAsync(echo.EndPoint);
        await halfOpen.SendAsync(hello).Within(60.Seconds());
        Assert.NotEqual(0, await halfOpen.ReceiveAsync(new byte[100]).Within(60.Seconds(), "the server's hello"));
        using Socket waiting = await RawSocket.ConnectAsync(echo.EndPoint);
        await waiting.SendAsync(hello).Within(60.Seconds());
        await Waits.Eventually(() => fixture[0].Snapshot().BytesReceived == 2 * hello.Length, 60.Seconds());

        // The turn that received the second hello has ended; without a limit its answer would be here.
        for (int turn = 0; turn < 3; turn++)
        {
            await fixture[0].RunAsync(static () => 0).Within(60.Seconds());
        }

        Assert.Equal(0, waiting.Available);
        halfOpen.Dispose();
        Assert.NotEqual(0, await waiting.ReceiveAsync(new byte[100]).Within(60.Seconds(), "the second hello is answered"));
    }

    /// <summary>Many begin and none goes on: no more than the limit are answered, and who is in already is served as before.</summary>
    [Fact]
    public async Task AFloodOfHandshakesHoldsNoMoreThanTheLimit()
    {
        const int Limit = 4;
        const int Count = 200;
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        await using TlsEcho echo = await TlsEcho.StartAsync(fixture, TlsEcho.Options(options =>
        {
            options.MaxHandshakesPerReactor = Limit;
            options.HandshakeTimeout = Timeout.InfiniteTimeSpan;
        }));
        byte[] hello = await HelloAsync();
        await using SslClient established = await SslClient.ConnectAsync(echo.EndPoint);
        Payload.AssertSame(Payload.Of(10), await established.EchoAsync(Payload.Of(10)));
        long before = fixture[0].Snapshot().BytesReceived;
        List<Socket> flood = [];
        try
        {
            for (int index = 0; index < Count; index++)
            {
                flood.Add(await RawSocket.ConnectAsync(echo.EndPoint));
                await flood[index].SendAsync(hello).Within(60.Seconds());
            }

            await Waits.Eventually(() => fixture[0].Snapshot().BytesReceived - before == Count * hello.Length, 60.Seconds());
            for (int round = 0; round < 10; round++)
            {
                Payload.AssertSame(Payload.Of(5000), await established.EchoAsync(Payload.Of(5000)));
            }

            await Waits.Eventually(() => flood.Count(static socket => socket.Available > 0) == Limit, 60.Seconds());
        }
        finally
        {
            flood.ForEach(static socket => socket.Dispose());
        }

        await using SslClient other = await SslClient.ConnectAsync(echo.EndPoint);
        Payload.AssertSame(Payload.Of(10), await other.EchoAsync(Payload.Of(10)));
    }

    /// <summary>A whole handshake's bytes with one byte changed, dropped or doubled, from a seed: never more than a failed handshake.</summary>
    [Fact]
    public async Task SpoiltHelloesFailAlone()
    {
        const int Rounds = 400;
        int seed = Environment.TickCount;
        Random random = new(seed);
        byte[] hello = await HelloAsync();
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using TlsEcho echo = await TlsEcho.StartAsync(fixture);
        for (int round = 0; round < Rounds; round++)
        {
            byte[] spoilt = Spoiler.Spoil(hello, random);
            using Socket socket = await RawSocket.ConnectAsync(echo.EndPoint);
            await socket.SendAsync(spoilt).Within(60.Seconds());
            socket.Shutdown(SocketShutdown.Send);
            await ReadToEndAsync(socket);
            TlsEnd end = await echo.NextEndAsync();
            Assert.True(end.Session is null, $"seed {seed}, round {round}");
        }

        await using SslClient other = await SslClient.ConnectAsync(echo.EndPoint);
        Payload.AssertSame(Payload.Of(10), await other.EchoAsync(Payload.Of(10)));
    }

    /// <summary>The first flight of a client, caught by a socket that is no server.</summary>
    private static async Task<byte[]> HelloAsync()
    {
        using Socket listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, 0));
        listener.Listen();
        Task<SslClient> client = SslClient.ConnectAsync(listener.LocalEndPoint!);
        using Socket accepted = await listener.AcceptAsync().Within(60.Seconds());
        byte[] buffer = new byte[4096];
        int count = await accepted.ReceiveAsync(buffer).Within(60.Seconds());
        accepted.Dispose();
        await Assert.ThrowsAnyAsync<Exception>(() => client);
        Assert.Equal(count, 5 + (buffer[3] << 8 | buffer[4]));
        return buffer[..count];
    }

    private static async Task<byte[]> ReadToEndAsync(Socket socket)
    {
        List<byte> bytes = [];
        byte[] chunk = new byte[4096];
        try
        {
            int count;
            while ((count = await socket.ReceiveAsync(chunk).Within(60.Seconds(), "the server ends the connection")) > 0)
            {
                bytes.AddRange(chunk.AsSpan(0, count));
            }
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionReset)
        {
            // Also an end.
        }

        return [.. bytes];
    }
}
