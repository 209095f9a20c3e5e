using System.Globalization;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using static Ioxide.Tls.Tests.PolicyClient;

namespace Ioxide.Tls.Tests;

/// <summary>
/// The administrator's word in openssl.cnf holds where no option says otherwise: a client that SslStream refuses is refused. Policies are drawn by
/// a seed; each is served by a process of its own, by a ring and by SslStream, to the same clients. IOXIDE_TLS_POLICIES sets how many (10, in Debug 1),
/// IOXIDE_TLS_POLICIES_SEED where they begin.
/// </summary>
/// <remarks>Slow: each policy starts a process.</remarks>
[Once]
public sealed class PolicyTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ioxide-policy-").FullName;

    /// <summary>The four cases in which a policy was once not kept; and that they are not refused altogether.</summary>
    [Theory]
    [InlineData("MinProtocol = TLSv1.3", SslProtocols.Tls12, null, SslProtocols.Tls13)]
    [InlineData("MaxProtocol = TLSv1.2", SslProtocols.Tls13, null, SslProtocols.Tls12)]
    [InlineData(
        "CipherString = ECDHE-ECDSA-AES256-GCM-SHA384", SslProtocols.Tls12, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
        SslProtocols.Tls12)]
    [InlineData("Ciphersuites = TLS_AES_256_GCM_SHA384", SslProtocols.Tls13, TlsCipherSuite.TLS_AES_128_GCM_SHA256, SslProtocols.Tls13)]
    [InlineData("Protocol = -ALL,TLSv1.3", SslProtocols.Tls12, null, SslProtocols.Tls13)]
    public async Task WhatThePolicyForbidsIsRefused(string line, SslProtocols version, TlsCipherSuite? suite, SslProtocols servedVersion)
    {
        await using PolicyServer server = await StartAsync(new PolicyConfiguration(isRsa: false, line));
        PolicyClient forbidden = new(version, suite is { } only ? [only] : []);
        PolicyClient served = new(servedVersion, []);
        string[] answers =
        [
            await forbidden.SendAsync(server.Ring!), await forbidden.SendAsync(server.SslStream), await served.SendAsync(server.Ring!),
            await served.SendAsync(server.SslStream),
        ];
        Assert.Equal([Refused, Refused], answers[..2]);
        Assert.DoesNotContain(Refused, answers[2..]);
    }

    /// <summary>
    /// A client that offers all suites gets the one that the administrator named first. OpenSSL's own order cannot be told from none.
    /// </summary>
    [Theory]
    [InlineData("TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256")]
    [InlineData("TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384")]
    [InlineData("TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256")]
    public async Task ASuiteIsChosenInTheOrderOfThePolicy(string suites)
    {
        await using PolicyServer server = await StartAsync(new PolicyConfiguration(isRsa: false, $"Ciphersuites = {suites}", "Options = ServerPreference"));
        string first = suites[..suites.IndexOf(':', StringComparison.Ordinal)];
        Assert.Equal((first, first), (await All[0].SendAsync(server.Ring!), await All[0].SendAsync(server.SslStream)));
    }

    [Fact]
    public Task ARingAcceptsNobodyWhomSslStreamRefuses() => CompareAsync(fipsModule: null);

    [Theory]
    [InlineData("MaxProtocol = TLSv1.1", "TLS 1.2 is off, TLS 1.3 is off")]
    [InlineData("Ciphersuites = TLS_AES_128_CCM_SHA256", "TLS 1.3 is enabled, but")]
    public async Task APolicyThatLeavesNothingEndsTheStartWithARemedy(string line, string expected)
    {
        await using PolicyServer server = await StartAsync(new PolicyConfiguration(isRsa: false, line));
        Assert.Contains(expected, server.Problem, StringComparison.Ordinal);
        Assert.Contains(_folder, server.Problem, StringComparison.Ordinal);
        Assert.Contains("UseHttps", server.Problem, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AKeyThatIsTooWeakForThePolicyIsNamedWithItsReason()
    {
        await using PolicyServer server = await StartAsync(new PolicyConfiguration(isRsa: true, "CipherString = DEFAULT:@SECLEVEL=3"));
        Assert.Contains("CN=localhost rsa", server.Problem, StringComparison.Ordinal);
        Assert.Contains("key too small", server.Problem, StringComparison.Ordinal);
        Assert.Contains("@SECLEVEL", server.Problem, StringComparison.Ordinal);
    }

    /// <summary>The same policies with a FIPS provider in place of the standard one, behind a policy that says nothing but that.</summary>
    [Fact]
    public async Task AProviderOfFipsIsKept()
    {
        string? module = ((IEnumerable<string>)["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/aarch64-linux-gnu", "/usr/lib"])
            .Select(static folder => Path.Combine(folder, "ossl-modules", "fips.so")).FirstOrDefault(File.Exists);
        Assert.SkipWhen(module is null, "OpenSSL has no FIPS provider here.");
        string installed = Path.Combine(_folder, "fipsmodule.cnf");
        await Tool.RunAsync(["openssl", "fipsinstall", "-out", installed, "-module", module!], limit: Patience.Limit);

        await using (PolicyServer server = await StartAsync(new PolicyConfiguration(isRsa: false) { FipsModule = installed }))
        {
            PolicyClient chaCha = new(SslProtocols.Tls13, [TlsCipherSuite.TLS_CHACHA20_POLY1305_SHA256]);
            Assert.Equal([Refused, Refused], [await chaCha.SendAsync(server.Ring!), await chaCha.SendAsync(server.SslStream)]);
            Assert.NotEqual(Refused, await PolicyClient.All[0].SendAsync(server.Ring!));
        }

        await CompareAsync(installed);
    }

    /// <summary>The log says what is in force, and where it comes from.</summary>
    [Fact]
    public async Task TheLogSaysWhatIsInForceAndWhereItComesFrom()
    {
        await using HttpsServer server = await OptionsServer.StartAsync(Serving.Ring, static https => https.SslProtocols = SslProtocols.Tls13);
        string line = Assert.Single(server.Lines, static line => line.Contains("TLS on the ring", StringComparison.Ordinal));
        Assert.Contains("TLS 1.3 (from the options)", line, StringComparison.Ordinal);
        Assert.Contains("TLS_AES_128_GCM_SHA256", line, StringComparison.Ordinal);
        Assert.Contains("security level", line, StringComparison.Ordinal);
        Assert.Contains("openssl.cnf", line, StringComparison.Ordinal);
    }

    /// <summary>The server of the tests above, in a process of its own. Without their variables it serves one client itself.</summary>
    [Fact]
    public async Task ItServesByARingAndBySslStream()
    {
        X509Certificate2 certificate = Environment.GetEnvironmentVariable(PolicyServer.KeyKind) == "1" ? TestCertificates.Rsa : TestCertificates.Ecdsa;
        await using ReactorFixture fixture = ReactorFixture.Start();
        using Socket listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        Task serving = ServeAsync(listener, certificate);
        TlsEcho? echo = null;
        string problem = "";
        try
        {
            echo = await TlsEcho.StartAsync(fixture, TlsEcho.Options(options => options.Certificate = certificate));
        }
        catch (TlsException exception)
        {
            problem = exception.Message;
        }

        int sslStream = ((IPEndPoint)listener.LocalEndPoint!).Port;
        if (Environment.GetEnvironmentVariable(PolicyServer.ControlPort) is { } port)
        {
            using TcpClient control = new();
            await control.ConnectAsync(IPAddress.Loopback, int.Parse(port, CultureInfo.InvariantCulture));
            string answer = string.Create(CultureInfo.InvariantCulture, $"{(echo is null ? problem : echo.EndPoint.Port)}\n{sslStream}\n");
            await control.GetStream().WriteAsync(System.Text.Encoding.UTF8.GetBytes(answer));
            Assert.Equal(0, await control.GetStream().ReadAsync(new byte[1]));
        }
        else
        {
            Assert.NotEqual(Refused, await PolicyClient.All[0].SendAsync(echo!.EndPoint));
            Assert.NotEqual(Refused, await PolicyClient.All[0].SendAsync((IPEndPoint)listener.LocalEndPoint));
        }

        if (echo is not null)
        {
            await echo.DisposeAsync();
        }

        listener.Dispose();
        await serving.Within(Patience.Limit, "the listener ends");
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <summary>The ring may refuse what it does not support, and nothing else.</summary>
    private static bool IsDifference(string ring, string sslStream)
        => ring == Refused
            ? Enum.TryParse(sslStream, out TlsCipherSuite suite) && RecordSuite.Supported.Contains(suite)
            : sslStream == Refused;

    /// <summary>A ring that does not start serves this client as little as SslStream does: of one version alone it says so.</summary>
    private static bool IsLeftOut(string? problem, PolicyClient client)
        => problem?.StartsWith("TLS 1.3 is enabled, but", StringComparison.Ordinal) != true || client.Offers13;

    private async Task CompareAsync(string? fipsModule)
    {
        int count = Read("IOXIDE_TLS_POLICIES", Scale.Of(10));
        int seed = Read("IOXIDE_TLS_POLICIES_SEED", 1);
        List<string> differences = [];
        int accepted = 0;
        int refused = 0;
        int unserved = 0;
        for (int index = 0; index < count; index++)
        {
            PolicyConfiguration policy = new(new Random(unchecked((seed + index) * 48_271))) { FipsModule = fipsModule };
            await using PolicyServer server = await StartAsync(policy);
            if (server.Ring is null)
            {
                unserved++;
                Assert.Contains(".cnf", server.Problem, StringComparison.Ordinal);
                foreach (PolicyClient client in PolicyClient.All.Where(client => IsLeftOut(server.Problem, client)))
                {
                    string stock = await client.SendAsync(server.SslStream);
                    if (IsDifference(Refused, stock))
                    {
                        differences.Add(string.Create(
                            CultureInfo.InvariantCulture,
                            $"seed {seed + index}: {policy}\n  {client}\n  the ring does not start, SslStream {stock}\n  {server.Problem}"));
                    }
                }

                continue;
            }

            foreach (PolicyClient client in PolicyClient.All)
            {
                string[] seen = await Task.WhenAll(client.SendAsync(server.Ring), client.SendAsync(server.SslStream));
                accepted += seen[0] == Refused ? 0 : 1;
                refused += seen[0] == Refused ? 1 : 0;
                if (IsDifference(seen[0], seen[1]))
                {
                    differences.Add(string.Create(
                        CultureInfo.InvariantCulture, $"seed {seed + index}: {policy}\n  {client}\n  ring {seen[0]}, SslStream {seen[1]}"));
                }
            }
        }

        Assert.True(differences.Count == 0, $"{differences.Count} differences:\n{string.Join('\n', differences.Take(20))}");
        string counts = string.Create(CultureInfo.InvariantCulture, $"{accepted} accepted, {refused} refused, {unserved} did not start");
        TestContext.Current.TestOutputHelper?.WriteLine(counts);
        Assert.True(accepted > count && refused > count && unserved < count, counts);
    }

    private async Task<PolicyServer> StartAsync(PolicyConfiguration policy)
    {
        string file = Path.Combine(_folder, "openssl.cnf");
        policy.Write(file);
        return await PolicyServer.StartAsync(file, policy.IsRsa);
    }

    private static async Task ServeAsync(Socket listener, X509Certificate2 certificate)
    {
        List<(Socket Socket, Task Task)> connections = [];
        try
        {
            while (true)
            {
                Socket socket = await listener.AcceptAsync();
                connections.Add((socket, EchoAsync(socket, certificate)));
            }
        }
        catch (SocketException)
        {
            // The listener was disposed.
        }

        // A client that gave up may not have said so.
        connections.ForEach(static connection => connection.Socket.Dispose());
        await Task.WhenAll(connections.Select(static connection => connection.Task));
    }

    private static async Task EchoAsync(Socket socket, X509Certificate2 certificate)
    {
        try
        {
            await using SslStream stream = new(new NetworkStream(socket, ownsSocket: true));
            await stream.AuthenticateAsServerAsync(new SslServerAuthenticationOptions { ServerCertificate = certificate });
            await stream.CopyToAsync(stream);
        }
        catch (Exception exception) when (exception is IOException or AuthenticationException or ObjectDisposedException)
        {
            // The client was refused, or went.
        }
    }

    private static int Read(string variable, int standard)
        => int.Parse(Environment.GetEnvironmentVariable(variable) ?? standard.ToString(CultureInfo.InvariantCulture), CultureInfo.InvariantCulture);
}
