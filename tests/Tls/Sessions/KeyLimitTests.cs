using System.Buffers;
using System.Security.Authentication;

namespace Ioxide.Tls.Tests;

/// <summary>How much one key protects. The number of the next record is set near the limit, at both ends.</summary>
public class KeyLimitTests
{
    // A little below what RFC 8446, section 5.5, allows.
    private const ulong Limit = 1UL << 24;
    private const int DataBytes = 200_000;

    private static readonly byte[] s_keyUpdate = [24, 0, 0, 1, 0];

    [Fact]
    public async Task AKeyMakesNoMoreRecordsThanItMay()
    {
        const int Left = 3;
        await RunAsync(SslProtocols.Tls13, Limit - Left, static async client =>
        {
            List<byte> data = [];
            for (int record = 0; record < Left; record++)
            {
                data.AddRange(await ReadDataAsync(client));
            }

            (RecordType type, byte[] content) = await client.ReadAsync();
            Assert.Equal(RecordType.Handshake, type);
            Assert.Equal(s_keyUpdate, content);
            client.Opener.Update();
            while (data.Count < DataBytes)
            {
                data.AddRange(await ReadDataAsync(client));
            }

            Payload.AssertSame(Payload.Of(DataBytes), [.. data]);
        });
    }

    /// <summary>It has no KeyUpdate; the nonce is the number, which does not come round.</summary>
    [Fact]
    public async Task TlsOfVersion12GoesOnWithItsKey()
        => await RunAsync(
            SslProtocols.Tls12, Limit - 1, static async client => Payload.AssertSame(Payload.Of(DataBytes), await client.ReadDataAsync(DataBytes)));

    private static async Task<byte[]> ReadDataAsync(RecordClient client)
    {
        (RecordType type, byte[] content) = await client.ReadAsync();
        Assert.Equal(RecordType.ApplicationData, type);
        return content;
    }

    private static async Task RunAsync(SslProtocols protocol, ulong sequence, Func<RecordClient, Task> read)
    {
        await using ReactorFixture fixture = ReactorFixture.Start();

        // Without tickets, which have numbers too.
        using TlsServer server = TlsEcho.Options(static options =>
        {
            options.Ssl.AllowTlsResume = false;
            options.KernelOffload = TlsKernelOffload.Never;
        }).CreateServer();
        (RingListener listener, Task served) = await fixture.ServeAsync(server, async session =>
        {
            session.Output.Sealer.Sequence = sequence;
            session.Output.Write(Payload.Of(DataBytes));
            await session.Output.FlushAsync();
        });
        using RecordClient client = await RecordClient.ConnectAsync(listener.EndPoint, new TlsClientOptions { Protocols = protocol });
        client.Opener.Sequence = sequence;
        await read(client);
        await served.Within(Patience.Limit);
        await listener.UnbindAsync().Within(Patience.Limit);
    }
}
