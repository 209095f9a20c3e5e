using System.Security.Authentication;

namespace Ioxide.Tls.Tests;

/// <summary>What a client does to a session that worked until then.</summary>
internal static class Attack
{
    /// <summary>The server answers by the alert, and ends that session with it.</summary>
    internal static async Task EndsSessionAsync(SslProtocols protocol, Func<RecordClient, Task> attack, TlsAlert alert)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        using RecordClient client = await StartAsync(echo, protocol);
        await attack(client);
        Assert.Equal(alert, await client.ReadAlertAsync());
        TlsEnd end = await echo.NextEndAsync();
        Assert.Equal((TlsFailure.Protocol, alert), (Protocol(end.Failure), ((TlsException)end.Error!).Alert));
        Assert.Equal(10, end.Echoed);

        // A tag that is wrong has a failure of its own.
        static TlsFailure? Protocol(TlsFailure? failure) => failure == TlsFailure.BadRecord ? TlsFailure.Protocol : failure;
    }

    /// <summary>The session ends because the client said so, and nothing is answered.</summary>
    internal static async Task IsToldAsync(SslProtocols protocol, Func<RecordClient, Task> attack, TlsAlert alert)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        using RecordClient client = await StartAsync(echo, protocol);
        await attack(client);
        TlsEnd end = await echo.NextEndAsync();
        Assert.Equal((TlsFailure.PeerAlert, alert), (end.Failure, ((TlsException)end.Error!).Alert));
    }

    /// <summary>The session goes on: what is sent behind it comes back.</summary>
    internal static async Task ChangesNothingAsync(SslProtocols protocol, Func<RecordClient, Task> attack)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        using RecordClient client = await StartAsync(echo, protocol);
        await attack(client);
        await client.SendDataAsync(Payload.Of(20));
        Payload.AssertSame(Payload.Of(20), await client.ReadDataAsync(20));
    }

    private static async Task<RecordClient> StartAsync(TlsEcho echo, SslProtocols protocol)
    {
        RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint, new TlsClientOptions { Protocols = protocol });
        await client.SendDataAsync(Payload.Of(10));
        Payload.AssertSame(Payload.Of(10), await client.ReadDataAsync(10));

        // What a client may send is what is to be found out.
        client.Sealer.MaxDataBytes = ushort.MaxValue;
        return client;
    }
}
