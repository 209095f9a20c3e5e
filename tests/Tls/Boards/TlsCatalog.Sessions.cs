using System.Security.Authentication;
using static System.Security.Authentication.SslProtocols;

namespace Ioxide.Tls.Tests;

/// <content>The client's second flight, and records and messages behind the handshake.</content>
internal static partial class TlsCatalog
{
    private const byte KeyUpdate = 24;
    private const byte Finished = 20;
    private const int MaxData = RecordHeader.MaxPlaintext;
    private const string Padding = "RFC 8446, 5.4";
    private const string KeyUpdates = "RFC 8446, 4.6.3";

    private static readonly byte[] s_warning = HelloBuilder.Record(RecordType.Alert, [1, (byte)TlsAlert.UserCanceled]);
    private static readonly byte[] s_clearChange = HelloBuilder.Record(RecordType.ChangeCipherSpec, [1]);

    private static IEnumerable<TlsCase> Flights()
    {
        foreach (SslProtocols protocol in new[] { Tls12, Tls13 })
        {
            string version = protocol == Tls12 ? "1.2" : "1.3";
            yield return Reshaped($"conversation: sanity, {version}", "RFC 8446, 2", protocol, static flight => flight);
            yield return Spoilt(
                $"fuzzed-finished: a bit of the tag, {version}", "RFC 8446, 5.2", protocol, static flight => Flip(flight, flight.Length - 1),
                TlsAlert.BadRecordMac);
            yield return Spoilt(
                $"fuzzed-finished: a bit of the message, {version}", "RFC 8446, 5.2", protocol, static flight => Flip(flight, flight.Length - 20),
                TlsAlert.BadRecordMac);
            yield return Spoilt(
                $"message-skipping: data for Finished, {version}", "RFC 8446, 4.4.4", protocol,
                static flight => [.. WithoutLast(flight), .. HelloBuilder.Record(RecordType.ApplicationData, new byte[40])],
                TlsAlert.BadRecordMac, TlsAlert.UnexpectedMessage);
            yield return Spoilt(
                $"tls13-finished-plaintext, {version}", "RFC 8446, 5.1", protocol,
                static flight => [.. WithoutLast(flight), .. HelloBuilder.Records(HelloBuilder.Message(Finished, new byte[32]), 0x0303)],
                TlsAlert.UnexpectedMessage, TlsAlert.BadRecordMac);
            yield return Spoilt(
                $"ccs: a value of two, {version}", "RFC 8446, 5", protocol,
                static flight => [.. HelloBuilder.Record(RecordType.ChangeCipherSpec, [2]), .. flight],
                TlsAlert.UnexpectedMessage, TlsAlert.IllegalParameter);
            yield return Spoilt(
                $"ccs: of two bytes, {version}", "RFC 8446, 5", protocol,
                static flight => [.. HelloBuilder.Record(RecordType.ChangeCipherSpec, [1, 1]), .. flight],
                TlsAlert.UnexpectedMessage, TlsAlert.IllegalParameter, TlsAlert.DecodeError);
            yield return Spoilt(
                $"early-application-data, {version}", "RFC 8446, 5.1", protocol,
                static flight => [.. HelloBuilder.Record(RecordType.ApplicationData, new byte[40]), .. flight],
                TlsAlert.UnexpectedMessage, TlsAlert.BadRecordMac);
            yield return Spoilt(
                $"tls13-empty-alert: in the handshake, {version}", RecordLayer, protocol,
                static flight => [.. HelloBuilder.Record(RecordType.Alert, []), .. flight],
                TlsAlert.UnexpectedMessage, TlsAlert.DecodeError);
            yield return Spoilt(
                $"ssl-death-alert: a hundred warnings, {version}", "RFC 8446, 6", protocol,
                static flight => [.. Enumerable.Repeat(s_warning, 100).SelectMany(static alert => alert), .. flight],
                TlsAlert.UnexpectedMessage);
        }

        yield return Reshaped(
            "tls13-multiple-ccs-messages: three", "RFC 8446, 5", Tls13,
            static flight => [.. s_clearChange, .. s_clearChange, .. s_clearChange, .. flight]);
        yield return Reshaped(
            "tls13-ccs: none", "RFC 8446, D.4", Tls13,
            static flight => Change(flight, static records => [.. records.Where(static record => record[0] != 20)]));
        yield return Spoilt(
            "ccs: none, 1.2", "RFC 5246, 7.1", Tls12,
            static flight => Change(flight, static records => [.. records.Where(static record => record[0] != 20)]), TlsAlert.UnexpectedMessage,
            TlsAlert.BadRecordMac);
        yield return Spoilt(
            "ccs: two, 1.2", "RFC 5246, 7.1", Tls12,
            static flight => Change(flight, static records => [records[0], records[1], records[1], .. records[2..]]), TlsAlert.UnexpectedMessage,
            TlsAlert.BadRecordMac);
        yield return Spoilt(
            "message-duplication: the key exchange, 1.2", "RFC 5246, 7.3", Tls12,
            static flight => Change(flight, static records => [records[0], .. records]), TlsAlert.UnexpectedMessage);
        yield return Spoilt(
            "message-skipping: the key exchange, 1.2", "RFC 5246, 7.3", Tls12, static flight => Change(flight, static records => records[1..]),
            TlsAlert.UnexpectedMessage);
        yield return Spoilt(
            "interleaved-CKE-with-CCS, 1.2", "RFC 5246, 7.3", Tls12,
            static flight => Change(flight, static records => [records[1], records[0], .. records[2..]]), TlsAlert.UnexpectedMessage);
        yield return Spoilt(
            "ecdhe-rsa-key-exchange-with-bad-messages: no point", "RFC 8422, 5.11", Tls12,
            static flight => Change(flight, static records => [HelloBuilder.Records([16, 0, 0, 1, 0], 0x0303), .. records[1..]]),
            TlsAlert.DecodeError, TlsAlert.IllegalParameter, TlsAlert.HandshakeFailure);
        yield return Spoilt(
            "ecdhe-rsa-key-exchange-with-bad-messages: empty", "RFC 8422, 5.7", Tls12,
            static flight => Change(flight, static records => [HelloBuilder.Records([16, 0, 0, 0], 0x0303), .. records[1..]]),
            TlsAlert.DecodeError, TlsAlert.IllegalParameter, TlsAlert.HandshakeFailure);
        yield return Spoilt(
            "x25519: a key exchange of zeroes", "RFC 8422, 5.11", Tls12,
            static flight => Change(flight, static records => [HelloBuilder.Records([16, 0, 0, 33, 32, .. new byte[32]], 0x0303), .. records[1..]]),
            TlsAlert.IllegalParameter, TlsAlert.DecodeError, TlsAlert.HandshakeFailure, TlsAlert.InternalError, TlsAlert.BadRecordMac);
    }

    private static IEnumerable<TlsCase> Records()
    {
        foreach (SslProtocols protocol in new[] { Tls12, Tls13 })
        {
            string version = protocol == Tls12 ? "1.2" : "1.3";
            string limits = protocol == Tls12 ? "RFC 5246, 6.2.1" : RecordLayer;
            yield return Served(
                $"record-layer-limits: data of 2^14, {version}", limits, protocol, static client => client.SendDataAsync(Request(MaxData)));
            yield return Ended(
                $"record-layer-limits: data of 2^14 + 1, {version}", limits, protocol, static client => client.SendDataAsync(Request(MaxData + 1)),
                TlsAlert.RecordOverflow);
            yield return Ended(
                $"record-layer-limits: data of 2^14 + 200, {version}", limits, protocol,
                static client => client.SendDataAsync(Request(MaxData + 200)), TlsAlert.RecordOverflow);
            yield return Ended(
                $"record-layer-limits: a head that says 2^14 + 2049, {version}", "RFC 8446, 5.2", protocol,
                static client => client.SendAsync(HelloBuilder.Record(RecordType.ApplicationData, new byte[MaxData + 2049])),
                TlsAlert.RecordOverflow);
            yield return Served(
                $"zero-length-data: before a request, {version}", "RFC 8446, 5.4", protocol, static client => client.SendDataAsync([]));
            yield return Served($"zero-length-data: eight in a row, {version}", "RFC 8446, 5.4", protocol, static async client =>
            {
                for (int count = 0; count < 8; count++)
                {
                    await client.SendDataAsync([]);
                }
            });
            yield return Ended(
                $"fuzzed-ciphertext: a bit of the tag, {version}", "RFC 8446, 5.2", protocol,
                static client => client.SendAsync(Flip(client.Seal(RecordType.ApplicationData, s_get), ^1)), TlsAlert.BadRecordMac);
            yield return Ended(
                $"fuzzed-ciphertext: a bit of the data, {version}", "RFC 8446, 5.2", protocol,
                static client => client.SendAsync(Flip(client.Seal(RecordType.ApplicationData, s_get), ^30)), TlsAlert.BadRecordMac);
            yield return Ended(
                $"fuzzed-ciphertext: shorter than a tag, {version}", "RFC 8446, 5.2", protocol,
                static client => client.SendAsync(HelloBuilder.Record(RecordType.ApplicationData, new byte[9])), TlsAlert.BadRecordMac,
                TlsAlert.DecodeError);
            yield return Ended($"aes-gcm-nonces: a record twice, {version}", "RFC 8446, 5.3", protocol, static async client =>
            {
                byte[] record = client.Seal(RecordType.ApplicationData, []);
                await client.SendAsync([.. record, .. record]);
            }, TlsAlert.BadRecordMac);
            yield return Ended(
                $"invalid-content-type: 24 behind the handshake, {version}", RecordLayer, protocol,
                static client => client.SendAsync(client.Seal((RecordType)24, [1, 0, 0])), TlsAlert.UnexpectedMessage);
            yield return Ended(
                $"ccs: behind the handshake, {version}", "RFC 8446, 5", protocol,
                static client => client.SendAsync(client.Seal(RecordType.ChangeCipherSpec, [1])), TlsAlert.UnexpectedMessage);
            yield return Ended(
                $"empty-alert: behind the handshake, {version}", Padding, protocol,
                static client => client.SendAsync(client.Seal(RecordType.Alert, [])), TlsAlert.UnexpectedMessage, TlsAlert.DecodeError);
            yield return Ended(
                $"alert: of one byte, {version}", "RFC 8446, 6", protocol, static client => client.SendAsync(client.Seal(RecordType.Alert, [2])),
                TlsAlert.DecodeError, TlsAlert.UnexpectedMessage);
            yield return new TlsCase(
                $"connection-abort: close_notify is answered, {version}", "RFC 8446, 6.1",
                endPoint => OnClientAsync(endPoint, protocol, null, [], CloseAsync));
        }

        yield return Served(
            "tls13-record-padding: of 8", Padding, Tls13, static client => client.SendAsync(client.SealPadded(RecordType.ApplicationData, s_get, 8)));
        yield return Served(
            "tls13-record-padding: up to 2^14", Padding, Tls13,
            static client => client.SendAsync(client.SealPadded(RecordType.ApplicationData, s_get, MaxData - s_get.Length)));
        yield return Served(
            "tls13-record-padding: of nothing", Padding, Tls13,
            static client => client.SendAsync(client.SealPadded(RecordType.ApplicationData, [], 64)));
        yield return Ended(
            "tls13-record-layer-limits: 2^14 - 8 with 9 of padding", "RFC 8446, 5.2", Tls13,
            static client => client.SendAsync(client.SealPadded(RecordType.ApplicationData, Request(MaxData - 8), 9)), TlsAlert.RecordOverflow);
        yield return Ended(
            "tls13-record-layer-limits: 2^14 with 1 of padding", "RFC 8446, 5.2", Tls13,
            static client => client.SendAsync(client.SealPadded(RecordType.ApplicationData, Request(MaxData), 1)), TlsAlert.RecordOverflow);
        yield return Ended(
            "tls13-zero-content-type: zeroes alone", Padding, Tls13, static client => client.SendAsync(client.Seal(0, new byte[32])),
            TlsAlert.UnexpectedMessage);
        yield return Ended(
            "tls13-unencrypted-alert: behind the handshake", RecordLayer, Tls13,
            static client => client.SendAsync(HelloBuilder.Record(RecordType.Alert, [2, 40])), TlsAlert.UnexpectedMessage, TlsAlert.BadRecordMac);
        yield return Ended(
            "tls13-ccs: in clear text behind the handshake", "RFC 8446, 5", Tls13, static client => client.SendAsync(s_clearChange),
            TlsAlert.UnexpectedMessage);
    }

    private static IEnumerable<TlsCase> Messages()
    {
        yield return Served("tls13-keyupdate: not asked back", KeyUpdates, Tls13, static client => UpdateAsync(client, 0));
        yield return Served("tls13-keyupdate: asked back", KeyUpdates, Tls13, static client => UpdateAsync(client, 1));
        yield return Served("tls13-keyupdate: twenty", KeyUpdates, Tls13, static async client =>
        {
            for (int count = 0; count < 20; count++)
            {
                await UpdateAsync(client, 0);
            }
        });
        yield return Served("tls13-keyupdate: in five records", RecordLayer, Tls13, static async client =>
        {
            foreach (byte part in (byte[])[KeyUpdate, 0, 0, 1, 0])
            {
                await client.SendAsync(client.Seal(RecordType.Handshake, [part]));
            }

            client.Sealer.Update();
        });
        yield return Message13("tls13-keyupdate: empty", KeyUpdates, [KeyUpdate, 0, 0, 0], TlsAlert.DecodeError);
        yield return Message13("tls13-keyupdate: of two bytes", KeyUpdates, [KeyUpdate, 0, 0, 2, 0, 0], TlsAlert.DecodeError);
        yield return Message13("tls13-keyupdate: of 2^14 bytes", KeyUpdates, [KeyUpdate, 0, 0x40, 0, .. new byte[MaxData - 4]], TlsAlert.DecodeError);
        yield return Message13("tls13-keyupdate: of value 2", KeyUpdates, [KeyUpdate, 0, 0, 1, 2], TlsAlert.IllegalParameter);
        yield return Message13("tls13-keyupdate: of value 255", KeyUpdates, [KeyUpdate, 0, 0, 1, 255], TlsAlert.IllegalParameter);
        yield return Message13("tls13-keyupdate: with more behind it", RecordLayer, [KeyUpdate, 0, 0, 1, 0, KeyUpdate], TlsAlert.UnexpectedMessage);
        yield return Ended(
            "tls13-keyupdate: data inside it", RecordLayer, Tls13,
            static client => client.SendAsync(client.Seal(RecordType.Handshake, [KeyUpdate, 0])), TlsAlert.UnexpectedMessage);
        yield return Ended(
            "tls13-keyupdate: the old keys behind it", KeyUpdates, Tls13,
            static client => client.SendAsync(client.Seal(RecordType.Handshake, [KeyUpdate, 0, 0, 1, 0])), TlsAlert.BadRecordMac);
        yield return Message13("tls13-post-handshake-auth: a certificate", "RFC 8446, 4.6.2", [11, 0, 0, 4, 0, 0, 0, 0], TlsAlert.UnexpectedMessage);
        yield return Message13("tls13-count-tickets: a ticket of the client's", "RFC 8446, 4", [4, 0, 0, 1, 0], TlsAlert.UnexpectedMessage);
        yield return Message13("tls13-finished: a second one", "RFC 8446, 4", [Finished, 0, 0, 32, .. new byte[32]], TlsAlert.UnexpectedMessage);
        yield return Message13(
            "tls13-finished: a second one of 2^14", "RFC 8446, 4", [Finished, 0, 0x3f, 0xfc, .. new byte[MaxData - 4]], TlsAlert.UnexpectedMessage);
        yield return Message13(
            "tls13-conversation: a second hello", "RFC 8446, 4.1.2", HelloBuilder.Message(1, HelloBuilder.For13().Body()),
            TlsAlert.UnexpectedMessage);
        yield return Message13("tls13-conversation: a message of no type", "RFC 8446, 4", [255, 0, 0, 0], TlsAlert.UnexpectedMessage);
        yield return Message13("zero-length-data: an empty handshake record, 1.3", RecordLayer, [], TlsAlert.UnexpectedMessage);
        yield return new TlsCase(
            "tls13-count-tickets: at least one", "RFC 8446, 4.6.1", endPoint => OnClientAsync(endPoint, Tls13, null, [], CountTicketsAsync));
        yield return Resumed("session-ticket-resumption: comes again, 1.2", "RFC 5077, 3.1", "-tls1_2");
        yield return Resumed("tls13-session-resumption: comes again", "RFC 8446, 2.2", "-tls1_3");
        yield return new TlsCase(
            "renegotiation-disabled", "RFC 5246, 7.2.2", endPoint => OnClientAsync(endPoint, Tls12, null, [], EndedOrWarnedAsync));
        yield return Ended(
            "hello-request-by-client: behind the handshake", "RFC 5246, 7.4.1.1", Tls12,
            static client => client.SendAsync(client.Seal(RecordType.Handshake, [0, 0, 0, 0])), TlsAlert.UnexpectedMessage);
        yield return Ended(
            "message-duplication: a second Finished, 1.2", "RFC 5246, 7.3", Tls12,
            static client => client.SendAsync(client.Seal(RecordType.Handshake, [Finished, 0, 0, 12, .. new byte[12]])), TlsAlert.UnexpectedMessage);
        yield return Ended(
            "invalid-content-type: a key update in 1.2", "RFC 5246, 7.4", Tls12,
            static client => client.SendAsync(client.Seal(RecordType.Handshake, [KeyUpdate, 0, 0, 1, 0])), TlsAlert.UnexpectedMessage);
    }

    /// <summary>OpenSSL's client comes again with what it was given. A server may want a whole handshake all the same.</summary>
    private static TlsCase Resumed(string id, string source, string version)
        => new(id, source, async endPoint =>
        {
            const string request = "GET /bytes/5 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            string session = Path.GetTempFileName();
            try
            {
                string[] arguments = ["s_client", "-connect", endPoint.ToString(), version, "-ign_eof"];
                _ = await OpenSsl.RunAsync(request, [.. arguments, "-sess_out", session]);
                string said = await OpenSsl.RunAsync(request, [.. arguments, "-sess_in", session]);
                return said.Contains("Reused, TLSv1", StringComparison.Ordinal) ? Verdict.Pass("resumed") : Verdict.Warn("a whole handshake");
            }
            finally
            {
                File.Delete(session);
            }
        });

    private static TlsCase Message13(string id, string source, byte[] message, params TlsAlert[] alerts)
        => Ended(id, source, Tls13, client => client.SendAsync(client.Seal(RecordType.Handshake, message)), alerts);

    private static async Task UpdateAsync(RecordClient client, byte request)
    {
        await client.SendAsync(client.Seal(RecordType.Handshake, [KeyUpdate, 0, 0, 1, request]));
        client.Sealer.Update();
    }

    private static async Task<Verdict> CloseAsync(RecordClient client)
    {
        await client.SendAsync(client.Seal(RecordType.Alert, [1, (byte)TlsAlert.CloseNotify]));
        (_, TlsAlert? alert, _, string seen) = await ReadAsync(client, untilData: false);
        return alert == TlsAlert.CloseNotify ? Verdict.Pass(seen) : Verdict.Warn($"no close_notify: {seen}");
    }

    private static async Task<Verdict> CountTicketsAsync(RecordClient client)
    {
        await client.SendDataAsync(s_get);
        int tickets = 0;
        while (await client.ReadAsync() is { Type: RecordType.Handshake } record)
        {
            tickets += record.Content[0] == 4 ? 1 : 0;
        }

        return tickets > 0 ? Verdict.Pass($"{tickets}") : Verdict.Warn("no ticket");
    }

    /// <summary>A hello in a session: refused by a warning, and the session may continue, or by the end. Source: RFC 5746, section 4.5.</summary>
    private static async Task<Verdict> EndedOrWarnedAsync(RecordClient client)
    {
        await client.SendAsync(client.Seal(RecordType.Handshake, HelloBuilder.Message(1, HelloBuilder.For12().Body())));
        await client.SendDataAsync(s_get);
        (_, TlsAlert? alert, _, string seen) = await ReadAsync(client, untilData: true);
        return alert is TlsAlert.NoRenegotiation or TlsAlert.HandshakeFailure ? Verdict.Pass(seen) : alert is not null ? Verdict.Warn(seen)
            : seen.Contains("data", StringComparison.Ordinal) ? Verdict.Fail($"no alert: {seen}") : Verdict.Warn($"no alert: {seen}");
    }

    /// <summary>A request of so many bytes.</summary>
    private static byte[] Request(int lengthBytes)
    {
        byte[] head = "GET /bytes/5 HTTP/1.1\r\nHost: localhost\r\nX: "u8.ToArray();
        byte[] request = new byte[lengthBytes];
        request.AsSpan().Fill((byte)'x');
        head.CopyTo(request, 0);
        "\r\n\r\n"u8.CopyTo(request.AsSpan(lengthBytes - 4));
        return request;
    }

    private static byte[] Flip(byte[] bytes, Index at)
    {
        byte[] changed = [.. bytes];
        changed[at] ^= 0x10;
        return changed;
    }

    private static byte[] WithoutLast(byte[] flight) => Change(flight, static records => records[..^1]);

    private static byte[] Change(byte[] flight, Func<byte[][], byte[][]> change) => [.. change(Split(flight)).SelectMany(static record => record)];

    private static byte[][] Split(byte[] flight)
    {
        List<byte[]> records = [];
        for (int at = 0; at < flight.Length;)
        {
            int end = at + RecordHeader.SizeInBytes + HelloBuilder.Word(flight.AsSpan(at + 3));
            records.Add(flight[at..end]);
            at = end;
        }

        return [.. records];
    }
}
