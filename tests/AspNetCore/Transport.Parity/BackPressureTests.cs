using System.IO.Pipelines;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Http;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// A peer that does not keep up is held back, not buffered. The bytes that one side got rid of while the other did not
/// read must stay below the kernel's buffers (at most 4 MiB to send, 6 MiB to receive by default) plus the transport's
/// own; whole exchanges on other connections give the blocked side every chance to run further.
/// </summary>
public class BackPressureTests
{
    private const int OneMebibyte = 1024 * 1024;
    private const long BoundBytes = 16L * OneMebibyte;

    [Theory, OverTransports]
    public async Task AClientThatDoesNotReadStopsTheHandlersWrites(TransportKind transport, EndPointKind endPoint)
    {
        const int PieceCount = 50;
        byte[] piece = Payload.Of(OneMebibyte);
        long writtenBytes = 0;
        TaskCompletionSource firstWritten = Waits.Signal();
        await using TestServer server = await TestServer.StartAsync(new(transport, endPoint)
        {
            Kestrel = kestrel => kestrel.Limits.MinResponseDataRate = null,
            Handler = async context =>
            {
                if (context.Request.Path != "/large")
                {
                    await context.Response.Body.WriteAsync(piece);
                    return;
                }

                context.Response.ContentLength = (long)PieceCount * piece.Length;
                for (int i = 0; i < PieceCount; i++)
                {
                    await WriteInPartsAsync(context.Response, piece, count => writtenBytes += count);
                    firstWritten.TrySetResult();
                }
            },
        });
        using RawClient slow = await RawClient.ConnectAsync(server.EndPoint, receiveBufferBytes: 64 * 1024);
        await slow.SendAsync(RawClient.Get("/large"));
        Assert.NotEmpty(await slow.ReadLineAsync());
        await ExchangeOnOthersAsync(server);

        long writtenUnread = Volatile.Read(ref writtenBytes);
        Assert.InRange(writtenUnread, 1, BoundBytes);
        await slow.ReadHeadAsync();

        for (int i = 0; i < PieceCount; i++)
        {
            Payload.AssertSame(piece, await slow.ReadExactlyAsync(piece.Length));
        }
    }

    [Theory, OverTransports]
    public async Task AHandlerThatDoesNotReadStopsTheClientsWrites(TransportKind transport, EndPointKind endPoint)
    {
        byte[] content = Payload.Of(40 * OneMebibyte);
        TaskCompletionSource read = Waits.Signal();
        TaskCompletionSource<byte[]> hash = Waits.Signal<byte[]>();
        TaskCompletionSource isHeld = Waits.Signal();
        int connectionCount = 0;
        await using TestServer server = await TestServer.StartAsync(new(transport, endPoint)
        {
            Handler = context => context.Response.Body.WriteAsync(content.AsMemory(0, OneMebibyte)).AsTask(),
            Listen = listen => listen.Use(next => async connection =>
            {
                if (Interlocked.Increment(ref connectionCount) > 1)
                {
                    await next(connection);
                    return;
                }

                isHeld.SetResult();
                await read.Task;
                hash.SetResult(await HashAsync(connection.Transport.Input));
            }),
        });
        using RawClient client = await server.ConnectAsync();
        long sentBytes = 0;
        Task sending = Task.Run(async () =>
        {
            for (int offset = 0; offset < content.Length;)
            {
                int count = await client.Socket.SendAsync(content.AsMemory(offset, 4096));
                offset += count;
                Interlocked.Add(ref sentBytes, count);
            }

            client.Finish();
        });
        await isHeld.Task.Within(20.Seconds());
        await ExchangeOnOthersAsync(server);

        Assert.InRange(Interlocked.Read(ref sentBytes), 1, BoundBytes);
        read.SetResult();
        await sending.Within(20.Seconds());
        Assert.Equal(SHA256.HashData(content), await hash.Task.Within(20.Seconds()));
    }

    [Theory, OverTransports]
    public async Task AHandlerThatDoesNotReadItsRequestDoesNotStopOtherConnections(TransportKind transport, EndPointKind endPoint)
    {
        TaskCompletionSource release = Waits.Signal();
        await using TestServer server = await TestServer.StartAsync(new(transport, endPoint)
        {
            Kestrel = kestrel => kestrel.Limits.MinRequestBodyDataRate = null,
            Handler = async context =>
            {
                if (context.Request.Path == "/stuck")
                {
                    await release.Task;
                }

                await Handlers.EchoAsync(context);
            },
        });
        RawClient[] stuck = await Task.WhenAll(Enumerable.Range(0, 10).Select(_ => server.ConnectAsync()));
        byte[] body = Payload.Of(2 * OneMebibyte);
        Task[] sending = [.. stuck.Select(async client =>
        {
            await client.SendAsync($"POST /stuck HTTP/1.1\r\nHost: localhost\r\nContent-Length: {body.Length}\r\n\r\n");
            for (int offset = 0; offset < body.Length;)
            {
                offset += await client.Socket.SendAsync(body.AsMemory(offset));
            }
        })];
        using HttpClient other = server.CreateClient();

        for (int i = 0; i < 5; i++)
        {
            using HttpResponseMessage response = await other.PostAsync("/", new ByteArrayContent(body));
            Payload.AssertSame(body, await response.Content.ReadAsByteArrayAsync());
        }

        release.SetResult();
        await Task.WhenAll(sending).Within(20.Seconds());
        foreach (RawClient client in stuck)
        {
            Payload.AssertSame(body, (await client.ReadResponseAsync()).Body);
            client.Dispose();
        }
    }

    private static async Task WriteInPartsAsync(HttpResponse response, byte[] piece, Action<int> wrote)
    {
        const int PartBytes = 32 * 1024;
        for (int offset = 0; offset < piece.Length; offset += PartBytes)
        {
            await response.Body.WriteAsync(piece.AsMemory(offset, PartBytes));
            wrote(PartBytes);
        }
    }

    private static async Task ExchangeOnOthersAsync(TestServer server)
    {
        for (int i = 0; i < 4; i++)
        {
            using HttpClient other = server.CreateClient();
            for (int j = 0; j < 5; j++)
            {
                byte[] body = await other.GetByteArrayAsync(new Uri("/small", UriKind.Relative));
                Assert.Equal(OneMebibyte, body.Length);
            }
        }
    }

    private static async Task<byte[]> HashAsync(PipeReader input)
    {
        using IncrementalHash hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        while (true)
        {
            ReadResult result = await input.ReadAsync();
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                hash.AppendData(segment.Span);
            }

            input.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return hash.GetHashAndReset();
            }
        }
    }
}
