using System.Net;

namespace Ioxide.Tls.Tests;

/// <content>How a client's first message is framed, and what may follow a server that asks for another hello.</content>
internal static partial class TlsCatalog
{
    private const string RecordLayer = "RFC 8446, 5.1";

    private static IEnumerable<TlsCase> Retries()
    {
        yield return Retry("tls13-hrr: no share", "RFC 8446, 4.2.8", static hello => hello.Set(HelloBuilder.KeyShare, [0, 0]));
        yield return Retry(
            "tls13-unrecognised-groups: an unknown share", "RFC 8446, 4.2.8",
            static hello => hello.Set(HelloBuilder.Groups, HelloBuilder.List16(HelloBuilder.Words(0x7a7a, 29, 23)))
                .Set(HelloBuilder.KeyShare, HelloBuilder.Shares((0x7a7a, [1]))));
        yield return Hello(
            "tls13-unrecognised-groups: unknown ones beside", "RFC 8446, 4.2.7",
            HelloBuilder.For13().Set(HelloBuilder.Groups, HelloBuilder.List16(HelloBuilder.Words(0x7a7a, 0x11ff, 29)))
                .Set(HelloBuilder.KeyShare, HelloBuilder.Shares((0x7a7a, [1]), (29, HelloBuilder.NewKey()))), Is13);
        yield return Refused(
            "tls13-unrecognised-groups: unknown ones alone", "RFC 8446, 4.1.1",
            HelloBuilder.For13().Set(HelloBuilder.Groups, HelloBuilder.List16(HelloBuilder.Words(0x7a7a)))
                .Set(HelloBuilder.KeyShare, HelloBuilder.Shares((0x7a7a, [1]))),
            TlsAlert.HandshakeFailure);
        yield return new TlsCase("tls13-hrr: the same hello again", "RFC 8446, 4.2.8", async endPoint =>
        {
            byte[] hello = HelloBuilder.For13().Set(HelloBuilder.KeyShare, [0, 0]).Records();
            ServerAnswer answer = await ServerAnswer.AskAsync(endPoint, hello, hello);
            return answer.IsRetry ? Told(answer.Alert, answer.IsWarning, answer.ToString(), [TlsAlert.IllegalParameter, TlsAlert.UnexpectedMessage])
                : Verdict.Fail($"no retry: {answer}");
        });
    }

    private static TlsCase Retry(string id, string source, Func<HelloBuilder, HelloBuilder> change)
        => new(id, source, async endPoint =>
        {
            ServerAnswer answer = await ServerAnswer.AskAsync(endPoint, change(HelloBuilder.For13()).Records());
            return answer.IsRetry ? Verdict.Pass("retry") : Verdict.Fail($"no retry: {answer}");
        });

    private static IEnumerable<TlsCase> Framing()
    {
        byte[] body = HelloBuilder.For13().Body();
        byte[] message = HelloBuilder.Message(HelloBuilder.ClientHelloType, body);
        foreach (int fragmentBytes in new[] { 1, 2, 100, 512 })
        {
            yield return Hello(
                $"record-layer-fragmentation: a hello in parts of {fragmentBytes}", RecordLayer, () => HelloBuilder.For13().Records(fragmentBytes),
                Is13);
        }

        yield return Hello(
            "client-hello-max-size: padding of 16 KiB", "RFC 7685, 3", HelloBuilder.For13().Add(HelloBuilder.Padding, new byte[16 * 1024]), Is13);
        yield return Hello(
            "client-hello-max-size: padding of 40 KiB", "RFC 7685, 3", HelloBuilder.For13().Add(HelloBuilder.Padding, new byte[40 * 1024]), Is13);
        yield return Refused(
            "large-hello: of 16 MiB", Presentation, static () => HelloBuilder.Records([1, 0xff, 0xff, 0xff, .. new byte[4096]]),
            TlsAlert.IllegalParameter, TlsAlert.DecodeError, TlsAlert.RecordOverflow);
        yield return Refused(
            "invalid-client-hello-w-record-overflow", RecordLayer,
            static () => HelloBuilder.Record(RecordType.Handshake, [1, 0, 0x50, 0, .. new byte[(16 * 1024) - 3]], 0x0301), TlsAlert.RecordOverflow);
        foreach (int kind in new[] { 0, 19, 24, 255 })
        {
            yield return Refused(
                $"invalid-content-type: {kind}", RecordLayer, () => [(byte)kind, .. HelloBuilder.For13().Records()[1..]], TlsAlert.UnexpectedMessage);
        }

        yield return Refused(
            "tls13-zero-content-type: data before a hello", RecordLayer, static () => HelloBuilder.Record(RecordType.ApplicationData, [1, 2, 3]),
            TlsAlert.UnexpectedMessage);
        yield return Refused(
            "tls13-ccs: before a hello", "RFC 8446, 5",
            static () => [.. HelloBuilder.Record(RecordType.ChangeCipherSpec, [1]), .. HelloBuilder.For13().Records()], TlsAlert.UnexpectedMessage);
        yield return Refused(
            "tls13-empty-alert: before a hello", RecordLayer, static () => HelloBuilder.Record(RecordType.Alert, []), TlsAlert.UnexpectedMessage,
            TlsAlert.DecodeError);
        yield return Refused(
            "zero-length-data: an empty record before a hello", RecordLayer, static () => HelloBuilder.Record(RecordType.Handshake, []),
            TlsAlert.UnexpectedMessage, TlsAlert.DecodeError);
        yield return Refused(
            "record-layer-fragmentation: an empty record inside a hello", RecordLayer,
            () => [.. HelloBuilder.Records(message[..40]), .. HelloBuilder.Record(RecordType.Handshake, []), .. HelloBuilder.Records(message[40..])],
            TlsAlert.UnexpectedMessage, TlsAlert.DecodeError);
        foreach (RecordType type in new[] { RecordType.ChangeCipherSpec, RecordType.ApplicationData })
        {
            yield return Refused(
                $"interleaved: {type} inside a hello", RecordLayer,
                () => [.. HelloBuilder.Records(message[..40]), .. HelloBuilder.Record(type, [1]), .. HelloBuilder.Records(message[40..])],
                TlsAlert.UnexpectedMessage);
        }

        foreach (byte type in new byte[] { 0, 2, 20, 254 })
        {
            yield return Refused(
                $"hello-request-by-client: a first message of {type}", "RFC 8446, 4", () => HelloBuilder.Records(HelloBuilder.Message(type, body)),
                TlsAlert.UnexpectedMessage);
        }

        foreach (int cutBytes in new[] { 1, 4, 40, body.Length - 60, body.Length - 34, body.Length - 2, body.Length })
        {
            yield return Refused(
                $"truncating-of-client-hello: by {cutBytes}", Presentation, () => HelloBuilder.Records(HelloBuilder.Message(1, body[..^cutBytes])),
                TlsAlert.DecodeError);
        }

        yield return Refused(
            "invalid-client-hello: more behind it", Presentation, () => HelloBuilder.Records(HelloBuilder.Message(1, [.. body, 0])),
            TlsAlert.DecodeError);
        yield return Refused(
            "sslv2hello-protocol", "RFC 6176, 3",
            static () => Convert.FromHexString("802e0100020015000000100100800300800700c00600400200800400805a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"),
            TlsAlert.ProtocolVersion, TlsAlert.UnexpectedMessage, TlsAlert.DecodeError, TlsAlert.HandshakeFailure);
        yield return Refused(
            "connection-abort: plain HTTP", RecordLayer, static () => s_get, TlsAlert.UnexpectedMessage, TlsAlert.ProtocolVersion,
            TlsAlert.DecodeError, TlsAlert.RecordOverflow);
    }
}
