using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Http2.Tests;

/// <summary>Chromium over TLS on the ring: a page, many requests at the same time, bodies in both directions.</summary>
public class BrowserTests
{
    private const int Parallel = 60;

    [Fact]
    public async Task ChromiumIsServedByHttp2()
    {
        Assert.SkipUnless(Browser.Missing is null, Browser.Missing ?? "");
        using X509Certificate2 certificate = TlsTests.MakeCertificate();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Protocols = HttpProtocols.Http1AndHttp2,
            Listen = listen => listen.UseIoxideTls(certificate),
            Handler = static async context =>
            {
                if (context.Request.Path == "/")
                {
                    context.Response.ContentType = "text/html";
                    await context.Response.WriteAsync("<!doctype html><title>page</title><link rel=icon href=data:,>");
                    return;
                }

                context.Response.Headers["X-Seen"] = context.Request.Protocol;
                await context.Request.Body.CopyToAsync(context.Response.Body);
                await context.Response.WriteAsync(context.Request.Path);
            },
        });
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
    }
}
