using System.Net;
using System.Net.Http.Json;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Ioxide.Tls.Tests;

/// <summary>What Kestrel's options say holds however a connection is served: on a ring, or by SslStream in its place.</summary>
public class ServedOptionsTests
{
    [Theory, AllValues]
    public async Task RootsOfAChainPolicyAloneAreTrusted(Serving serving)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(serving, static https =>
        {
            https.ClientCertificateMode = ClientCertificateMode.RequireCertificate;
            OptionsServer.Trust(https, TestCertificates.Roots);
        });
        Assert.Equal("CN=client", await ClientAsync(server, TestCertificates.Client));
        Assert.Null(await ClientAsync(server, TestCertificates.StrangeClient));
        Assert.Null(await ClientAsync(server, TestCertificates.ExpiredClient));
        Assert.Null(await ClientAsync(server, null));
    }

    [Theory, AllValues]
    public async Task AnEmptyChainPolicyTrustsNobody(Serving serving)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(serving, static https =>
        {
            https.ClientCertificateMode = ClientCertificateMode.RequireCertificate;
            OptionsServer.Trust(https, []);
        });
        Assert.Null(await ClientAsync(server, TestCertificates.Client));
    }

    [Theory, AllValues]
    public async Task ClientCertificateValidationDecidesWithTheErrorsOfTheseRoots(Serving serving)
    {
        SslPolicyErrors? seen = null;
        await using HttpsServer server = await OptionsServer.StartAsync(serving, https =>
        {
            https.ClientCertificateMode = ClientCertificateMode.RequireCertificate;
            OptionsServer.Trust(https, TestCertificates.Roots);
            https.ClientCertificateValidation = (certificate, chain, errors) =>
            {
                seen = errors;
                return chain is not null && certificate.Subject == "CN=strange client";
            };
        });
        Assert.Equal("CN=strange client", await ClientAsync(server, TestCertificates.StrangeClient));
        Assert.Equal(SslPolicyErrors.RemoteCertificateChainErrors, seen);
        Assert.Null(await ClientAsync(server, TestCertificates.Client));
        Assert.Equal(SslPolicyErrors.None, seen);
    }

    /// <summary>Options are fresh for each handshake, so what one connection was given does not reach the next.</summary>
    [Theory, AllValues]
    public async Task OnAuthenticateIsAskedForEachConnection(Serving serving)
    {
        int calls = 0;
        await using HttpsServer server = await OptionsServer.StartAsync(serving, https => https.OnAuthenticate = (connection, ssl) =>
        {
            Assert.NotNull(connection.ConnectionId);
            Assert.Equal("CN=localhost", ssl.ServerCertificate!.Subject);
            if (Interlocked.Increment(ref calls) == 2)
            {
                ssl.ServerCertificateContext = null;
                ssl.ServerCertificate = TestCertificates.Rsa;
            }
        });
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
        Assert.Equal("CN=localhost rsa", await OptionsServer.SubjectAsync(server, null));
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
        Assert.Equal(3, calls);
    }

    /// <summary>The list is the connection's own, also where a callback of the application changes it in place.</summary>
    [Theory, AllValues]
    public async Task AProtocolThatOneConnectionIsNotOfferedIsOfferedToTheNext(Serving serving)
    {
        int calls = 0;
        await using HttpsServer server = await OptionsServer.StartAsync(serving, https => https.OnAuthenticate = (_, ssl) =>
        {
            if (Interlocked.Increment(ref calls) == 2)
            {
                Assert.True(ssl.ApplicationProtocols!.Remove(SslApplicationProtocol.Http2));
            }
        });
        Assert.Equal(SslApplicationProtocol.Http2, await ProtocolAsync(server.EndPoint));
        Assert.Equal(SslApplicationProtocol.Http11, await ProtocolAsync(server.EndPoint));
        Assert.Equal(SslApplicationProtocol.Http2, await ProtocolAsync(server.EndPoint));
    }

    /// <summary>A selector may make a new certificate each time.</summary>
    [Fact]
    public void ContextsInUseStayWhereThereAreTooMany()
    {
        ServerContexts contexts = new(new TlsServerOptions());
        SslServerAuthenticationOptions inUse = new() { ServerCertificate = TestCertificates.Ecdsa };
        TlsContext context = contexts.Find(inUse, this, "");
        for (int index = 0; index <= ServerContexts.MaxContexts; index++)
        {
            contexts.Find(new SslServerAuthenticationOptions { ServerCertificate = new X509Certificate2(TestCertificates.Ecdsa) }, this, "");
            Assert.Same(context, contexts.Find(inUse, this, ""));
        }

        Assert.InRange(contexts.Served.Count, ServerContexts.MaxContexts / 2, ServerContexts.MaxContexts);
    }

    /// <summary>The list that the server was given is read anew for each handshake, as the other options are.</summary>
    [Fact]
    public async Task AProtocolThatIsTakenFromTheListOfAllHandshakesIsNoLongerOffered()
    {
        List<SslApplicationProtocol> protocols = [SslApplicationProtocol.Http2, SslApplicationProtocol.Http11];
        await using TlsEcho echo = await TlsEcho.StartAsync(new EchoOptions { ApplicationProtocols = protocols });
        Assert.Equal(SslApplicationProtocol.Http2, await ProtocolAsync(echo.EndPoint));
        protocols.RemoveAt(0);
        Assert.Equal(SslApplicationProtocol.Http11, await ProtocolAsync(echo.EndPoint));
    }

    [Theory, AllValues]
    public async Task ACipherSuitesPolicyAloneIsTaken(Serving serving)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(serving, static https => https.OnAuthenticate = Suites(
            TlsCipherSuite.TLS_AES_256_GCM_SHA384, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384));
        Assert.Equal("TLS_AES_256_GCM_SHA384", await SuiteAsync(server, null));
        Assert.Null(await SuiteAsync(server, TlsCipherSuite.TLS_AES_128_GCM_SHA256));
        Assert.Null(await SuiteAsync(server, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256));
        Assert.Equal("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", await SuiteAsync(server, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384));
    }

    /// <summary>A version whose suites are not in the policy is off, not served by others.</summary>
    [Theory, AllValues]
    public async Task ACipherSuitesPolicyOfOneVersionTurnsTheOtherOff(Serving serving)
    {
        await using HttpsServer only13 = await OptionsServer.StartAsync(
            serving, static https => https.OnAuthenticate = Suites(TlsCipherSuite.TLS_AES_128_GCM_SHA256));
        Assert.Equal("TLS_AES_128_GCM_SHA256", await SuiteAsync(only13, null));
        Assert.Null(await SuiteAsync(only13, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384));
        await using HttpsServer only12 = await OptionsServer.StartAsync(
            serving, static https => https.OnAuthenticate = Suites(TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384));
        Assert.Equal("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", await SuiteAsync(only12, null));
        Assert.Null(await SuiteAsync(only12, TlsCipherSuite.TLS_AES_128_GCM_SHA256));
    }

    /// <summary>A suite that the ring has not is served by SslStream, which the log says, and the others with it: no client is lost.</summary>
    [Fact]
    public async Task ACipherSuitesPolicyWithOtherSuitesIsServedBySslStream()
    {
        await using HttpsServer server = await OptionsServer.StartAsync(Serving.Ring, static https => https.OnAuthenticate = Suites(
            TlsCipherSuite.TLS_AES_256_GCM_SHA384, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384));
        Assert.Equal("TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384", await SuiteAsync(server, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384));
        Assert.Equal("TLS_AES_256_GCM_SHA384", await SuiteAsync(server, null));
        string line = Assert.Single(server.Lines, static line => line.Contains("TLS by SslStream", StringComparison.Ordinal));
        Assert.StartsWith("Warning", line, StringComparison.Ordinal);
        Assert.Contains("TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384", line, StringComparison.Ordinal);
    }

    /// <summary>The callback allows it for one name; that client is asked later, by SslStream, and the others are served by the ring.</summary>
    [Fact]
    public async Task ACallbackThatDelaysClientCertificatesIsServedBySslStream()
    {
        await using HttpsServer server = await HttpsServer.StartAsync(
            static listen => listen.UseIoxideTls(new TlsHandshakeCallbackOptions
            {
                HandshakeTimeout = Patience.Limit,
                OnConnection = static context =>
                {
                    context.AllowDelayedClientCertificateNegotation = context.ClientHelloInfo.ServerName == "localhost";
                    return ValueTask.FromResult(new SslServerAuthenticationOptions
                    {
                        ServerCertificate = TestCertificates.Ecdsa,
                        RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate is null or { Subject: "CN=client" },
                    });
                },
            }),
            map: static app => app.MapGet("/late", static async (Microsoft.AspNetCore.Http.HttpContext context)
                => (await context.Connection.GetClientCertificateAsync())?.Subject));
        using HttpClient client = server.CreateClient(null, static handler =>
            handler.SslOptions.LocalCertificateSelectionCallback = static (_, _, _, _, _) => TestCertificates.Client);
        Assert.Equal("CN=client", await client.GetStringAsync(new Uri("/late", UriKind.Relative)));
        Assert.Contains(server.Lines, static line => line.Contains("delayed client certificates", StringComparison.Ordinal));
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, "other.test"));
        Assert.Contains("\"onRing\":\"False\"", await client.GetStringAsync(new Uri("/tls", UriKind.Relative)), StringComparison.Ordinal);
        const string Request = "GET /tls HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n";
        Assert.Contains(
            "\"onRing\":\"True\"",
            await OptionsServer.SendAsync(server.EndPoint, Request, "-ign_eof", "-servername", "other.test"),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task DelayedClientCertificatesAreServedBySslStream()
    {
        await using HttpsServer server = await OptionsServer.StartAsync(
            Serving.Ring, static https => https.ClientCertificateMode = ClientCertificateMode.DelayCertificate);
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
        Assert.Contains(server.Lines, static line =>
            line.StartsWith("Warning", StringComparison.Ordinal) && line.Contains("delayed client certificates", StringComparison.Ordinal));
    }

    /// <summary>A context's intermediates are sent, which no store has.</summary>
    [Theory, AllValues]
    public async Task TheChainIsSent(Serving serving)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(serving, static https =>
        {
            https.ServerCertificate = OracleCertificates.ServerByIntermediate;
            https.ServerCertificateChain = [OracleCertificates.Intermediate];
        });
        Assert.Matches(" 1 s:.*intermediate", await OptionsServer.HandshakeAsync(server.EndPoint, "-noservername", "-showcerts"));
    }

    [Theory, AllValues]
    public async Task AllowTlsResumeEndsResumption(Serving serving)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(
            serving, static https => https.OnAuthenticate = static (_, ssl) => ssl.AllowTlsResume = false);
        Assert.False(await OptionsServer.IsResumedAsync(server));
    }

    [Theory, AllValues]
    public async Task KernelOffloadMayBeOff(Serving serving)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(serving, static tls => tls.KernelOffload = TlsKernelOffload.Never);
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
    }

    /// <summary>Kestrel's own middleware of .NET 10 fails each connection then, because a timer cannot have that time.</summary>
    [Fact]
    public async Task AHandshakeMayHaveNoTimeout()
    {
        await using HttpsServer server = await OptionsServer.StartAsync(
            Serving.Ring, static https => https.HandshakeTimeout = Timeout.InfiniteTimeSpan);
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
    }

    private static Action<Microsoft.AspNetCore.Connections.ConnectionContext, SslServerAuthenticationOptions> Suites(params TlsCipherSuite[] suites)
        => (_, ssl) => ssl.CipherSuitesPolicy = new CipherSuitesPolicy(suites);

    /// <summary>What a client that speaks both versions of HTTP gets.</summary>
    private static async Task<SslApplicationProtocol> ProtocolAsync(EndPoint endPoint)
    {
        await using SslClient client = await SslClient.ConnectAsync(endPoint, SslClient.Options(static options =>
            options.ApplicationProtocols = [SslApplicationProtocol.Http2, SslApplicationProtocol.Http11]));
        return client.Stream.NegotiatedApplicationProtocol;
    }

    /// <summary>The certificate that the application sees; null where the client is refused.</summary>
    private static async Task<string?> ClientAsync(HttpsServer server, X509Certificate2? certificate)
    {
        using HttpClient client = server.CreateClient(null, handler =>
            handler.SslOptions.LocalCertificateSelectionCallback = certificate is null ? null : (_, _, _, _, _) => certificate);
        return (await DescribeAsync(client))?["client"];
    }

    /// <summary>The suite that the application sees; null where the client is refused.</summary>
    private static async Task<string?> SuiteAsync(HttpsServer server, TlsCipherSuite? only)
    {
        using HttpClient client = server.CreateClient(null, handler =>
            handler.SslOptions.CipherSuitesPolicy = only is { } suite ? new CipherSuitesPolicy([suite]) : null);
        return (await DescribeAsync(client))?["suite"];
    }

    private static async Task<Dictionary<string, string?>?> DescribeAsync(HttpClient client)
    {
        try
        {
            return await client.GetFromJsonAsync<Dictionary<string, string?>>(new Uri("/tls", UriKind.Relative));
        }
        catch (HttpRequestException exception) when (exception.InnerException is IOException or AuthenticationException)
        {
            return null;
        }
    }
}
