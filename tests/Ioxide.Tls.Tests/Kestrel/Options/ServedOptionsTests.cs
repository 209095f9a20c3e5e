using System.Net.Http.Json;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Ioxide.Tls.Tests;

/// <summary>Every option of <see cref="IoxideTlsOptions"/> holds however a connection is served: on a ring, or by SslStream in its place.</summary>
public class ServedOptionsTests
{
    private const string Unknown = "unknown.test";

    public static TheoryData<Serving> Ways => [.. Enum.GetValues<Serving>()];

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task ClientCertificateRootsAloneAreTrusted(Serving serving)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(
            serving,
            tls => tls.ClientCertificateRoots = TestCertificates.Roots,
            https => https.ClientCertificateMode = ClientCertificateMode.RequireCertificate);
        Assert.Equal("CN=client", await ClientAsync(server, TestCertificates.Client));
        Assert.Null(await ClientAsync(server, TestCertificates.StrangeClient));
        Assert.Null(await ClientAsync(server, TestCertificates.ExpiredClient));
        Assert.Null(await ClientAsync(server, null));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task ClientCertificateRootsReplaceTheSystems(Serving serving)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(
            serving,
            tls => tls.ClientCertificateRoots = [],
            https => https.ClientCertificateMode = ClientCertificateMode.RequireCertificate);
        Assert.Null(await ClientAsync(server, TestCertificates.Client));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task ClientCertificateValidationDecidesWithTheErrorsOfTheseRoots(Serving serving)
    {
        SslPolicyErrors? seen = null;
        await using HttpsServer server = await OptionsServer.StartAsync(
            serving,
            tls => tls.ClientCertificateRoots = TestCertificates.Roots,
            https =>
            {
                https.ClientCertificateMode = ClientCertificateMode.RequireCertificate;
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

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task CertificatesByNameAreShown(Serving serving)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(serving, AddNames);
        Assert.Equal("CN=named.test", await OptionsServer.SubjectAsync(server, "named.test"));
        Assert.Equal("CN=named.test", await OptionsServer.SubjectAsync(server, "NAMED.test"));
        Assert.Equal("CN=*.wild.test", await OptionsServer.SubjectAsync(server, "a.wild.test"));
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, "a.b.wild.test"));
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, Unknown));
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
    }

    /// <summary>SslStream decodes such names, and the options have them as they are sent.</summary>
    [Theory]
    [MemberData(nameof(Ways))]
    public async Task CertificatesByInternationalNameAreShown(Serving serving)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(
            serving, static tls => tls.CertificatesByName["xn--bcher-kva.test"] = TestCertificates.Named);
        Assert.Equal("CN=named.test", await OptionsServer.SubjectAsync(server, "xn--bcher-kva.test"));
        Assert.Equal("CN=named.test", await OptionsServer.SubjectAsync(server, "bücher.test"));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task RequireKnownNameRefusesOthers(Serving serving)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(serving, static tls =>
        {
            AddNames(tls);
            tls.RequireKnownName = true;
        });
        Assert.Equal("CN=named.test", await OptionsServer.SubjectAsync(server, "named.test"));
        Assert.Null(await OptionsServer.SubjectAsync(server, Unknown));
        Assert.Null(await OptionsServer.SubjectAsync(server, TestCertificates.ServerName));
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
    }

    /// <summary>The application's selector is asked first and may leave the choice to the names.</summary>
    [Theory]
    [MemberData(nameof(Ways))]
    public async Task ASelectorGoesBeforeTheNames(Serving serving)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(serving, AddNames, static https =>
            https.ServerCertificateSelector = static (_, name) => name == "a.wild.test" ? TestCertificates.Rsa : null);
        Assert.Equal("CN=localhost rsa", await OptionsServer.SubjectAsync(server, "a.wild.test"));
        Assert.Equal("CN=named.test", await OptionsServer.SubjectAsync(server, "named.test"));
        Assert.Null(await OptionsServer.SubjectAsync(server, Unknown));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task CipherSuitesAloneAreTaken(Serving serving)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(serving, static tls =>
        {
            tls.CipherSuites.Clear();
            tls.CipherSuites.Add(TlsCipherSuite.TLS_AES_256_GCM_SHA384);
            tls.CipherSuites.Add(TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384);
        });
        Assert.Equal("TLS_AES_256_GCM_SHA384", await SuiteAsync(server, null));
        Assert.Null(await SuiteAsync(server, TlsCipherSuite.TLS_AES_128_GCM_SHA256));
        Assert.Null(await SuiteAsync(server, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256));
        Assert.Equal(
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", await SuiteAsync(server, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384));
    }

    /// <summary>A version whose suites are not in the list is off, not served by others.</summary>
    [Theory]
    [MemberData(nameof(Ways))]
    public async Task CipherSuitesOfOneVersionTurnTheOtherOff(Serving serving)
    {
        await using HttpsServer only13 = await OptionsServer.StartAsync(serving, static tls =>
        {
            tls.CipherSuites.Clear();
            tls.CipherSuites.Add(TlsCipherSuite.TLS_AES_128_GCM_SHA256);
        });
        Assert.Equal("TLS_AES_128_GCM_SHA256", await SuiteAsync(only13, null));
        Assert.Null(await SuiteAsync(only13, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384));
        await using HttpsServer only12 = await OptionsServer.StartAsync(serving, static tls =>
        {
            tls.CipherSuites.Clear();
            tls.CipherSuites.Add(TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384);
        });
        Assert.Equal("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", await SuiteAsync(only12, null));
        Assert.Null(await SuiteAsync(only12, TlsCipherSuite.TLS_AES_128_GCM_SHA256));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task SessionLifetimeOfZeroEndsResumption(Serving serving)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(serving, static tls => tls.SessionLifetime = TimeSpan.Zero);
        Assert.False(await OptionsServer.IsResumedAsync(server));
    }

    /// <summary>SslStream's tickets live for two hours, so it makes none where less is asked for.</summary>
    [Theory]
    [InlineData(Serving.Ring, 1, true)]
    [InlineData(Serving.Sockets, 1, false)]
    [InlineData(Serving.SslStreamOption, 1, false)]
    [InlineData(Serving.Wrapped, 1, false)]
    [InlineData(Serving.Ring, 180, true)]
    [InlineData(Serving.Sockets, 180, true)]
    public async Task SessionLifetimeBoundsResumption(Serving serving, int minutes, bool isResumed)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(
            serving, tls => tls.SessionLifetime = TimeSpan.FromMinutes(minutes));
        Assert.Equal(isResumed, await OptionsServer.IsResumedAsync(server));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task KernelOffloadMayBeOff(Serving serving)
    {
        await using HttpsServer server = await OptionsServer.StartAsync(serving, static tls => tls.KernelOffload = TlsKernelOffload.Never);
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task OnStartedGivesAServerThatReloads(Serving serving)
    {
        TlsServer? started = null;
        await using HttpsServer server = await OptionsServer.StartAsync(serving, tls => tls.OnStarted = made => started = made);
        started!.Reload(TestCertificates.Rsa);
        Assert.Equal("CN=localhost rsa", await OptionsServer.SubjectAsync(server, null));
        started.Reload(TestCertificates.Ecdsa);
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task OnStartedGivesAServerThatReloadsBesideNames(Serving serving)
    {
        TlsServer? started = null;
        await using HttpsServer server = await OptionsServer.StartAsync(serving, tls =>
        {
            AddNames(tls);
            tls.OnStarted = made => started = made;
        });
        started!.Reload(TestCertificates.Rsa);
        Assert.Equal("CN=localhost rsa", await OptionsServer.SubjectAsync(server, Unknown));
        Assert.Equal("CN=named.test", await OptionsServer.SubjectAsync(server, "named.test"));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task OnStartedGivesAServerThatRotatesTheKeysOfTickets(Serving serving)
    {
        TlsServer? started = null;
        await using HttpsServer server = await OptionsServer.StartAsync(serving, tls => tls.OnStarted = made => started = made);
        Assert.True(await OptionsServer.IsResumedAsync(server));
        Assert.False(await OptionsServer.IsResumedAsync(server, () =>
        {
            started!.RotateTicketKeys();
            started.RotateTicketKeys();
        }));
    }

    private static void AddNames(IoxideTlsOptions tls)
    {
        tls.CertificatesByName["named.test"] = TestCertificates.Named;
        tls.CertificatesByName["*.wild.test"] = TestCertificates.Wildcard;
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
