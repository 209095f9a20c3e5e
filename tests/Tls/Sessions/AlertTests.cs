using System.Net.Sockets;
using System.Security.Authentication;
using static System.Security.Authentication.SslProtocols;

namespace Ioxide.Tls.Tests;

/// <summary>Alerts of the client's, inside the handshake, where OpenSSL reads them, and behind it.</summary>
public class AlertTests
{
    private const byte Warning = 1;
    private const byte Fatal = 2;

    /// <summary>Every number, known or not; the failure names it.</summary>
    [Theory, AllValues]
    public async Task AFatalAlertInAHandshakeIsThePeersFailure(SslProtocols protocol)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        for (int number = 0; number <= byte.MaxValue; number++)
        {
            var alert = (TlsAlert)number;
            if (protocol == Tls13 && alert == TlsAlert.UserCanceled)
            {
                // Of no consequence in TLS 1.3: close_notify follows it.
                continue;
            }

            TlsException error = await FailAsync(echo, protocol, [21, 3, 3, 0, 2, Fatal, (byte)number]);
            Assert.Equal((TlsFailure.PeerAlert, alert), (error.Failure, error.Alert));
        }
    }

    [Theory, AllValues]
    public async Task CloseNotifyInAHandshakeIsThePeersFailure(SslProtocols protocol)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        TlsException error = await FailAsync(echo, protocol, [21, 3, 3, 0, 2, Warning, (byte)TlsAlert.CloseNotify]);
        Assert.Equal((TlsFailure.PeerAlert, TlsAlert.CloseNotify), (error.Failure, error.Alert));
    }

    /// <summary>OpenSSL's texts for these speak of an alert, which is none.</summary>
    [Theory]
    [InlineData(Tls12, new byte[] { 21, 3, 3, 0, 3, 2, 40, 0 })]
    [InlineData(Tls13, new byte[] { 21, 3, 3, 0, 3, 2, 40, 0 })]
    [InlineData(Tls12, new byte[] { 21, 3, 3, 0, 2, 3, 40 })]
    [InlineData(Tls12, new byte[] { 21, 3, 3, 0, 1, 2 })]
    public async Task ABrokenAlertInAHandshakeIsThisSidesRefusal(SslProtocols protocol, byte[] record)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        TlsException error = await FailAsync(echo, protocol, record);
        Assert.Equal((TlsFailure.Handshake, null), (error.Failure, error.Alert));
    }

    /// <summary>RFC 8446, section 6: the level means nothing there, and an alert that is not known is an error too.</summary>
    [Theory]
    [InlineData(Tls13, Warning, TlsAlert.InternalError)]
    [InlineData(Tls13, Fatal, TlsAlert.InternalError)]
    [InlineData(Tls13, 0, TlsAlert.HandshakeFailure)]
    [InlineData(Tls13, Warning, TlsAlert.NoRenegotiation)]
    [InlineData(Tls13, Warning, (TlsAlert)255)]
    [InlineData(Tls12, Fatal, TlsAlert.InternalError)]
    [InlineData(Tls12, Fatal, TlsAlert.UserCanceled)]
    [InlineData(Tls12, Fatal, (TlsAlert)255)]
    public async Task AnAlertThatEndsTheSessionIsTold(SslProtocols protocol, byte level, TlsAlert alert)
        => await Attack.IsToldAsync(protocol, client => client.SendAsync(client.Seal(RecordType.Alert, [level, (byte)alert])), alert);

    [Theory]
    [InlineData(Tls12, Warning, TlsAlert.InternalError)]
    [InlineData(Tls12, Warning, TlsAlert.UserCanceled)]
    [InlineData(Tls13, Warning, TlsAlert.UserCanceled)]
    [InlineData(Tls13, Fatal, TlsAlert.UserCanceled)]
    public async Task AnAlertThatIsAWarningChangesNothing(SslProtocols protocol, byte level, TlsAlert alert)
        => await Attack.ChangesNothingAsync(protocol, client => client.SendAsync(client.Seal(RecordType.Alert, [level, (byte)alert])));

    [Theory]
    [InlineData(Tls12, new byte[] { 0, 40 }, TlsAlert.IllegalParameter)]
    [InlineData(Tls12, new byte[] { 3, 40 }, TlsAlert.IllegalParameter)]
    [InlineData(Tls12, new byte[] { 2 }, TlsAlert.DecodeError)]
    [InlineData(Tls13, new byte[] { 2 }, TlsAlert.DecodeError)]
    [InlineData(Tls12, new byte[] { 1, 0, 0 }, TlsAlert.DecodeError)]
    [InlineData(Tls13, new byte[] { 1, 0, 0 }, TlsAlert.DecodeError)]
    public async Task ABrokenAlertIsFatal(SslProtocols protocol, byte[] content, TlsAlert alert)
        => await Attack.EndsSessionAsync(protocol, client => client.SendAsync(client.Seal(RecordType.Alert, content)), alert);

    /// <summary>Begins a handshake, and sends a record in place of the client's second flight.</summary>
    private static async Task<TlsException> FailAsync(TlsEcho echo, SslProtocols protocol, byte[] record)
    {
        using Socket socket = await RawSocket.ConnectAsync(echo.EndPoint);
        await socket.SendAsync(Hello(protocol)).Within(Patience.Limit);
        Assert.NotEqual(0, await socket.ReceiveAsync(new byte[8192]).Within(Patience.Limit, "the server's hello"));
        await socket.SendAsync(record).Within(Patience.Limit);
        TlsEnd end = await echo.NextEndAsync();
        Assert.Null(end.Session);
        return Assert.IsType<TlsException>(end.Error);
    }

    private static byte[] Hello(SslProtocols protocol)
    {
        TlsContext context = TlsContext.ForClient(new TlsClientOptions { HostName = TestCertificates.ServerName, Protocols = protocol });
        using TlsBufferSession client = new(new() { IsServer = false, Protocols = [], HostName = TestCertificates.ServerName }, context);
        Assert.Equal(TlsOperationStatus.DestinationTooSmall, client.Handshake([], [], out _));
        return MemoryHandshake.Take(client);
    }
}
