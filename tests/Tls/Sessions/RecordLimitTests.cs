using System.Security.Authentication;
using static System.Security.Authentication.SslProtocols;

namespace Ioxide.Tls.Tests;

/// <summary>Records at their limits and one beyond: length, padding, emptiness, number in a row. Source: RFC 8446, sections 5.1, 5.2 and 5.4;
/// RFC 5246, section 6.2.</summary>
public class RecordLimitTests
{
    private const int Max = RecordHeader.MaxPlaintext;

    // The client's messages in the tests below have one of these types.
    private const byte Finished = 20;

    [Theory, AllValues]
    public async Task TheLongestRecordIsTaken(SslProtocols protocol)
        => await Attack.ChangesNothingAsync(protocol, static async client =>
        {
            foreach (int lengthBytes in (int[])[Max - 1, Max])
            {
                await client.SendDataAsync(Payload.Of(lengthBytes));
                Payload.AssertSame(Payload.Of(lengthBytes), await client.ReadDataAsync(lengthBytes));
            }
        });

    [Theory]
    [InlineData(Tls12, Max + 1)]
    [InlineData(Tls13, Max + 1)]
    [InlineData(Tls12, Max + 1024)]
    [InlineData(Tls13, Max + RecordHeader.MaxExpansion13 - CipherContext.TagBytes - 1)]
    public async Task ALongerRecordIsFatal(SslProtocols protocol, int lengthBytes)
        => await Attack.EndsSessionAsync(protocol, client => client.SendDataAsync(Payload.Of(lengthBytes)), TlsAlert.RecordOverflow);

    [Theory]
    [InlineData(Max - 1, 1)]
    [InlineData(Max - 8, 8)]
    [InlineData(1, Max - 1)]
    [InlineData(0, Max)]
    public async Task PaddingUpToTheLimitIsTaken(int lengthBytes, int paddingBytes)
        => await Attack.ChangesNothingAsync(Tls13, async client =>
        {
            await client.SendAsync(client.SealPadded(RecordType.ApplicationData, Payload.Of(lengthBytes), paddingBytes));
            Payload.AssertSame(Payload.Of(lengthBytes), await client.ReadDataAsync(lengthBytes));
        });

    [Theory]
    [InlineData(Max, 1)]
    [InlineData(Max - 8, 9)]
    [InlineData(1, Max)]
    [InlineData(0, Max + 1)]
    public async Task PaddingBeyondTheLimitIsFatal(int lengthBytes, int paddingBytes)
        => await Attack.EndsSessionAsync(
            Tls13, client => client.SendAsync(client.SealPadded(RecordType.ApplicationData, Payload.Of(lengthBytes), paddingBytes)),
            TlsAlert.RecordOverflow);

    /// <summary>The longest one that can be authentic is opened; nothing is done for a longer one.</summary>
    [Theory]
    [InlineData(Tls13, Max + 1 + 16, TlsAlert.BadRecordMac)]
    [InlineData(Tls13, Max + 1 + 16 + 1, TlsAlert.RecordOverflow)]
    [InlineData(Tls13, Max + 256, TlsAlert.RecordOverflow)]
    [InlineData(Tls12, Max + 8 + 16, TlsAlert.BadRecordMac)]
    [InlineData(Tls12, Max + 8 + 16 + 1, TlsAlert.RecordOverflow)]
    [InlineData(Tls12, Max + 2048, TlsAlert.RecordOverflow)]
    [InlineData(Tls13, 16, TlsAlert.BadRecordMac)]
    [InlineData(Tls13, 0, TlsAlert.BadRecordMac)]
    [InlineData(Tls12, 23, TlsAlert.BadRecordMac)]
    [InlineData(Tls12, 0, TlsAlert.BadRecordMac)]
    public async Task BytesThatAreNotAuthenticAreFatal(SslProtocols protocol, int bodyBytes, TlsAlert alert)
        => await Attack.EndsSessionAsync(
            protocol, client => client.SendAsync([23, 3, 3, (byte)(bodyBytes >> 8), (byte)bodyBytes, .. Payload.Of(bodyBytes)]), alert);

    [Theory, AllValues]
    public async Task SixtyFourEmptyRecordsInARowAreTaken(SslProtocols protocol)
        => await Attack.ChangesNothingAsync(protocol, static client => client.SendAsync(EmptyRecords(client, 64)));

    [Theory, AllValues]
    public async Task OneMoreIsFatal(SslProtocols protocol)
        => await Attack.EndsSessionAsync(protocol, static client => client.SendAsync(EmptyRecords(client, 65)), TlsAlert.UnexpectedMessage);

    [Theory]
    [InlineData(Tls12, RecordType.Handshake)]
    [InlineData(Tls12, RecordType.Alert)]
    [InlineData(Tls12, RecordType.ChangeCipherSpec)]
    [InlineData(Tls13, RecordType.Handshake)]
    [InlineData(Tls13, RecordType.Alert)]
    [InlineData(Tls13, RecordType.ChangeCipherSpec)]
    internal async Task AnEmptyRecordOfAnotherTypeIsFatal(SslProtocols protocol, RecordType type)
        => await Attack.EndsSessionAsync(protocol, client => client.SendAsync(client.Seal(type, [])), TlsAlert.UnexpectedMessage);

    [Theory, AllValues]
    public async Task ChangeCipherSpecBehindTheHandshakeIsFatal(SslProtocols protocol)
        => await Attack.EndsSessionAsync(
            protocol, static client => client.SendAsync(client.Seal(RecordType.ChangeCipherSpec, [1])), TlsAlert.UnexpectedMessage);

    [Fact]
    public async Task ChangeCipherSpecInClearTextBehindTheHandshakeIsFatal()
        => await Attack.EndsSessionAsync(Tls13, static client => client.SendAsync([20, 3, 3, 0, 1, 1]), TlsAlert.UnexpectedMessage);

    /// <summary>The head of the message says so; its body need not come.</summary>
    [Theory, Each(0, 2, 0x4000, 0xFF_FFFF)]
    public async Task AKeyUpdateOfAnotherLengthIsFatal(int lengthBytes)
        => await Attack.EndsSessionAsync(
            Tls13,
            client => client.SendAsync(client.Seal(
                RecordType.Handshake, [24, (byte)(lengthBytes >> 16), (byte)(lengthBytes >> 8), (byte)lengthBytes])),
            TlsAlert.DecodeError);

    [Theory, Each(2, 255)]
    public async Task AKeyUpdateThatAsksForSomethingElseIsFatal(byte request)
        => await Attack.EndsSessionAsync(
            Tls13, client => client.SendAsync(client.Seal(RecordType.Handshake, [24, 0, 0, 1, request])), TlsAlert.IllegalParameter);

    /// <summary>RFC 8446, section 5.1: what follows is under the next keys, so it cannot be in that record.</summary>
    [Theory]
    [InlineData(new byte[] { 24, 0, 0, 1, 0, 24 })]
    [InlineData(new byte[] { 24, 0, 0, 1, 0, 24, 0, 0, 1, 0 })]
    public async Task MoreBehindAKeyUpdateInItsRecordIsFatal(byte[] content)
        => await Attack.EndsSessionAsync(Tls13, client => client.SendAsync(client.Seal(RecordType.Handshake, content)), TlsAlert.UnexpectedMessage);

    [Theory]
    [InlineData(Tls13, (byte)24)]
    [InlineData(Tls12, (byte)1)]
    public async Task DataInsideAHandshakeMessageIsFatal(SslProtocols protocol, byte type)
        => await Attack.EndsSessionAsync(
            protocol,
            client => client.SendAsync(
                [.. client.Seal(RecordType.Handshake, [type, 0, 0]), .. client.Seal(RecordType.ApplicationData, Payload.Of(3))]),
            TlsAlert.UnexpectedMessage);

    [Fact]
    public async Task AnAlertInsideAHandshakeMessageIsFatal()
        => await Attack.EndsSessionAsync(
            Tls13,
            static client => client.SendAsync([.. client.Seal(RecordType.Handshake, [24, 0, 0]), .. client.Seal(RecordType.Alert, [1, 0])]),
            TlsAlert.UnexpectedMessage);

    [Fact]
    public async Task AHandshakeMessageInSeveralRecordsIsTaken()
        => await Attack.ChangesNothingAsync(Tls13, static async client =>
        {
            foreach (byte part in (byte[])[24, 0, 0, 1, 0])
            {
                await client.SendAsync(client.Seal(RecordType.Handshake, [part]));
            }

            client.Sealer.Update();
        });

    [Theory]
    [InlineData(Tls13, (byte)1)]
    [InlineData(Tls13, (byte)4)]
    [InlineData(Tls13, Finished)]
    [InlineData(Tls13, (byte)255)]
    [InlineData(Tls12, (byte)0)]
    [InlineData(Tls12, Finished)]
    [InlineData(Tls12, (byte)24)]
    public async Task AMessageThatAClientMayNotSendIsFatalWithItsHead(SslProtocols protocol, byte type)
        => await Attack.EndsSessionAsync(
            protocol, client => client.SendAsync(client.Seal(RecordType.Handshake, [type, 0, 0x80, 0])), TlsAlert.UnexpectedMessage);

    [Fact]
    public async Task ARenegotiationThatIsTooLongToCollectIsFatal()
        => await Attack.EndsSessionAsync(
            Tls12, static client => client.SendAsync(client.Seal(RecordType.Handshake, [1, 1, 0, 0])), TlsAlert.DecodeError);

    private static byte[] EmptyRecords(RecordClient client, int count)
        => [.. Enumerable.Range(0, count).SelectMany(_ => client.Seal(RecordType.ApplicationData, []))];
}
