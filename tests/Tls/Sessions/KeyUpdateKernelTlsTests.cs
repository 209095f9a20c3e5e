using System.Buffers;
using System.Security.Authentication;
using static Ioxide.Tls.Tests.KernelTlsStatistics;

namespace Ioxide.Tls.Tests;

/// <summary>
/// New keys of a session whose records the kernel makes. Kernels that take them have a counter of them (Linux 6.14); on the others
/// such a session ends in order. The client makes and opens each record by hand.
/// </summary>
public class KeyUpdateKernelTlsTests
{
    private static readonly byte[] s_request = [24, 0, 0, 1, 1];
    private static readonly byte[] s_answer = [24, 0, 0, 1, 0];

    private static bool IsTaken => Has("TlsTxRekeyOk");

    [Fact]
    public async Task WhetherTheKernelTakesNewKeysIsProbed()
    {
        SkipWithoutKernelTls();
        Assert.Equal(IsTaken, await Task.Run(() => KernelTls.TakesNewKeys).Within(Patience.Limit));
    }

    [Fact]
    public async Task AClientThatAsksForNewKeysGetsThem()
    {
        const int Count = 5;
        SkipWithoutKernelTls();
        Assert.SkipUnless(IsTaken, "This kernel takes no new keys.");
        await using TlsEcho echo = await TlsEcho.StartAsync(Required());
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint);
        long before = Read("TlsTxRekeyOk");
        for (int number = 0; number < Count; number++)
        {
            await AskAsync(client);
            byte[] data = Payload.Of(20_000 + number);
            await SendAsync(client, data);
            (byte[] received, int updates) = await ReadAsync(client, data.Length);
            Payload.AssertSame(data, received);
            Assert.Equal(1, updates);
        }

        await client.SendAsync(client.Seal(RecordType.Alert, [1, 0]));
        Assert.Equal(TlsAlert.CloseNotify, await client.ReadAlertAsync());
        Assert.Null((await echo.NextEndAsync()).Error);
        Assert.Equal(before + Count, Read("TlsTxRekeyOk"));
    }

    /// <summary>What it sends is opened here, so no kernel is asked, and its own sending goes on with the old key.</summary>
    [Fact]
    public async Task AClientThatChangesItsOwnKeyAloneIsReadOn()
    {
        SkipWithoutKernelTls();
        await using TlsEcho echo = await TlsEcho.StartAsync(Required());
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint);
        for (int number = 0; number < 3; number++)
        {
            await client.SendAsync(client.Seal(RecordType.Handshake, s_answer));
            client.Sealer.Update();
            byte[] data = Payload.Of(20_000 + number);
            await SendAsync(client, data);
            (byte[] received, int updates) = await ReadAsync(client, data.Length);
            Payload.AssertSame(data, received);
            Assert.Equal(0, updates);
        }

        await client.SendAsync(client.Seal(RecordType.Alert, [1, 0]));
        Assert.Equal(TlsAlert.CloseNotify, await client.ReadAlertAsync());
        TlsEnd end = await echo.NextEndAsync();
        Assert.Null(end.Error);
        Assert.True(end.Session!.Output.IsInKernel);
    }

    /// <summary>The client does not wait for answers, so the keys change with data in every queue.</summary>
    [Fact]
    public async Task KeysChangeBetweenTheRecordsOfAFullConnection()
    {
        const int Rounds = 8;
        const int RoundBytes = 150_000;
        SkipWithoutKernelTls();
        Assert.SkipUnless(IsTaken, "This kernel takes no new keys.");
        await using TlsEcho echo = await TlsEcho.StartAsync(Required());
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint);
        byte[] data = Payload.Of(Rounds * RoundBytes);
        Task sending = Task.Run(async () =>
        {
            for (int round = 0; round < Rounds; round++)
            {
                await SendAsync(client, data.AsMemory(round * RoundBytes, RoundBytes));
                await AskAsync(client);
            }

            await client.SendAsync(client.Seal(RecordType.Alert, [1, 0]));
        });
        (byte[] received, int updates) = await ReadAsync(client, data.Length);
        await sending.Within(Patience.Limit);
        Payload.AssertSame(data, received);
        Assert.InRange(updates, 1, Rounds);
        Assert.Null((await echo.NextEndAsync()).Error);
    }

    /// <summary>The session's own limit: the kernel goes on with new keys before a key has made too many records.</summary>
    [Fact]
    public async Task AKeyThatMadeManyRecordsIsReplaced()
    {
        // A little below what RFC 8446, section 5.5, allows.
        const ulong Limit = 1UL << 24;
        const int Count = 6;
        SkipWithoutKernelTls();
        await using ReactorFixture fixture = ReactorFixture.Start();
        using TlsServer server = TlsEcho.Options(options => options.Ssl.AllowTlsResume = false).CreateServer();
        TaskCompletionSource<ulong> sequence = Waits.Signal<ulong>();
        (RingListener listener, Task served) = await fixture.ServeAsync(server, async session =>
        {
            await session.Connection.Sender.WhenIdleAsync();
            session.Output.Sealer.Sequence = Limit - 3;
            session.Output.OffloadToKernel();
            sequence.SetResult(session.Output.Sealer.Sequence);
            for (int number = 0; number < Count; number++)
            {
                session.Output.Write(Payload.Of(1000));
                if ((await session.Output.FlushAsync()).IsCompleted)
                {
                    break;
                }
            }
        });
        using RecordClient client = await RecordClient.ConnectAsync(listener.EndPoint, new TlsClientOptions { Protocols = SslProtocols.Tls13 });
        client.Opener.Sequence = await sequence.Task.Within(Patience.Limit);
        if (IsTaken)
        {
            (byte[] received, int updates) = await ReadAsync(client, Count * 1000);
            Payload.AssertSame(Enumerable.Range(0, Count).SelectMany(static _ => Payload.Of(1000)).ToArray(), received);
            Assert.Equal(1, updates);
        }
        else
        {
            (byte[] received, _) = await ReadAsync(client, 3000);
            Assert.Equal(3000, received.Length);
        }

        Assert.Equal(TlsAlert.CloseNotify, await client.ReadAlertAsync());
        await served.Within(Patience.Limit);
        await listener.UnbindAsync().Within(Patience.Limit);
    }

    [Fact]
    public async Task WhereTheKernelTakesNoNewKeyARequestEndsTheSessionInOrder()
    {
        SkipWithoutKernelTls();
        Assert.SkipWhen(IsTaken, "This kernel takes new keys.");
        await using TlsEcho echo = await TlsEcho.StartAsync(Required());
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint);
        await client.SendDataAsync(Payload.Of(100));
        Payload.AssertSame(Payload.Of(100), await client.ReadDataAsync(100));
        await AskAsync(client);
        Assert.Equal(TlsAlert.CloseNotify, await client.ReadAlertAsync());
    }

    private static EchoOptions Required() => TlsEcho.Options(options =>
    {
        options.KernelOffload = TlsKernelOffload.Require;
        options.Protocols = SslProtocols.Tls13;
    });

    private static async Task AskAsync(RecordClient client)
    {
        await client.SendAsync(client.Seal(RecordType.Handshake, s_request));
        client.Sealer.Update();
    }

    private static async Task SendAsync(RecordClient client, ReadOnlyMemory<byte> data)
    {
        for (; !data.IsEmpty; data = data[Math.Min(data.Length, RecordHeader.MaxPlaintext)..])
        {
            await client.SendDataAsync(data[..Math.Min(data.Length, RecordHeader.MaxPlaintext)].ToArray());
        }
    }

    /// <summary>Reads so many bytes of data, and goes on with the server's new keys where it says so.</summary>
    private static async Task<(byte[] Data, int Updates)> ReadAsync(RecordClient client, int lengthBytes)
    {
        List<byte> data = [];
        int updates = 0;
        while (data.Count < lengthBytes)
        {
            (RecordType type, byte[] content) = await client.ReadAsync();
            if (type == RecordType.ApplicationData)
            {
                data.AddRange(content);
            }
            else if (content[0] == s_answer[0])
            {
                Assert.Equal((RecordType.Handshake, Convert.ToHexString(s_answer)), (type, Convert.ToHexString(content)));
                client.Opener.Update();
                updates++;
            }
            else
            {
                // A ticket.
                Assert.Equal((RecordType.Handshake, (byte)4), (type, content[0]));
            }
        }

        return ([.. data], updates);
    }
}
