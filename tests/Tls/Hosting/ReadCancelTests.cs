using System.Buffers;
using System.Collections.Concurrent;
using System.IO.Pipelines;
using System.Net.Security;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Tls.Tests;

/// <summary>
/// <see cref="PipeReader.CancelPendingRead"/> behind TLS ends one read, the one that waits or the next, also where data is there already: on a ring,
/// and with stock Kestrel's SslStream over sockets.
/// </summary>
public class ReadCancelTests
{
    [Theory, AllValues]
    public async Task ACancelEndsTheNextReadOfAConnectionOnly(bool isRing, bool isOnPool)
    {
        ConcurrentQueue<string> seen = [];
        TaskCompletionSource isWaiting = Waits.Signal();
        await using HttpsServer server = await StartAsync(isRing, listen: listen => listen.Use(_ => async connection =>
        {
            // The rest of the connection runs where its last wait ends.
            Func<Task> script = () => ReadAsync(connection, seen, isWaiting);
            await (isOnPool ? Task.Run(script) : script());
        }));
        await using SslClient client = await SslClient.ConnectAsync(server.EndPoint);
        await client.Stream.WriteAsync("abcde"u8.ToArray());
        await isWaiting.Task.Within(Patience.Limit, "the last read waits");
        await client.Stream.WriteAsync("fg"u8.ToArray());
        Assert.Equal(0, await client.Stream.ReadAsync(new byte[1]).Within(Patience.Limit, "the connection ends"));
        Assert.Equal(["first abcde", "buffered abcde cancelled", "again abcde", "empty  cancelled", "waiting  cancelled", "last fg"], seen);
    }

    /// <summary>The same on the level of a request's body.</summary>
    [Theory, AllValues]
    public async Task ACancelEndsTheNextReadOfABodyOnly(bool isRing, bool isOnPool)
    {
        await using HttpsServer server = await StartAsync(isRing, map: app => app.MapPost(
            "/", (HttpContext context) => isOnPool ? Task.Run(() => CancelAsync(context)) : CancelAsync(context)));
        using HttpClient client = server.CreateClient();
        for (int request = 0; request < 20; request++)
        {
            using HttpResponseMessage response = await client.PostAsync(new Uri("/", UriKind.Relative), new ByteArrayContent("abcde"u8.ToArray()));
            Assert.Equal("True False abcde", await response.Content.ReadAsStringAsync());
        }
    }

    private static async Task ReadAsync(ConnectionContext connection, ConcurrentQueue<string> seen, TaskCompletionSource isWaiting)
    {
        PipeReader input = connection.Transport.Input;
        await NextAsync("first", isConsumed: false).ConfigureAwait(false);
        input.CancelPendingRead();
        await NextAsync("buffered", isConsumed: false).ConfigureAwait(false);
        await NextAsync("again", isConsumed: true).ConfigureAwait(false);
        input.CancelPendingRead();
        input.CancelPendingRead();
        await NextAsync("empty", isConsumed: true).ConfigureAwait(false);
        Task waiting = NextAsync("waiting", isConsumed: true);
        await Task.Run(input.CancelPendingRead).ConfigureAwait(false);
        await waiting.ConfigureAwait(false);
        waiting = NextAsync("last", isConsumed: true);
        isWaiting.SetResult();
        await waiting.ConfigureAwait(false);

        async Task NextAsync(string name, bool isConsumed)
        {
            ReadResult read = await input.ReadAsync().ConfigureAwait(false);
            seen.Enqueue($"{name} {Encoding.ASCII.GetString(read.Buffer.ToArray())}{(read.IsCanceled ? " cancelled" : "")}");
            input.AdvanceTo(isConsumed ? read.Buffer.End : read.Buffer.Start);
        }
    }

    private static async Task CancelAsync(HttpContext context)
    {
        PipeReader body = context.Request.BodyReader;
        body.CancelPendingRead();
        ReadResult first = await body.ReadAsync().ConfigureAwait(false);
        body.AdvanceTo(first.Buffer.Start);
        ReadResult second = await body.ReadAsync().ConfigureAwait(false);
        body.AdvanceTo(second.Buffer.Start);
        using StreamReader reader = new(context.Request.Body);
        await context.Response.WriteAsync(
            $"{first.IsCanceled} {second.IsCanceled} {await reader.ReadToEndAsync().ConfigureAwait(false)}").ConfigureAwait(false);
    }

    private static Task<HttpsServer> StartAsync(bool isRing, Action<ListenOptions>? listen = null, Action<WebApplication>? map = null)
        => HttpsServer.StartAsync(
            options =>
            {
                options.Protocols = HttpProtocols.Http1;
                if (isRing)
                {
                    options.UseIoxideTls(TestCertificates.Ecdsa);
                }
                else
                {
                    options.UseHttps(TestCertificates.Ecdsa);
                }

                listen?.Invoke(options);
            },
            hasRings: isRing, map: map);
}
