using System.Globalization;
using System.Text;
using Microsoft.AspNetCore.Http;

namespace Ioxide.AspNetCore.Tests;

/// <summary>What a client asks a server for while faults are injected, and the right answers.</summary>
internal static class InjectedTraffic
{
    private const int PipelinedCount = 40;
    private const int DownloadBytes = 1_500_000;
    private const int UploadBytes = 300_000;

    private static readonly byte[] s_download = Payload.Of(DownloadBytes);
    private static readonly byte[] s_upload = Payload.Of(UploadBytes);

    internal static Task AnswerAsync(HttpContext context) => context.Request.Path.Value switch
    {
        "/download" => DownloadAsync(context.Response),
        "/echo" => Handlers.EchoAsync(context),
        _ => Handlers.PathAsync(context),
    };

    /// <summary>Keep-alive, pipelined, uploading, downloading, and connections for one request each.</summary>
    internal static async Task RunAsync(TestServer server, int clientId)
    {
        using (RawClient client = await server.ConnectAsync())
        {
            for (int i = 0; i < 10; i++)
            {
                await AskAsync(client, $"/kept/{clientId}/{i}");
            }

            await PipelineAsync(client, clientId);
            await UploadAsync(client);
            await DownloadAsync(client);
            await AskAsync(client, $"/last/{clientId}");
        }

        for (int i = 0; i < 10; i++)
        {
            using RawClient client = await server.ConnectAsync();
            await AskAsync(client, $"/once/{clientId}/{i}");
        }
    }

    private static async Task AskAsync(RawClient client, string path) => Assert.Equal(path, (await client.GetAsync(path)).Text);

    private static async Task PipelineAsync(RawClient client, int clientId)
    {
        Task sending = client.SendAsync(string.Concat(Enumerable.Range(0, PipelinedCount).Select(i => RawClient.Get($"/piped/{clientId}/{i}"))));
        for (int i = 0; i < PipelinedCount; i++)
        {
            Assert.Equal($"/piped/{clientId}/{i}", (await client.ReadResponseAsync()).Text);
        }

        await sending;
    }

    private static async Task UploadAsync(RawClient client)
    {
        const int ChunkBytes = 7_001;
        using MemoryStream request = new();
        request.Write("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"u8);
        for (int offset = 0; offset < s_upload.Length; offset += ChunkBytes)
        {
            ReadOnlySpan<byte> chunk = s_upload.AsSpan(offset, Math.Min(ChunkBytes, s_upload.Length - offset));
            request.Write(Encoding.ASCII.GetBytes(chunk.Length.ToString("x", CultureInfo.InvariantCulture)));
            request.Write("\r\n"u8);
            request.Write(chunk);
            request.Write("\r\n"u8);
        }

        request.Write("0\r\n\r\n"u8);
        await client.SendAsync(request.ToArray());
        Payload.AssertSame(s_upload, (await client.ReadResponseAsync()).Body);
    }

    private static async Task DownloadAsync(RawClient client) => Payload.AssertSame(s_download, (await client.GetAsync("/download")).Body);

    private static async Task DownloadAsync(HttpResponse response)
    {
        response.ContentLength = s_download.Length;
        await response.Body.WriteAsync(s_download);
    }
}
