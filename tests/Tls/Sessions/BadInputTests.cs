using System.Net.Sockets;
using System.Text;

namespace Ioxide.Tls.Tests;

/// <summary>What is no TLS, or too slow: an alert or a close, and others are served.</summary>
public class BadInputTests
{
    [Theory, Each(
        "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "\u0080\u002e\u0001\u0000\u0002\u0000\u0015\u0000\u0000\u0000\u0010",
        "\u0016\u0002\u0001\u0000\u0005hello", "\u0016\u0003\u0001\u00ff\u00ff", "\u0017\u0003\u0003\u0000\u0003abc",
        "\u0016\u0003\u0001\u0000\u0005hello", "\u0015\u0003\u0001\u0000\u0002\u0002\u0028", "\u0016\u0003\u0001\u0000\u0000")]
    public async Task WhatIsNoHandshakeIsAnsweredByAnAlertOrAClose(string bytes)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
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
        await using TlsEcho echo = await TlsEcho.StartAsync(TlsEcho.Options(static options =>
        {
            options.Certificate = null;
            options.CertificateSelector = static (_, _) => null;
        }));
        using Socket socket = await RawSocket.ConnectAsync(echo.EndPoint);
        await socket.SendAsync(await ClientHello.CatchAsync()).Within(60.Seconds());
        Assert.Equal([21, 3, 3, 0, 2, 2, (byte)TlsAlert.UnrecognizedName], await ReadToEndAsync(socket));
        Assert.Equal(TlsFailure.Handshake, (await echo.NextEndAsync()).Failure);
    }

    [Fact]
    public async Task AHandshakeThatTakesTooLongIsAborted()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using TlsEcho echo = await TlsEcho.StartAsync(fixture, TlsEcho.Options(options => options.HandshakeTimeout = 200.Milliseconds()));
        using Socket socket = await RawSocket.ConnectAsync(echo.EndPoint);
        await socket.SendAsync(new byte[] { 0x16, 3, 1 }).Within(60.Seconds());
        Assert.Equal(TlsFailure.Timeout, (await echo.NextEndAsync()).Failure);
        Assert.Empty(await ReadToEndAsync(socket));
    }

    /// <summary>A whole handshake's bytes with one byte changed, dropped or doubled, from a seed: never more than a failed handshake.</summary>
    [Fact]
    public async Task SpoiltHelloesFailAlone()
    {
        const int Rounds = 400;
        int seed = Environment.TickCount;
        Random random = new(seed);
        byte[] hello = await ClientHello.CatchAsync();
        await using TlsEcho echo = await TlsEcho.StartAsync();
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
