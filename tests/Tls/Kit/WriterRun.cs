using System.Buffers;
using System.Net;
using System.Security.Authentication;

namespace Ioxide.Tls.Tests;

/// <summary>One session whose server writes, and every byte that its client gets until the end of the stream.</summary>
internal sealed class WriterRun
{
    private WriterRun(AgreeingKernel kernel) => Kernel = kernel;

    internal AgreeingKernel Kernel { get; }

    /// <summary>What was written, as the client understands it, without the alert that ends the stream.</summary>
    internal byte[] Data { get; private set; } = [];

    /// <summary>
    /// Runs <paramref name="write"/> on the reactor of a session, then completes its writer. The records that were made before the kernel got the
    /// key are decrypted, and all of them must have left by then. What follows must be clear text to the last byte, because this kernel encrypts
    /// nothing.
    /// </summary>
    /// <param name="write">Gets the session and its kernel.</param>
    /// <param name="offload">The session's.</param>
    /// <param name="protocol">The session's.</param>
    /// <param name="reading">Where it is given, the client does not read before it completes.</param>
    internal static async Task<WriterRun> RunAsync(
        Func<TlsSession, AgreeingKernel, Task> write, TlsKernelOffload offload = TlsKernelOffload.Auto,
        SslProtocols protocol = SslProtocols.Tls13, Task? reading = null)
    {
        WriterRun run = new(new AgreeingKernel());
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.PlayedKernel = run.Kernel);
        using TlsServer server = TlsEcho.Options(options =>
        {
            options.KernelOffload = offload;
            options.Ssl.AllowTlsResume = false;
        }).CreateServer();
        (RingListener listener, Task served) = await fixture.ServeAsync(server, async session =>
        {
            await session.Connection.Sender.WhenIdleAsync();
            await write(session, run.Kernel);
        });
        using (RecordClient client = await RecordClient.ConnectAsync((IPEndPoint)listener.EndPoint, new TlsClientOptions { Protocols = protocol }))
        {
            if (reading is not null)
            {
                await reading.Within(Patience.Limit);
            }

            byte[] received = await client.ReadRawToEndAsync().Within(Patience.Limit, "the stream ends");
            await served.Within(Patience.Limit);
            run.Data = run.Open(client, received);
        }

        await listener.UnbindAsync().Within(Patience.Limit);
        return run;
    }

    private byte[] Open(RecordClient client, byte[] received)
    {
        List<byte> data = [];
        ReadOnlySequence<byte> rest = new(received);
        bool isOver = false;
        while (!rest.IsEmpty && (Kernel.Sequence < 0 || (long)client.Opener.Sequence < Kernel.Sequence))
        {
            Assert.True(
                RecordHeader.IsWhole(rest, RecordHeader.MaxExpansion12, out RecordHeader header),
                $"A record is cut behind {data.Count} bytes in {client.Opener.Sequence} of {Kernel.Sequence} records.");
            ReadOnlySequence<byte> body = rest.Slice(RecordHeader.SizeInBytes, header.LengthBytes);
            byte[] room = new byte[header.LengthBytes];
            (RecordType type, int lengthBytes) = client.Opener.Open(header, body, room);
            rest = rest.Slice(body.End);
            if (type == RecordType.ApplicationData)
            {
                data.AddRange(room.AsSpan(0, lengthBytes));
            }
            else
            {
                Assert.Equal((RecordType.Alert, "0100"), (type, Convert.ToHexString(room, 0, lengthBytes)));
                isOver = true;
            }
        }

        Assert.True(isOver || Kernel.Sequence >= 0, "There is no close_notify.");
        if (Kernel.Sequence >= 0)
        {
            // A record that was sent later would be encrypted again.
            Assert.Equal(client.ReadBytes + received.Length - rest.Length, Kernel.TakenBytes);
        }

        if (!isOver && !rest.IsEmpty)
        {
            byte[] clear = rest.ToArray();
            Assert.Equal("0100", Convert.ToHexString(clear, clear.Length - 2, 2));
            data.AddRange(clear[..^2]);
        }

        return [.. data];
    }
}
