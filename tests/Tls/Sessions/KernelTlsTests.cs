using System.Globalization;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using static Ioxide.Tls.Tests.KernelTlsStatistics;

namespace Ioxide.Tls.Tests;

/// <summary>
/// Records made by the kernel. The tests that need its TLS run in a virtual machine (eng/ktls-tests.sh), with SslStream at the other
/// end; that the kernel did the work is read from the session and from /proc/net/tls_stat.
/// </summary>
public class KernelTlsTests : ReactorTests
{
    [Theory, Each(
        TlsCipherSuite.TLS_AES_128_GCM_SHA256, TlsCipherSuite.TLS_AES_256_GCM_SHA384, TlsCipherSuite.TLS_CHACHA20_POLY1305_SHA256,
        TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
        TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256)]
    public async Task TheKernelSendsWhatTheClientReads(TlsCipherSuite suite)
    {
        SkipWithoutKernelTls();
        RecordSuite asked = RecordSuite.Of(suite);
        Assert.SkipWhen(
            asked.Cipher == RecordCipher.ChaCha20Poly1305 && KernelTlsCheck.Ask(asked).Error == Errno.ENOENT,
            "This kernel has no ChaCha20-Poly1305.");
        await using TlsEcho echo = await TlsEcho.StartAsync(TlsEcho.Options(options =>
        {
            options.KernelOffload = TlsKernelOffload.Require;
            options.CipherSuites.Add(suite);
            options.Protocols = RecordSuite.Of(suite).IsTls13 ? SslProtocols.Tls13 : SslProtocols.Tls12;
        }));
        long before = Read("TlsTxSw");
        await using SslClient client = await SslClient.ConnectAsync(
            echo.EndPoint, SslClient.Options(options => options.CipherSuitesPolicy = new CipherSuitesPolicy([suite])));
        foreach (int lengthBytes in (int[])[1, 16383, 16384, 16385, 200_000])
        {
            byte[] sent = Payload.Of(lengthBytes);
            Payload.AssertSame(sent, await client.EchoAsync(sent));
        }

        // The end comes as an alert of the kernel's making.
        await client.FinishAsync();
        TlsEnd end = await echo.NextEndAsync();
        Assert.Null(end.Error);
        Assert.True(end.Session!.Output.IsInKernel);
        Assert.True(Read("TlsTxSw") > before, Text);
        Assert.Equal(0, Read("TlsDecryptError"));
    }

    /// <summary>Data that comes with Finished was the peer's undoing: the keys change hands with bytes in every buffer.</summary>
    [Theory, AllValues]
    public async Task FreshConnectionsWithDataBehindFinishedLoseNothing(SslProtocols protocol)
    {
        // Emulated, thousands take half an hour: eng/ktls-tests.sh --connections.
        int count = int.Parse(Environment.GetEnvironmentVariable("IOXIDE_CONNECTIONS") ?? "30", CultureInfo.InvariantCulture);
        SkipWithoutKernelTls();
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, TlsEcho.Options(options => options.KernelOffload = TlsKernelOffload.Require));
        long before = Read("TlsTxSw");
        byte[] data = Payload.Of(3000);
        for (int number = 0; number < count; number++)
        {
            using RecordClient client = await RecordClient.ConnectTrustingAsync(echo.EndPoint, protocol, [data, data]);
            await client.SendDataAsync(data);
            Payload.AssertSame([.. data, .. data, .. data], await client.ReadDataAsync(3 * data.Length));
            await client.SendAsync(client.Seal(RecordType.Alert, [1, 0]));
            Assert.Equal(TlsAlert.CloseNotify, await client.ReadAlertAsync());
            Assert.Null((await echo.NextEndAsync()).Error);
        }

        Assert.True(Read("TlsTxSw") >= before + count, Text);
    }

    [Theory, AllValues]
    public async Task EightMebibytesGoBothWaysAtOnce(SslProtocols protocol)
    {
        SkipWithoutKernelTls();
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, TlsEcho.Options(options => options.KernelOffload = TlsKernelOffload.Require));
        long before = Read("TlsTxSw");
        await using SslClient client = await SslClient.ConnectAsync(
            echo.EndPoint, SslClient.Options(options => options.EnabledSslProtocols = protocol));
        byte[] sent = Payload.Of(8 * 1024 * 1024);
        Payload.AssertSame(sent, await client.EchoAsync(sent));
        await client.FinishAsync();
        TlsEnd end = await echo.NextEndAsync();
        Assert.Equal(sent.Length, end.Echoed);
        Assert.True(end.Session!.Output.IsInKernel);
        Assert.Equal(before + 1, Read("TlsTxSw"));
    }

    /// <summary>The kernel takes over somewhere in it, and SslStream opens every record: none is encrypted twice, none comes in clear text.</summary>
    [Theory, AllValues]
    public async Task RandomWritersOfAnyThreadAreUnderstood(SslProtocols protocol)
    {
        const int SeedCount = 3;
        SkipWithoutKernelTls();
        int first = int.TryParse(Environment.GetEnvironmentVariable("IOXIDE_SEED"), out int named) ? named : Environment.TickCount;
        using TlsServer server = TlsEcho.Options().CreateServer();
        for (int seed = first; seed < first + SeedCount; seed++)
        {
            RandomWriter writer = new(seed);
            long before = Read("TlsTxSw");
            (RingListener listener, Task served) = await Fixture.ServeAsync(server, session => writer.RunAsync(session));
            using MemoryStream received = new();
            try
            {
                await using SslClient client = await SslClient.ConnectAsync(
                    listener.EndPoint, SslClient.Options(options => options.EnabledSslProtocols = protocol));
                await client.Stream.CopyToAsync(received).Within(Patience.Limit, "the stream ends");
                await served.Within(Patience.Limit);
                Payload.AssertSame(writer.Expected, received.ToArray());
                Assert.Equal(before + 1, Read("TlsTxSw"));
            }
            catch (Exception exception)
            {
                throw new InvalidOperationException($"Seed {seed}: {string.Join(", ", writer.Path)}", exception);
            }

            await listener.UnbindAsync().Within(Patience.Limit);
            Assert.All(writer.Owners, static owner => Assert.Equal(1, owner.Disposals));
        }
    }

    /// <summary>A cut is told from an end, and answered with an end of this side's own. The kernel takes over no stream that was cut before.</summary>
    [Theory, AllValues]
    public async Task AStreamThatJustStopsIsTruncated(SslProtocols protocol)
    {
        SkipWithoutKernelTls();
        await using TlsEcho echo = await TlsEcho.StartAsync(Fixture, TlsEcho.Options(options => options.KernelOffload = TlsKernelOffload.Require));
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint, new TlsClientOptions { Protocols = protocol });
        await client.SendDataAsync([]);
        await client.SendDataAsync(Payload.Of(1000));
        Payload.AssertSame(Payload.Of(1000), await client.ReadDataAsync(1000));
        client.Socket.Shutdown(SocketShutdown.Send);
        Assert.Equal(TlsAlert.CloseNotify, await client.ReadAlertAsync());
        TlsEnd end = await echo.NextEndAsync();
        Assert.Equal((TlsFailure.Truncated, true), (end.Failure, end.Session!.Output.IsInKernel));
    }

    /// <summary>A ticket is a record of the session that gives it, so the kernel's first number is not always the same.</summary>
    [Theory, Each("-tls1_2", "-tls1_3")]
    public async Task ASessionThatIsResumedIsTheKernelsToo(string version)
    {
        SkipWithoutKernelTls();
        string file = Path.GetTempFileName();
        try
        {
            await using ReactorFixture fixture = ReactorFixture.Start();
            await using TlsEcho echo = await TlsEcho.StartAsync(
                fixture, TlsEcho.Options(options => options.KernelOffload = TlsKernelOffload.Require));
            await OpenSsl.ClientAsync(echo.EndPoint, version, "-sess_out", file);
            TlsEnd first = await echo.NextEndAsync();
            await OpenSsl.ClientAsync(echo.EndPoint, version, "-sess_in", file);
            TlsEnd second = await echo.NextEndAsync();
            Assert.Equal((false, true), (first.Session!.Info.IsResumed, second.Session!.Info.IsResumed));
            Assert.True(first.Session.Output.IsInKernel && second.Session.Output.IsInKernel);
            Assert.Null(second.Error);
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Fact]
    public async Task WhereTheKernelHasNoTlsASessionThatRequiresItIsAborted()
    {
        Assert.SkipWhen(IsThere, "This kernel has TLS.");
        await using TlsEcho echo = await TlsEcho.StartAsync(
            Fixture, TlsEcho.Options(options =>
            {
                // The start was told otherwise: the module may have been unloaded since.
                options.KernelOffload = TlsKernelOffload.Require;
                options.AskKernel = static _ => new KernelTlsAnswer(true, 0);
            }));
        using RecordClient client = await RecordClient.ConnectAsync(echo.EndPoint);
        Assert.Equal(TlsAlert.InternalError, await client.ReadAlertAsync());
        TlsEnd end = await echo.NextEndAsync();
        Assert.Null(end.Session);
        Assert.Equal(TlsFailure.KernelTls, end.Failure);
    }

    /// <summary>The bytes that the kernel reads, for a suite of each shape. Source: include/uapi/linux/tls.h.</summary>
    [Theory]
    [InlineData(TlsCipherSuite.TLS_AES_128_GCM_SHA256, 40, 0x0304, 51)]
    [InlineData(TlsCipherSuite.TLS_AES_256_GCM_SHA384, 56, 0x0304, 52)]
    [InlineData(TlsCipherSuite.TLS_CHACHA20_POLY1305_SHA256, 56, 0x0304, 54)]
    [InlineData(TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, 40, 0x0303, 51)]
    [InlineData(TlsCipherSuite.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, 56, 0x0303, 54)]
    public void TheKeyIsLaidOutAsTheKernelReadsIt(TlsCipherSuite id, int lengthBytes, int version, int cipher)
    {
        RecordSuite suite = RecordSuite.Of(id);
        byte[] secret = Payload.Of(48);
        (RecordKeys keys, RecordKeys? other) = suite.IsTls13
            ? (RecordKeys.FromSecret(suite, secret), null)
            : RecordKeys.FromMaster(suite, secret, secret.AsSpan(0, 32), secret.AsSpan(8, 32));
        using (keys)
        using (other)
        {
            byte[] info = new byte[56];
            Assert.Equal(lengthBytes, KernelTls.Write(keys, 0x0102, info));
            Assert.Equal(version, info[0] | (info[1] << 8));
            Assert.Equal(cipher, info[2] | (info[3] << 8));
            bool isChaCha = cipher == 54;
            string iv = Convert.ToHexString(keys.Iv);
            string nonce = isChaCha ? iv : suite.IsTls13 ? iv[8..] : "0000000000000102";
            string salt = isChaCha ? "" : iv[..8];
            Assert.Equal(
                string.Create(CultureInfo.InvariantCulture, $"{nonce}{Convert.ToHexString(keys.Key)}{salt}0000000000000102"),
                Convert.ToHexString(info.AsSpan(4, lengthBytes - 4)));
        }
    }
}
