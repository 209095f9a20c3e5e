using System.Security.Authentication;

namespace Ioxide.Tls.Tests;

/// <summary>Connections one after another, each with data in the same write as its last handshake message: none may be lost.</summary>
/// <remarks>Takes 10 s: 5,000 handshakes in Release.</remarks>
public class FreshConnectionTests
{
    private static readonly int s_count = Scale.Of(5000);

    [Fact]
    public async Task NoneInARowFails()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        byte[] data = Payload.Of(100);
        for (int number = 0; number < s_count; number++)
        {
            SslProtocols protocol = number % 2 == 0 ? SslProtocols.Tls13 : SslProtocols.Tls12;
            using RecordClient client = await RecordClient.ConnectTrustingAsync(echo.EndPoint, protocol, [data]);
            Payload.AssertSame(data, await client.ReadDataAsync(data.Length));
            await client.SendAsync(client.Seal(RecordType.Alert, [1, 0]));
            TlsEnd end = await echo.NextEndAsync();
            Assert.Null(end.Error);
            Assert.Equal(data.Length, end.Echoed);
        }
    }
}
