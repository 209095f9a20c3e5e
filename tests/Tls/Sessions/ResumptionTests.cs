using System.Globalization;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Tls.Tests;

/// <summary>Tickets, with <c>openssl s_client</c>, which keeps a session in a file: every reactor opens them, also after a rotation.</summary>
public sealed class ResumptionTests : IDisposable
{
    private readonly string _session = Path.GetTempFileName();

    [Theory, Each("-tls1_2", "-tls1_3")]
    public async Task ATicketIsGoodOnEveryReactor(string version)
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 4);
        await using TlsEcho echo = await TlsEcho.StartAsync(fixture);
        await OpenSsl.ClientAsync(echo.EndPoint, version, "-sess_out", _session);
        TlsEnd first = await echo.NextEndAsync();
        Assert.False(first.Session!.Info.IsResumed);
        HashSet<int> reactors = [];
        for (int attempt = 0; attempt < 60 && reactors.Count < 2; attempt++)
        {
            await OpenSsl.ClientAsync(echo.EndPoint, version, "-sess_in", _session);
            TlsEnd end = await echo.NextEndAsync();
            Assert.Null(end.Error);
            Assert.True(end.Session!.Info.IsResumed, string.Create(CultureInfo.InvariantCulture, $"attempt {attempt}"));
            reactors.Add(end.Session.Connection.Reactor.Id);
        }

        Assert.True(reactors.Count > 1, "All connections came to one reactor.");
    }

    [Fact]
    public async Task AResumedSessionGetsATicketOfItsOwnSoThatAClientCanUseEachOnce()
    {
        const int Generations = 3;
        await using TlsEcho echo = await TlsEcho.StartAsync();
        await OpenSsl.ClientAsync(echo.EndPoint, "-tls1_3", "-sess_out", _session);
        await echo.NextEndAsync();
        for (int generation = 0; generation < Generations; generation++)
        {
            byte[] ticket = await File.ReadAllBytesAsync(_session, TestContext.Current.CancellationToken);
            await OpenSsl.ClientAsync(echo.EndPoint, "-tls1_3", "-sess_in", _session, "-sess_out", _session);
            Assert.True((await echo.NextEndAsync()).Session!.Info.IsResumed);
            Assert.NotEqual(ticket, await File.ReadAllBytesAsync(_session, TestContext.Current.CancellationToken));
        }
    }

    /// <summary>A ticket is a name of its key, a vector and what is encrypted, 16 bytes each of the first two (RFC 5077, section 4).</summary>
    [Fact]
    public async Task TicketsOfOneKeyHaveVectorsOfTheirOwn()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        string[] first = await TicketAsync(echo);
        string[] second = await TicketAsync(echo);
        Assert.Equal(first[0], second[0]);
        Assert.NotEqual(first[1], second[1]);
    }

    [Fact]
    public async Task ATicketOutlivesOneRotationButNotTwo()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        await OpenSsl.ClientAsync(echo.EndPoint, "-tls1_3", "-sess_out", _session);
        await echo.NextEndAsync();
        echo.Server.RotateTicketKeys();
        Assert.True(await IsResumedAsync(echo));
        echo.Server.RotateTicketKeys();
        Assert.False(await IsResumedAsync(echo));
    }

    /// <summary>The client of a session has seen one certificate; a new one must be shown to it.</summary>
    [Theory, Each("-tls1_2", "-tls1_3")]
    public async Task ATicketIsGoodForTheCertificateThatItWasMadeWith(string version)
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        X509Certificate2 certificate = TestCertificates.Ecdsa;
        await using TlsEcho echo = await TlsEcho.StartAsync(
            fixture, TlsEcho.Options(options => options.CertificateSelector = (_, _) => Volatile.Read(ref certificate)));
        await OpenSsl.ClientAsync(echo.EndPoint, version, "-sess_out", _session);
        await echo.NextEndAsync();
        Volatile.Write(ref certificate, TestCertificates.Rsa);
        Assert.Contains("CN = localhost rsa", await OpenSsl.ClientAsync(echo.EndPoint, version, "-sess_in", _session), StringComparison.Ordinal);
        Assert.False((await echo.NextEndAsync()).Session!.Info.IsResumed);
        Volatile.Write(ref certificate, TestCertificates.Ecdsa);
        await OpenSsl.ClientAsync(echo.EndPoint, version, "-sess_in", _session);
        Assert.True((await echo.NextEndAsync()).Session!.Info.IsResumed);
    }

    /// <summary>A quiet server takes no turn between; the ticket must not live longer for it.</summary>
    [Theory]
    [InlineData(61, 61)]
    [InlineData(120)]
    public async Task KeysAreRotatedInTimeAndATicketIsOverAfterALifetime(params int[] pausesInMinutes)
    {
        Clock clock = new();
        await using TlsEcho echo = await TlsEcho.StartAsync(TlsEcho.Options(options => options.Time = clock));
        await OpenSsl.ClientAsync(echo.EndPoint, "-tls1_3", "-sess_out", _session);
        await echo.NextEndAsync();
        for (int i = 0; i < pausesInMinutes.Length; i++)
        {
            clock.Now += TimeSpan.FromMinutes(pausesInMinutes[i]);
            Assert.Equal(i < pausesInMinutes.Length - 1, await IsResumedAsync(echo));
        }
    }

    [Fact]
    public async Task NoTicketIsGivenWhereResumptionIsOff()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using TlsEcho echo = await TlsEcho.StartAsync(fixture, TlsEcho.Options(options => options.Ssl.AllowTlsResume = false));
        string output = await OpenSsl.ClientAsync(echo.EndPoint, "-tls1_3", "-msg");
        Assert.Null((await echo.NextEndAsync()).Error);
        Assert.DoesNotContain("NewSessionTicket", output, StringComparison.Ordinal);
    }

    public void Dispose() => File.Delete(_session);

    /// <summary>The lines of a new ticket, of 16 bytes each, as <c>openssl s_client</c> prints them.</summary>
    private static async Task<string[]> TicketAsync(TlsEcho echo)
    {
        string output = await OpenSsl.ClientAsync(echo.EndPoint, "-tls1_2");
        Assert.Null((await echo.NextEndAsync()).Error);
        string[] lines = output.Split('\n');
        int at = Array.FindIndex(lines, static line => line.Trim() == "TLS session ticket:");
        Assert.True(at >= 0, output);
        return [.. lines.Skip(at + 1).TakeWhile(static line => line.Trim().Length > 0).Select(static line => line.Trim()[7..54])];
    }

    private async Task<bool> IsResumedAsync(TlsEcho echo)
    {
        await OpenSsl.ClientAsync(echo.EndPoint, "-tls1_3", "-sess_in", _session);
        return (await echo.NextEndAsync()).Session!.Info.IsResumed;
    }
}
