using System.Net.Security;
using static Ioxide.Tls.Tests.KernelTlsStatistics;

namespace Ioxide.Tls.Tests;

/// <summary>Where the kernel's TLS is required and cannot be had, the start ends, not each handshake.</summary>
public class KernelStartTests
{
    [Fact]
    public async Task AHostThatRequiresItDoesNotStartWithoutTheModule()
    {
        Assert.SkipWhen(IsThere, "This kernel has TLS.");
        TlsException exception = await Assert.ThrowsAsync<TlsException>(
            () => OptionsServer.StartAsync(Serving.Ring, static tls => tls.KernelOffload = TlsKernelOffload.Require));
        Assert.Equal(TlsFailure.KernelTls, exception.Failure);
        Assert.Contains("modprobe tls", exception.Message, StringComparison.Ordinal);
        Assert.Contains("KernelOffload", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AHostThatRequiresItStartsWhereItIsThere()
    {
        SkipWithoutKernelTls();
        await using HttpsServer server = await OptionsServer.StartAsync(Serving.Ring, static tls => tls.KernelOffload = TlsKernelOffload.Require);
        Assert.Equal("CN=localhost", await OptionsServer.SubjectAsync(server, null));
    }

    [Fact]
    public void AServerAndAClientAreNotMadeWithoutTheModule()
    {
        Assert.SkipWhen(IsThere, "This kernel has TLS.");
        Assert.Contains("modprobe tls", Assert.Throws<TlsException>(() => TlsEcho.Options(Require).CreateServer()).Message, StringComparison.Ordinal);
        TlsClientOptions client = new() { HostName = "localhost", KernelOffload = TlsKernelOffload.Require };
        Assert.Contains("modprobe tls", Assert.Throws<TlsException>(() => new TlsClient(client)).Message, StringComparison.Ordinal);
    }

    /// <summary>A kernel may come without the modules of a cipher; only suites of versions that are enabled count.</summary>
    [Fact]
    public void ASuiteThatTheKernelDoesNotTakeIsNamed()
    {
        EchoOptions options = TlsEcho.Options(Require);
        options.AskKernel = static suite => suite.Id == TlsCipherSuite.TLS_CHACHA20_POLY1305_SHA256
            ? new KernelTlsAnswer(true, Errno.ENOENT)
            : new KernelTlsAnswer(true, 0);
        options.CipherSuites.Add(TlsCipherSuite.TLS_CHACHA20_POLY1305_SHA256);
        options.CipherSuites.Add(TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256);
        string message = Assert.Throws<TlsException>(() => options.CreateServer()).Message;
        Assert.Contains("TLS_CHACHA20_POLY1305_SHA256", message, StringComparison.Ordinal);
        Assert.Contains(nameof(Errno.ENOENT), message, StringComparison.Ordinal);
        Assert.Contains("CipherSuitesPolicy", message, StringComparison.Ordinal);

        options.Protocols = System.Security.Authentication.SslProtocols.Tls12;
        options.CreateServer().Dispose();
    }

    /// <summary>A start that names no suite does not end because the kernel lacks a cipher that nobody asked for.</summary>
    [Fact]
    public void WithoutNamedSuitesThoseOfTheKernelAreServed()
    {
        EchoOptions options = TlsEcho.Options(Require);
        options.AskKernel = static suite => new KernelTlsAnswer(true, suite.Cipher == RecordCipher.Aes256Gcm ? 0 : Errno.ENOENT);
        using TlsServer server = options.CreateServer();
        Assert.Equal(
            [
                TlsCipherSuite.TLS_AES_256_GCM_SHA384,
                TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
                TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            ],
            server.Prepare(options.Ssl, isFixed: false).Suites);
    }

    private static void Require(EchoOptions options) => options.KernelOffload = TlsKernelOffload.Require;
}
