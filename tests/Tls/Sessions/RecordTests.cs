using System.Buffers;
using System.Diagnostics;
using System.Security.Authentication;
using Microsoft.AspNetCore.Connections;

namespace Ioxide.Tls.Tests;

/// <summary>A client that decides about each record: cut anywhere, padded, empty, pipelined, updated, broken.</summary>
public class RecordTests
{
    [Theory, AllValues]
    public async Task DataThatComesWithFinishedIsAnswered(SslProtocols protocol)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        byte[][] data = [Payload.Of(10), Payload.Of(5000), Payload.Of(1)];
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint, Version(protocol), data);
        Payload.AssertSame([.. data.SelectMany(part => part)], await client.ReadDataAsync(5011));
    }

    [Theory, AllValues]
    public async Task AHandshakeByteByByteWorks(SslProtocols protocol)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint, Version(protocol), [Payload.Of(20)], chunkBytes: 1);
        Payload.AssertSame(Payload.Of(20), await client.ReadDataAsync(20));
    }

    /// <summary>The cut falls into the head, the data and the tag of the first and of the second record.</summary>
    [Theory, AllValues]
    public async Task RecordsCutAtEveryByteAreReadWhole(SslProtocols protocol)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint, Version(protocol));
        int cuts = 2 * (30 + client.Sealer.OverheadBytes);
        for (int cut = 1; cut < cuts; cut++)
        {
            byte[] records = [.. client.Seal(RecordType.ApplicationData, Payload.Of(30)), .. client.Seal(RecordType.ApplicationData, Payload.Of(30))];
            await client.SendAsync(records[..cut]);
            await client.SendAsync(records[cut..]);
            Payload.AssertSame([.. Payload.Of(30), .. Payload.Of(30)], await client.ReadDataAsync(60));
        }
    }

    [Fact]
    public async Task PaddedAndEmptyRecordsAreTaken()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint, Version(SslProtocols.Tls13));

        // The type as the first byte of what is taken for data, padded with zeroes: the record's own type ends up behind them.
        await client.SendAsync(client.Seal(RecordType.ApplicationData, []));
        await client.SendAsync(client.Seal((RecordType)0, [1, 2, 3, (byte)RecordType.ApplicationData, 0, 0, 0, 0]));
        Payload.AssertSame([1, 2, 3], await client.ReadDataAsync(3));
    }

    /// <summary>OpenSSL counts the records of new keys by itself: it asks for them, and each side goes on with its own.</summary>
    [Fact]
    public async Task OpenSslGoesOnWithNewKeys()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        using Process client = OpenSsl.Start("s_client", "-connect", echo.EndPoint.ToString(), "-tls1_3");
        for (int number = 0; number < 3; number++)
        {
            await SayAsync($"with keys {number}");
            await ReadUntilAsync(client.StandardOutput, $"with keys {number}");
            await SayAsync("K");
            await ReadUntilAsync(client.StandardError, "KEYUPDATE");
        }

        client.StandardInput.Close();
        await client.WaitForExitAsync().Within(Patience.Limit, "openssl ends");
        Assert.Null((await echo.NextEndAsync()).Error);

        async Task SayAsync(string line)
        {
            await client.StandardInput.WriteLineAsync(line);
            await client.StandardInput.FlushAsync();
        }

        static async Task ReadUntilAsync(StreamReader output, string line)
        {
            while (await output.ReadLineAsync().Within(Patience.Limit, line) is var read && read != line)
            {
                Assert.NotNull(read);
            }
        }
    }

    [Fact]
    public async Task ARecordOfZeroesOnlyIsFatal()
        => await Attack.EndsSessionAsync(
            SslProtocols.Tls13, client => client.SendAsync(client.Seal((RecordType)0, [0, 0])), TlsAlert.UnexpectedMessage);

    [Theory, AllValues]
    public async Task ABrokenRecordIsFatal(SslProtocols protocol)
        => await Attack.EndsSessionAsync(
            protocol,
            client =>
            {
                byte[] record = client.Seal(RecordType.ApplicationData, Payload.Of(100));
                record[^1] ^= 1;
                return client.SendAsync(record);
            },
            TlsAlert.BadRecordMac);

    [Theory]
    [InlineData(SslProtocols.Tls12, 0x48, 0x01)]
    [InlineData(SslProtocols.Tls13, 0x41, 0x01)]
    public async Task ARecordThatIsTooLongIsFatalBeforeItIsThere(SslProtocols protocol, int high, int low)
        => await Attack.EndsSessionAsync(protocol, client => client.SendAsync([23, 3, 3, (byte)high, (byte)low]), TlsAlert.RecordOverflow);

    [Fact]
    public async Task AnotherTypeInClearTextIsFatal()
        => await Attack.EndsSessionAsync(
            SslProtocols.Tls13,
            client => client.SendAsync([21, 3, 3, 0, 19, .. new byte[19]]), TlsAlert.UnexpectedMessage);

    [Fact]
    public async Task TheClientMayUpdateItsKeysAndAskForOurs()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint, Version(SslProtocols.Tls13));
        for (int round = 0; round < 3; round++)
        {
            await client.SendAsync(client.Seal(RecordType.Handshake, [24, 0, 0, 1, (byte)(round % 2)]));
            client.Sealer.Update();
            await client.SendDataAsync(Payload.Of(2000));
            if (round % 2 == 1)
            {
                // The answer comes before the next data, under the old keys.
                Assert.Equal(RecordType.Handshake, (await SkipTicketsAsync(client)).Type);
                client.Opener.Update();
            }

            Payload.AssertSame(Payload.Of(2000), await client.ReadDataAsync(2000));
        }
    }

    [Fact]
    public async Task RenegotiationIsRefusedAndTheSessionGoesOn()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint, Version(SslProtocols.Tls12));
        for (int attempt = 0; attempt < 4; attempt++)
        {
            await client.SendAsync(client.Seal(RecordType.Handshake, [1, 0, 0, 2, 3, 3]));
            Assert.Equal(TlsAlert.NoRenegotiation, await client.ReadAlertAsync());
            await client.SendDataAsync(Payload.Of(10));
            Payload.AssertSame(Payload.Of(10), await client.ReadDataAsync(10));
        }
    }

    /// <summary>A refusal is longer than what asks for it, and is sent to a client that reads nothing, too.</summary>
    [Fact]
    public async Task ARecordOfManyRenegotiationsIsFatal()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint, Version(SslProtocols.Tls12));
        byte[] hellos = [.. Enumerable.Repeat<byte[]>([1, 0, 0, 0], RecordHeader.MaxPlaintext / 4).SelectMany(static hello => hello)];

        await client.SendAsync(client.Seal(RecordType.Handshake, hellos));

        for (int attempt = 0; attempt < 4; attempt++)
        {
            Assert.Equal(TlsAlert.NoRenegotiation, await client.ReadAlertAsync());
        }

        Assert.Equal(TlsAlert.UnexpectedMessage, await client.ReadAlertAsync());
        Assert.Contains("renegotiate", (await echo.NextEndAsync()).Error?.Message, StringComparison.Ordinal);
    }

    [Theory, AllValues]
    public async Task CloseNotifyIsAnswered(SslProtocols protocol)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint, Version(protocol));
        await client.SendDataAsync(Payload.Of(10));
        await client.SendAsync(client.Seal(RecordType.Alert, [1, 0]));
        Payload.AssertSame(Payload.Of(10), await client.ReadDataAsync(10));
        Assert.Equal(TlsAlert.CloseNotify, await client.ReadAlertAsync());
        TlsEnd end = await echo.NextEndAsync();
        Assert.Null(end.Error);
        Assert.Equal(10, end.Echoed);
    }

    /// <summary>RFC 8446, section 6.1: what follows close_notify is ignored, be it data or no record at all.</summary>
    [Theory, AllValues]
    public async Task WhatFollowsCloseNotifyIsIgnored(SslProtocols protocol)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        foreach (bool isRecord in (bool[])[true, false])
        {
            using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint, Version(protocol));
            await client.SendAsync(
            [
                .. client.Seal(RecordType.ApplicationData, Payload.Of(10)), .. client.Seal(RecordType.Alert, [1, 0]),
                .. isRecord ? client.Seal(RecordType.ApplicationData, Payload.Of(20)) : [23, 3, 3, 0, 40, .. new byte[40]],
            ]);
            Payload.AssertSame(Payload.Of(10), await client.ReadDataAsync(10));
            Assert.Equal(TlsAlert.CloseNotify, await client.ReadAlertAsync());
            TlsEnd end = await echo.NextEndAsync();
            Assert.Null(end.Error);
            Assert.Null(end.Session!.Error);
            Assert.Equal(10, end.Echoed);
        }
    }

    /// <summary>A connection that is closed with bytes unread is reset, and a reset takes the alert from the peer.</summary>
    [Fact]
    public async Task TheAlertArrivesAlsoWhereMuchFollowsTheBrokenRecord()
        => await Attack.EndsSessionAsync(
            SslProtocols.Tls13,
            client =>
            {
                byte[] record = client.Seal(RecordType.ApplicationData, Payload.Of(100));
                record[^1] ^= 1;
                return client.SendAsync([.. record, .. Payload.Of(60_000)]);
            },
            TlsAlert.BadRecordMac);

    [Theory]
    [InlineData(SslProtocols.Tls12, 0)]
    [InlineData(SslProtocols.Tls13, 0)]
    [InlineData(SslProtocols.Tls13, 1)]
    [InlineData(SslProtocols.Tls13, 7)]
    public async Task AStreamThatStopsWithoutCloseNotifyIsNoEnd(SslProtocols protocol, int bytesOfAnother)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint, Version(protocol));
        await client.SendDataAsync(Payload.Of(10));
        await client.SendAsync(client.Seal(RecordType.ApplicationData, Payload.Of(10))[..bytesOfAnother]);
        client.Socket.Shutdown(System.Net.Sockets.SocketShutdown.Send);
        TlsEnd end = await echo.NextEndAsync();
        Assert.Equal((TlsFailure.Truncated, 10, TlsFailure.Truncated), (end.Failure, end.Echoed, end.Session!.Error!.Failure));
    }

    [Fact]
    public async Task HttpTakesAStreamThatStopsBetweenRecordsAsItsEnd()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(null, TlsConnectionMiddleware.Kind);
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint);
        client.Socket.Shutdown(System.Net.Sockets.SocketShutdown.Send);
        TlsEnd end = await echo.NextEndAsync();
        Assert.Null(end.Error);
        Assert.Equal(TlsFailure.Truncated, end.Session!.Error!.Failure);
    }

    /// <summary>What came is not whole, so that what it would have said is unknown: to HTTP as well.</summary>
    [Theory, Each(1, 7)]
    public async Task HttpTakesAStreamThatStopsInsideARecordAsAReset(int bytesOfAnother)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync(null, TlsConnectionMiddleware.Kind);
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint);
        await client.SendDataAsync(Payload.Of(10));
        await client.SendAsync(client.Seal(RecordType.ApplicationData, Payload.Of(10))[..bytesOfAnother]);
        client.Socket.Shutdown(System.Net.Sockets.SocketShutdown.Send);
        TlsEnd end = await echo.NextEndAsync();
        ConnectionResetException reset = Assert.IsType<ConnectionResetException>(end.Error);
        Assert.Equal(TlsFailure.Truncated, ((TlsException)reset.InnerException!).Failure);
        Assert.Equal(10, end.Echoed);
    }

    /// <summary>Without a word between them, so that numbers of records are all that tells them apart.</summary>
    [Fact]
    public async Task AFinishedInSeveralRecordsIsCounted()
    {
        const int Pieces = 3;
        await using TlsEcho echo = await TlsEcho.StartAsync();
        using RecordClient client = await RecordClient.ConnectAsync(
            echo.EndPoint, Version(SslProtocols.Tls12), reshape: static (handshake, flight) =>
            {
                RecordSuite suite = RecordSuite.Of(handshake.ReadInfo().CipherSuite);
                (RecordSealer sealer, RecordOpener other) = handshake.ExportKeys(suite);
                using (sealer)
                using (other)
                {
                    // The flight ends with ChangeCipherSpec in clear text and Finished, 16 bytes of content.
                    int finishedAt = flight.Length - 16 - sealer.OverheadBytes;
                    using RecordOpener opener = new(sealer.Keys, 0);
                    byte[] finished = new byte[16];
                    ReadOnlySequence<byte> record = new(flight.AsMemory(finishedAt));
                    Assert.True(RecordHeader.TryRead(record, RecordHeader.MaxExpansion12, out RecordHeader header));
                    Assert.Equal((RecordType.Handshake, 16), opener.Open(header, record.Slice(RecordHeader.SizeInBytes), finished));
                    byte[] sent = flight[..finishedAt];
                    sealer.Sequence = 0;
                    foreach (byte[] piece in (byte[][])[finished[..1], finished[1..7], finished[7..]])
                    {
                        byte[] sealedPiece = new byte[piece.Length + sealer.OverheadBytes];
                        sealer.Seal(RecordType.Handshake, piece, sealedPiece);
                        sent = [.. sent, .. sealedPiece];
                    }

                    return sent;
                }
            });
        client.Sealer.Sequence = Pieces;
        await client.SendDataAsync(Payload.Of(100));
        Payload.AssertSame(Payload.Of(100), await client.ReadDataAsync(100));
    }

    private static async Task<(RecordType Type, byte[] Content)> SkipTicketsAsync(RecordClient client)
    {
        while (true)
        {
            (RecordType type, byte[] content) = await client.ReadAsync();
            if (type != RecordType.Handshake || content[0] != 4)
            {
                return (type, content);
            }
        }
    }

    private static TlsClientOptions Version(SslProtocols protocol) => new() { Protocols = protocol };
}
