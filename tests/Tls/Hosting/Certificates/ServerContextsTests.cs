using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Tls.Tests;

/// <summary>How many contexts handshakes make. The kernel is asked for the one suite once for each.</summary>
public class ServerContextsTests() : ReactorTests(OneReactor)
{
    private int _made;

    /// <summary>Thousands may wait for the issuers of a renewed certificate.</summary>
    [Fact]
    public async Task HandshakesThatWaitedForTheSameIssuersShareOneContext()
    {
        const int HandshakeCount = 20;
        using X509Certificate2 certificate = new(TestCertificates.Ecdsa);
        using ManualResetEventSlim isFetched = new();
        Task<CertificateChain> search = CertificateChain.FindAsync(certificate, searched =>
        {
            isFetched.Wait();
            return CertificateChain.Find(searched);
        });
        ServerContexts contexts = Make(() => { });
        Task<TlsContext>[] handshakes = await Fixture[0].RunAsync(() => Enumerable.Range(0, HandshakeCount).Select(
            _ => contexts.FindAsync(Options(certificate), this, "", CancellationToken.None).AsTask()).ToArray()).Within(20.Seconds());
        Assert.Equal(0, _made);
        isFetched.Set();
        await search.Within(20.Seconds());
        TlsContext[] found = await Task.WhenAll(handshakes).Within(20.Seconds());

        Assert.All(found, context => Assert.Same(found[0], context));
        Assert.Equal(1, _made);
    }

    /// <summary>Another reactor is first: the context that came second is freed, and both go on with the first.</summary>
    [Fact]
    public void HandshakesThatMakeAContextAtOnceShareTheFirst()
    {
        ServerContexts? contexts = null;
        TlsContext? first = null;
        contexts = Make(() => first ??= _made == 1 ? Find() : null);
        TlsContext second = Find();

        Assert.NotNull(first);
        Assert.Same(first, second);
        Assert.Same(first, Find());
        Assert.Equal(2, _made);

        TlsContext Find() => contexts!.Find(Options(TestCertificates.Ecdsa), this, "");
    }

    private static SslServerAuthenticationOptions Options(X509Certificate2 certificate) => new()
    {
        ServerCertificate = certificate,
        CipherSuitesPolicy = new CipherSuitesPolicy([TlsCipherSuite.TLS_AES_128_GCM_SHA256]),
    };

    private ServerContexts Make(Action onMake) => new(new TlsServerOptions
    {
        KernelOffload = TlsKernelOffload.Require,
        AskKernel = _ =>
        {
            _made++;
            onMake();
            return new KernelTlsAnswer(HasTls: true, Error: 0);
        },
    });
}
