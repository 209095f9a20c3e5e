using System.Net;
using System.Net.Security;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Tls.Tests;

/// <summary>An option that would be lost ends the start of the host with its name and a remedy; it is served where it can be kept.</summary>
public class RefusedStartTests
{
    public static TheoryData<string, Serving> NotKept
    {
        get
        {
            TheoryData<string, Serving> data = [];
            foreach (string option in Settings.Keys.Where(option => option != nameof(IoxideTlsOptions.KernelOffload)))
            {
                data.Add(option, Serving.Sockets);
                data.Add(option, Serving.SslStreamOption);
            }

            return data;
        }
    }

    /// <summary>A value of each option that SslStream cannot keep.</summary>
    private static Dictionary<string, Action<IoxideTlsOptions>> Settings { get; } = new()
    {
        [nameof(IoxideTlsOptions.KernelOffload)] = static tls => tls.KernelOffload = TlsKernelOffload.Require,
        [nameof(IoxideTlsOptions.OcspResponse)] = static tls => tls.OcspResponse = [0x30, 0],
        [nameof(IoxideTlsOptions.MaxHandshakesPerReactor)] = static tls => tls.MaxHandshakesPerReactor = 5,
    };

    [Fact]
    public void EveryOptionSaysWhatBecomesOfItWhereSslStreamServes()
        => Assert.Equal(
            typeof(IoxideTlsOptions).GetProperties().Select(static property => property.Name).Order(StringComparer.Ordinal),
            FallbackRule.All.Select(static rule => rule.Option).Order(StringComparer.Ordinal));

    /// <summary>An option of either kind has its test: a refused one here, a kept one in <see cref="ServedOptionsTests"/> by its name.</summary>
    [Fact]
    public void EveryOptionHasATest()
    {
        string[] served = [.. typeof(ServedOptionsTests).GetMethods().Select(static method => method.Name)];
        foreach (FallbackRule rule in FallbackRule.All)
        {
            Assert.True(
                rule.Remedy is not null
                    ? Settings.ContainsKey(rule.Option)
                    : served.Any(name => name.StartsWith(rule.Option, StringComparison.Ordinal)),
                rule.Option);
        }
    }

    [Fact]
    public void ADefaultAsksNothingOfSslStream() => Assert.Null(FallbackRule.NamesOfSet(new IoxideTlsOptions()));

    [Theory]
    [MemberData(nameof(NotKept))]
    [InlineData(nameof(IoxideTlsOptions.KernelOffload), Serving.Sockets)]
    [InlineData(nameof(IoxideTlsOptions.KernelOffload), Serving.SslStreamOption)]
    public async Task WhatSslStreamCannotKeepIsRefused(string option, Serving serving)
    {
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(
            () => StartAsync(listen => OptionsServer.Configure(listen, serving, Settings[option]), serving != Serving.Sockets));
        Assert.Contains($"IoxideTlsOptions.{option}: ", exception.Message, StringComparison.Ordinal);
        Assert.Contains("https://127.0.0.1:0", exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(nameof(IoxideTlsOptions.OcspResponse))]
    [InlineData(nameof(IoxideTlsOptions.MaxHandshakesPerReactor))]
    public async Task WhatSslStreamCannotKeepIsServedOnRings(string option)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(Serving.Ring, Settings[option]);
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
    }

    /// <summary>That a connection has another transport than a ring's is seen when it comes.</summary>
    [Theory]
    [InlineData(nameof(IoxideTlsOptions.OcspResponse))]
    [InlineData(nameof(IoxideTlsOptions.MaxHandshakesPerReactor))]
    public async Task AConnectionThatWouldBeServedWithoutAnOptionIsRefused(string option)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(Serving.Wrapped, Settings[option]);
        Assert.Null(await OptionsServer.SubjectAsync(server, null));
        Assert.Null(await OptionsServer.SubjectAsync(server, null));
        string error = Assert.Single(server.Lines, static line => line.StartsWith("Error", StringComparison.Ordinal));
        Assert.Contains(option, error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AConnectionThatHasTlsAlreadyIsRefusedWhereAnOptionIsSet(bool isSet)
    {
        await using HttpsServer server = await HttpsServer.StartAsync(listen =>
        {
            listen.UseHttps(TestCertificates.Rsa);
            OptionsServer.Configure(
                listen, Serving.Ring, tls => tls.ClientCertificateRoots = isSet ? TestCertificates.Roots : null);
        });
        using HttpClient client = server.CreateClient();
        Task<HttpResponseMessage> answer = client.GetAsync(new Uri("/tls", UriKind.Relative));
        if (isSet)
        {
            await Assert.ThrowsAsync<HttpRequestException>(() => answer);
            Assert.Contains(server.Lines, static line =>
                line.StartsWith("Error", StringComparison.Ordinal) && line.Contains("ClientCertificateRoots", StringComparison.Ordinal));
        }
        else
        {
            Assert.Equal(HttpStatusCode.OK, (await answer).StatusCode);
        }
    }

    /// <summary>Kestrel binds any address of IPv6 first and tries IPv4 where that fails; the second try must not serve without the option.</summary>
    [Fact]
    public async Task ARefusalHoldsForEveryAddressThatKestrelTries()
    {
        await Assert.ThrowsAsync<InvalidOperationException>(() => HttpsServer.StartAsync(
            host: static host => host.ConfigureKestrel(static kestrel => kestrel.ListenAnyIP(
                0, listen => OptionsServer.Configure(listen, Serving.SslStreamOption, Settings[nameof(IoxideTlsOptions.OcspResponse)])))));
        await Assert.ThrowsAsync<ArgumentException>(() => HttpsServer.StartAsync(
            host: static host => host.ConfigureKestrel(static kestrel => kestrel.ListenAnyIP(
                0, static listen => OptionsServer.Configure(
                    listen, Serving.Ring, static tls => tls.CipherSuites.Add(TlsCipherSuite.TLS_RSA_WITH_AES_128_CBC_SHA))))));
    }

    [Theory]
    [InlineData(Serving.Ring)]
    [InlineData(Serving.Sockets)]
    [InlineData(Serving.SslStreamOption)]
    public async Task SuitesThatNobodySupportsAreRefused(Serving serving)
    {
        ArgumentException exception = await Assert.ThrowsAsync<ArgumentException>(() => OptionsServer.StartAsync(
            serving, static tls => tls.CipherSuites.Add(TlsCipherSuite.TLS_RSA_WITH_AES_128_CBC_SHA)));
        Assert.Contains("TLS_RSA_WITH_AES_128_CBC_SHA", exception.Message, StringComparison.Ordinal);
    }

    /// <summary>Kestrel's HTTP/3 does its handshakes without connection middleware.</summary>
    [Theory]
    [InlineData(Serving.Ring)]
    [InlineData(Serving.Sockets)]
    public async Task Http3IsRefusedWithAnOption(Serving serving)
    {
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => HttpsServer.StartAsync(
            listen =>
            {
                listen.Protocols = HttpProtocols.Http1AndHttp2AndHttp3;
                OptionsServer.Configure(listen, serving, static tls => tls.RequireKnownName = true);
            },
            static host => host.ConfigureServices(static services => services.AddSingleton<IMultiplexedConnectionListenerFactory, NoQuic>()),
            hasRings: serving != Serving.Sockets));
        Assert.Contains("HTTP/3", exception.Message, StringComparison.Ordinal);
        Assert.Contains("RequireKnownName", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AChainThatSslStreamWouldNotSendIsRefused()
    {
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => StartWithChainAsync(Serving.Sockets));
        Assert.Contains("intermediate", exception.Message, StringComparison.Ordinal);
        Assert.Contains("RequireKnownName", exception.Message, StringComparison.Ordinal);

        await using HttpsServer ring = await StartWithChainAsync(Serving.Ring);
        string shown = await OptionsServer.HandshakeAsync(ring.EndPoint, "-noservername", "-showcerts");
        Assert.Matches(" 1 s:.*intermediate", shown);
        await using HttpsServer wrapped = await StartWithChainAsync(Serving.Wrapped);
        Assert.Null(await OptionsServer.SubjectAsync(wrapped, null));
    }

    [Fact]
    public async Task ASecondCallForAnEndPointIsRefused()
    {
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync(static listen =>
        {
            OptionsServer.Configure(listen, Serving.Ring, static _ => { });
            OptionsServer.Configure(listen, Serving.Ring, static tls => tls.RequireKnownName = true);
        }));
        Assert.Contains("twice", exception.Message, StringComparison.Ordinal);
    }

    /// <summary>Neither the application's word nor the option may be lost.</summary>
    [Theory]
    [InlineData(nameof(SslServerAuthenticationOptions.CertificateChainPolicy))]
    [InlineData(nameof(SslServerAuthenticationOptions.CipherSuitesPolicy))]
    public async Task AHandshakeIsRefusedWhereOnAuthenticateSetsWhatAnOptionSets(string name)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(
            Serving.Ring,
            static tls =>
            {
                tls.ClientCertificateRoots = TestCertificates.Roots;
                tls.CipherSuites.RemoveAt(0);
            },
            https => https.OnAuthenticate = (_, options) =>
            {
                options.CertificateChainPolicy = name == nameof(options.CertificateChainPolicy) ? new() : null;
                options.CipherSuitesPolicy =
                    name == nameof(options.CipherSuitesPolicy) ? new CipherSuitesPolicy([TlsCipherSuite.TLS_AES_128_GCM_SHA256]) : null;
            });
        Assert.Null(await OptionsServer.SubjectAsync(server, null));
        Assert.Contains(server.Lines, line => line.Contains($"OnAuthenticate sets {name}", StringComparison.Ordinal));
    }

    /// <summary>What the application decides in <c>OnAuthenticate</c> is the end point's default, beside the names.</summary>
    [Theory]
    [InlineData(Serving.Ring)]
    [InlineData(Serving.Sockets)]
    public async Task OnAuthenticateChoosesTheDefaultBesideNames(Serving serving)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(
            serving,
            static tls => tls.CertificatesByName["named.test"] = TestCertificates.Named,
            static https => https.OnAuthenticate = static (_, options) =>
            {
                options.ServerCertificateContext = null;
                options.ServerCertificate = TestCertificates.Rsa;
            });
        Assert.Equal("CN=localhost rsa", await OptionsServer.SubjectAsync(server, "unknown.test"));
        Assert.Equal("CN=named.test", await OptionsServer.SubjectAsync(server, "named.test"));
    }

    private static Task<HttpsServer> StartWithChainAsync(Serving serving) => OptionsServer.StartAsync(
        serving,
        static tls => tls.RequireKnownName = true,
        static https =>
        {
            https.ServerCertificate = OracleCertificates.ServerByIntermediate;
            https.ServerCertificateChain = [OracleCertificates.Intermediate];
        });

    private static async Task StartAsync(Action<ListenOptions> listen, bool hasRings = true)
    {
        await using HttpsServer server = await HttpsServer.StartAsync(listen, hasRings: hasRings);
    }

    private sealed class NoQuic : IMultiplexedConnectionListenerFactory
    {
        public ValueTask<IMultiplexedConnectionListener> BindAsync(
            EndPoint endpoint, Microsoft.AspNetCore.Http.Features.IFeatureCollection? features = null, CancellationToken cancellationToken = default)
            => throw new NotSupportedException();
    }
}
