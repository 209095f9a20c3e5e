using System.Net.WebSockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2.Tests;

/// <summary>Chromium over TLS, on the engine and on stock Kestrel: a page, many requests at the same time, bodies in both directions, a WebSocket in a stream.</summary>
[Once]
public class BrowserTests
{
    private const int Parallel = 60;

    [Theory, AllValues]
    public async Task ChromiumIsServedByHttp2(bool isEngine)
    {
        Assert.SkipUnless(Browser.Missing is null, Browser.Missing ?? "");
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Map = static app => app.UseWebSockets(),
            Handler = static async context =>
            {
                if (context.Request.Path == "/")
                {
                    context.Response.ContentType = "text/html";
                    await context.Response.WriteAsync("<!doctype html><title>page</title><link rel=icon href=data:,>");
                    return;
                }

                if (context.WebSockets.IsWebSocketRequest)
                {
                    await EchoAsync(context);
                    return;
                }

                context.Response.Headers["X-Seen"] = context.Request.Protocol;
                await context.Request.Body.CopyToAsync(context.Response.Body);
                await context.Response.WriteAsync(context.Request.Path);
            },
        }.On(isEngine, isTls: true));
        await using Browser browser = await Browser.StartAsync("--ignore-certificate-errors");
        await using BrowserPage page = await browser.OpenPageAsync();
        await page.OpenAsync(new Uri($"https://127.0.0.1:{host.EndPoint.Port}/"));
        Assert.Equal("h2", (await page.EvaluateAsync("performance.getEntriesByType('navigation')[0].nextHopProtocol"))?.GetValue<string>());
        string all = $"Promise.all([...Array({Parallel}).keys()].map(async n => {{ const r = await fetch('/' + n); return r.headers.get('x-seen') + await r.text(); }})).then(t => t.join())";
        Assert.Equal(
            string.Join(',', Enumerable.Range(0, Parallel).Select(static number => $"HTTP/2/{number}")),
            (await page.EvaluateAsync(all))?.GetValue<string>());
        const string Large = "fetch('/end', { method: 'POST', body: 'x'.repeat(1000000) }).then(async r => { const t = await r.text(); return t.length + t.slice(-4); })";
        Assert.Equal("1000004/end", (await page.EvaluateAsync(Large))?.GetValue<string>());
        string socket = $"new Promise(done => {{ const s = new WebSocket('wss://127.0.0.1:{host.EndPoint.Port}/socket'); s.onopen = () => s.send('x'.repeat(50000)); "
            + "s.onmessage = m => { s.onclose = c => done(s.extensions.split(';')[0] + m.data.length + c.wasClean + c.reason); s.close(1000, 'end'); }; s.onerror = () => done('error'); })";
        Assert.Equal("permessage-deflate50000trueend", (await page.EvaluateAsync(socket))?.GetValue<string>());
    }

    private static async Task EchoAsync(HttpContext context)
    {
        Assert.Equal("HTTP/2", context.Request.Protocol);
        using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync(new WebSocketAcceptContext { DangerousEnableCompression = true });
        byte[] buffer = new byte[100_000];
        int length = 0;
        ValueWebSocketReceiveResult received;
        do
        {
            received = await socket.ReceiveAsync(buffer.AsMemory(length), default);
            length += received.Count;
        }
        while (!received.EndOfMessage);
        await socket.SendAsync(buffer.AsMemory(0, length), received.MessageType, endOfMessage: true, default);
        _ = await socket.ReceiveAsync(buffer.AsMemory(), default);
        await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, socket.CloseStatusDescription, default);
    }
}
