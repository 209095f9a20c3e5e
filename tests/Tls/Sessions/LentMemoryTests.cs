using System.IO.Pipelines;
using System.Net.Sockets;
using System.Security.Authentication;

namespace Ioxide.Tls.Tests;

/// <summary>
/// A session in the kernel whose application has memory of the connection and has not flushed it, when the peer's records make the
/// session say something: that follows with the flush, and not in the midst of the application's bytes. No kernel encrypts here, so
/// that the order is seen on the wire.
/// </summary>
public class LentMemoryTests
{
    private const byte Warning = 1;
    private const byte Fatal = 2;

    /// <summary>The session is over, so that the application's bytes may be sent or not; the alert is whole and the last.</summary>
    [Fact]
    public async Task TheAlertThatEndsASessionWaitsForTheFlush()
        => await RunAsync(
            SslProtocols.Tls13,
            static client =>
            {
                byte[] record = client.Seal(RecordType.ApplicationData, [1]);
                record[^1] ^= 1;
                return record;
            },
            static async session =>
            {
                TlsException error = await Assert.ThrowsAsync<TlsException>(() => session.Input.ReadAsync().AsTask());
                Assert.Equal(TlsAlert.BadRecordMac, error.Alert);
            },
            [.. Payload.Of(100), Fatal, (byte)TlsAlert.BadRecordMac]);

    [Fact]
    public async Task AWarningWaitsForTheFlushAndTheSessionGoesOn()
        => await RunAsync(
            SslProtocols.Tls12,
            static client => [.. client.Seal(RecordType.Handshake, [1, 0, 0, 2, 3, 3]), .. client.Seal(RecordType.ApplicationData, [7])],
            static async session =>
            {
                ReadResult read = await session.Input.ReadAsync();
                Assert.Equal(7, Assert.Single(read.Buffer.FirstSpan.ToArray()));
                session.Input.AdvanceTo(read.Buffer.End);
            },
            [.. Payload.Of(100), Warning, (byte)TlsAlert.NoRenegotiation]);

    /// <param name="protocol">The session's.</param>
    /// <param name="records">What the client sends while the server writes.</param>
    /// <param name="receive">How the server finds it.</param>
    /// <param name="expected">What comes from the server then.</param>
    private static async Task RunAsync(SslProtocols protocol, Func<RecordClient, byte[]> records, Func<TlsSession, Task> receive, byte[] expected)
    {
        await using ReactorFixture fixture = ReactorFixture.Start(static options => options.PlayedKernel = new AgreeingKernel());
        using TlsServer server = TlsEcho.Options(options =>
        {
            options.KernelOffload = TlsKernelOffload.Require;
            options.AskKernel = static _ => new KernelTlsAnswer(true, 0);
            options.Ssl.AllowTlsResume = false;
        }).CreateServer();
        TaskCompletionSource isWriting = Waits.Signal();
        (RingListener listener, Task served) = await fixture.ServeAsync(server, async session =>
        {
            Memory<byte> room = session.Output.GetMemory(100);
            Assert.True(session.Output.IsInKernel);
            isWriting.SetResult();
            await receive(session);
            Payload.Of(100).CopyTo(room);
            session.Output.Advance(100);
            await session.Output.FlushAsync();
        });
        using (RecordClient client = await RecordClient.ConnectAsync(listener.EndPoint, new TlsClientOptions { Protocols = protocol }))
        {
            await Task.WhenAny(isWriting.Task, served).Within(Patience.Limit);
            await client.SendAsync(records(client));
            await served.Within(Patience.Limit);
            Payload.AssertSame(expected, await client.Socket.ReceiveExactlyAsync(expected.Length));
        }

        await listener.UnbindAsync().Within(Patience.Limit);
    }
}
