using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Tls.Tests;

/// <summary>The search for the issuers of a certificate that is given alone. The test makes it end as it wants.</summary>
public class CertificateChainTests
{
    [Fact]
    public async Task ASearchThatFailedIsSharedAndTheNextCallerBeginsAnother()
    {
        using X509Certificate2 certificate = new(TestCertificates.Ecdsa);
        using ManualResetEventSlim areWaiting = new();
        int searches = 0;
        Task<CertificateChain> first = CertificateChain.FindAsync(certificate, Find);
        Task<CertificateChain> second = CertificateChain.FindAsync(certificate, Find);
        areWaiting.Set();
        Assert.IsType<IOException>(await first.ErrorWithin(20.Seconds()));
        Assert.IsType<IOException>(await second.ErrorWithin(20.Seconds()));
        Assert.Equal(1, searches);

        CertificateChain found = await CertificateChain.FindAsync(certificate, Find).Within(20.Seconds());
        Assert.Same(certificate, found.Context.TargetCertificate);
        Assert.Same(found, await CertificateChain.FindAsync(certificate, Find).Within(20.Seconds()));
        Assert.Equal(2, searches);

        CertificateChain Find(X509Certificate2 searched)
        {
            areWaiting.Wait();
            return ++searches == 1 ? throw new IOException("no descriptor is left") : CertificateChain.Find(searched);
        }
    }
}
