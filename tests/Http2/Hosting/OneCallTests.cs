using System.Net;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Ioxide.Http2.Tests;

/// <summary>
/// <c>builder.WebHost.UseIoxideHttp2()</c>: every endpoint that speaks HTTP/2 is the engine's, wherever it comes from and whatever was called first;
/// what stands in front of HTTP runs before it; and the log says who serves.
/// </summary>
public class OneCallTests
{
    private const string Engine = "HTTP/2 by the engine";
    private const string Kestrel = "HTTP/2 by Kestrel";

    private static readonly string[] s_calls = ["ring", "http2", "tls", "defaults", "endpoints"];

    public static TheoryData<string> Orders()
    {
        TheoryData<string> orders = [];
        foreach (string[] order in Permute(s_calls))
        {
            // TLS for all has an order of its own: behind the defaults, and before endpoints in code.
            if (Array.IndexOf(order, "defaults") < Array.IndexOf(order, "tls") && Array.IndexOf(order, "tls") < Array.IndexOf(order, "endpoints"))
            {
                orders.Add(string.Join(", ", order));
            }
        }

        return orders;
    }

    [Theory, MemberData(nameof(Orders))]
    public async Task EachOrderOfCallsServesTheSame(string order)
    {
        using X509Certificate2 certificate = CertificateMaker.SelfSigned();
        int passed = 0;
        await using CallHost host = await CallHost.StartAsync(builder =>
        {
            foreach (string call in order.Split(", "))
            {
                _ = call switch
                {
                    "ring" => builder.WebHost.UseIoxide(static options => options.ReactorCount = 1),
                    "http2" => builder.WebHost.UseIoxideHttp2(),
                    "tls" => builder.WebHost.UseIoxideTlsForHttps(),
                    "defaults" => builder.WebHost.ConfigureKestrel(kestrel => kestrel.ConfigureEndpointDefaults(listen => Count(listen))),
                    _ => builder.WebHost.ConfigureKestrel(kestrel =>
                    {
                        kestrel.Listen(IPAddress.Loopback, 0, static listen => listen.Protocols = HttpProtocols.Http2);
                        kestrel.ListenAnyIP(0, listen =>
                        {
                            listen.UseHttps(certificate);
                            Count(listen);
                        });
                    }),
                };
            }
        });
        string[] addresses = [.. host.App.Urls.Select(static address => address.Replace("[::]", "127.0.0.1", StringComparison.Ordinal))];
        Assert.Equal(["http", "https"], addresses.Select(static address => address.Split(':')[0]));
        Assert.Equal(Engine, await CallHost.AskAsync(addresses[0]));
        Assert.Equal(1, Interlocked.Exchange(ref passed, 0));
        Assert.Equal(Engine, await CallHost.AskAsync(addresses[1]));
        Assert.Equal(2, Interlocked.Exchange(ref passed, 0));
        Assert.Equal("HTTP/1.1 by Kestrel", await CallHost.AskAsync(addresses[1], version: 1));

        // What asks for TLS gets no answer in clear text.
        await Assert.ThrowsAnyAsync<HttpRequestException>(() => CallHost.AskAsync(addresses[1].Replace("https", "http", StringComparison.Ordinal)));
        Assert.DoesNotContain(host.Logs, static line => line.Level >= LogLevel.Warning);

        void Count(ListenOptions listen) => listen.Use(next => connection =>
        {
            Interlocked.Increment(ref passed);
            return next(connection);
        });
    }

    [Theory, AllValues]
    public async Task EndPointsOfTheConfigurationAreServed(bool isReloaded)
        => await CallHost.WithCertificateFileAsync(async file =>
        {
            (string, string)[] settings =
            [
                ("Kestrel:Endpoints:Clear:Url", "http://127.0.0.1:0"), ("Kestrel:Endpoints:Clear:Protocols", "Http2"),
                ("Kestrel:Endpoints:Tls:Url", $"https://localhost:{CallHost.FreePort()}"), ("Kestrel:Endpoints:Tls:Certificate:Path", file),
            ];
            await using CallHost host = await CallHost.StartAsync(
                builder =>
                {
                    builder.WebHost.UseIoxide(static options => options.ReactorCount = 1).UseIoxideHttp2().UseIoxideTlsForHttps();
                    builder.WebHost.ConfigureKestrel(kestrel => kestrel.Configure(builder.Configuration.GetSection("Kestrel"), reloadOnChange: true));
                },
                settings);
            if (isReloaded)
            {
                host.App.Configuration["Kestrel:Endpoints:Late:Url"] = $"http://localhost:{CallHost.FreePort()}";
                host.App.Configuration["Kestrel:Endpoints:Late:Protocols"] = "Http2";
                ((IConfigurationRoot)host.App.Configuration).Reload();
                await Waits.Eventually(() => host.App.Urls.Count == 3, 30.Seconds());
            }

            foreach (string address in host.App.Urls)
            {
                Assert.Equal(Engine, await CallHost.AskAsync(address));
            }
        });

    [Theory, AllValues]
    public async Task AddressesOfTheCommandLineAreServed(bool hasTlsOnRing)
    {
        using X509Certificate2 certificate = CertificateMaker.SelfSigned();
        string urls = $"http://127.0.0.1:0;http://localhost:{CallHost.FreePort()};https://localhost:{CallHost.FreePort()};https://127.0.0.1:0";
        await using CallHost host = await CallHost.StartAsync(
            builder =>
            {
                builder.WebHost.UseIoxideHttp2().UseIoxide(static options => options.ReactorCount = 1);
                _ = hasTlsOnRing ? builder.WebHost.UseIoxideTlsForHttps() : builder.WebHost;
                builder.WebHost.ConfigureKestrel(kestrel => kestrel.ConfigureHttpsDefaults(https => https.ServerCertificate = certificate));
            },
            ("urls", urls));
        Assert.Equal(4, host.App.Urls.Count);
        foreach (string address in host.App.Urls)
        {
            Assert.Equal(Engine, await CallHost.AskAsync(address));
        }
    }

    /// <summary>The endpoint has HTTP/1.1 too. Kestrel alone would say that HTTP/2 is not enabled there, and would be right.</summary>
    [Theory, AllValues]
    public async Task ClearTextWithBothVersionsIsServedWithoutAWrongWarning(bool isOnRing)
    {
        await using CallHost host = await CallHost.StartAsync(builder =>
        {
            builder.WebHost.UseIoxideHttp2();
            if (isOnRing)
            {
                builder.WebHost.UseIoxide(static options => options.ReactorCount = 1);
            }

            builder.WebHost.ConfigureKestrel(static kestrel => kestrel.Listen(
                IPAddress.Loopback, 0, static listen => listen.Protocols = HttpProtocols.Http1AndHttp2));
        });
        Assert.Equal("HTTP/1.1 by Kestrel", await host.AskAsync(version: 1));
        bool isWarned = host.Logs.Any(static line => line.Event.Id == 64);
        LogLine told = host.Logs.Single(static line => line.Category == "Ioxide.Http2");
        if (isOnRing)
        {
            Assert.Equal(Engine, await host.AskAsync());
            Assert.Equal((false, 5001), (isWarned, told.Event.Id));
        }
        else
        {
            Assert.Equal((true, 5002, LogLevel.Information), (isWarned, told.Event.Id, told.Level));
        }
    }

    [Fact]
    public async Task AnEndPointCanBeLeftToKestrelAndTheLastCallCounts()
    {
        await using CallHost host = await CallHost.StartAsync(static builder =>
        {
            builder.WebHost.UseIoxide(static options => options.ReactorCount = 1).UseIoxideHttp2();
            builder.WebHost.ConfigureKestrel(static kestrel =>
            {
                kestrel.ConfigureEndpointDefaults(static listen => listen.Protocols = HttpProtocols.Http2);
                kestrel.Listen(IPAddress.Loopback, 0, static listen => listen.UseKestrelHttp2());
                kestrel.Listen(IPAddress.Loopback, 0, static listen => listen.UseKestrelHttp2().UseIoxideHttp2());
                kestrel.Listen(IPAddress.Loopback, 0, static listen => listen.UseIoxideHttp2().UseKestrelHttp2());
                kestrel.Listen(IPAddress.Loopback, 0);
            });
        });
        List<string> served = [];
        foreach (string address in host.App.Urls)
        {
            served.Add(await CallHost.AskAsync(address));
        }

        Assert.Equal([Kestrel, Engine, Kestrel, Engine], served);
    }

    /// <summary>An endpoint that asks for a client's certificate answers nobody in clear text, and middleware behind the call runs.</summary>
    [Theory, AllValues]
    public async Task TheCallOfOneEndPointMayStandBeforeItsTls(bool isFirst)
    {
        using X509Certificate2 certificate = CertificateMaker.SelfSigned();
        int passed = 0;
        await using CallHost host = await CallHost.StartAsync(builder =>
        {
            builder.WebHost.UseIoxide(static options => options.ReactorCount = 1);
            builder.Services.AddIoxideHttp2();
            builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen =>
            {
                _ = isFirst ? listen.UseIoxideHttp2() : listen;
                listen.UseIoxideTls(certificate);
                listen.Use(next => connection =>
                {
                    Interlocked.Increment(ref passed);
                    return next(connection);
                });
                _ = isFirst ? listen : listen.UseIoxideHttp2();
            }));
        });
        Assert.Equal(Engine, await host.AskAsync());
        Assert.Equal(1, passed);
        using FrameClient clear = await FrameClient.ConnectAsync(IPEndPoint.Parse(new Uri(host.App.Urls.Single()).Authority), []);
        await clear.SendAsync(FrameClient.Request(1));
        await Assert.ThrowsAnyAsync<Exception>(() => clear.ReadStreamAsync(1));
    }

    /// <summary>Kestrel adds what the configuration asks for behind an endpoint's defaults.</summary>
    [Theory, AllValues]
    public async Task MiddlewareBehindTheEngineMakesKestrelServeAndIsTold(bool isCalledBehind)
    {
        int passed = 0;
        await using CallHost host = await CallHost.StartAsync(
            builder =>
            {
                builder.WebHost.UseIoxide(static options => options.ReactorCount = 1).UseIoxideHttp2();
                builder.WebHost.ConfigureKestrel(kestrel => kestrel.Configure(builder.Configuration.GetSection("Kestrel")).Endpoint("Named", endPoint =>
                {
                    endPoint.ListenOptions.Use(next => connection =>
                    {
                        Interlocked.Increment(ref passed);
                        return next(connection);
                    });
                    _ = isCalledBehind ? endPoint.ListenOptions.UseIoxideHttp2() : null;
                }));
            },
            ("Kestrel:Endpoints:Named:Url", "http://127.0.0.1:0"), ("Kestrel:Endpoints:Named:Protocols", "Http2"));
        Assert.Equal(isCalledBehind ? Engine : Kestrel, await host.AskAsync());
        Assert.Equal(1, passed);
        Assert.Equal(!isCalledBehind, host.Logs.Any(static line => line.Event.Id == 5002 && line.Level == LogLevel.Warning));
    }

    [Fact]
    public async Task AServerThatWasReplacedBehindTheCallIsRefusedWithTheRemedy()
    {
        InvalidOperationException refused = await Assert.ThrowsAsync<InvalidOperationException>(() => CallHost.StartAsync(static builder =>
            builder.WebHost.UseIoxide().UseIoxideHttp2().UseKestrelCore().UseUrls("http://127.0.0.1:0")));
        Assert.Contains("Call UseIoxideHttp2 after it", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AKestrelThatStoresItsEndPointsDifferentlyServesThem()
    {
        await using CallHost host = await CallHost.StartAsync(static builder =>
        {
            builder.Services.AddSingleton<KestrelEndPoints, OtherKestrel>();
            builder.WebHost.UseIoxide(static options => options.ReactorCount = 1).UseIoxideHttp2();
            builder.WebHost.ConfigureKestrel(static kestrel => kestrel.Listen(IPAddress.Loopback, 0, static listen => listen.Protocols = HttpProtocols.Http2));
        });
        Assert.Equal(Kestrel, await host.AskAsync());
        Assert.Contains(host.Logs, static line => line.Event.Id == 5009 && line.Level == LogLevel.Error);
    }

    private static IEnumerable<string[]> Permute(string[] items)
        => items.Length == 1 ? [items] : items.SelectMany(first => Permute([.. items.Where(item => item != first)]).Select(rest => (string[])[first, .. rest]));

    private sealed class OtherKestrel : KestrelEndPoints
    {
        internal override void ForEach(KestrelServerOptions kestrel, Action<ListenOptions> action) => throw new MissingFieldException("_middleware");
    }
}
