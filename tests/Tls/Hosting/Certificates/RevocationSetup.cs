using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Ioxide.Tls.Tests;

/// <summary>How an endpoint checks whether client certificates are revoked.</summary>
/// <param name="Name">For messages and addresses.</param>
/// <param name="Root">The only one that is trusted.</param>
/// <param name="ByKestrel">Kestrel's option says so.</param>
/// <param name="Mode">SslStream's option.</param>
/// <param name="Policy">The rules for chains, in place of the options.</param>
/// <param name="IsImpatient">It does not wait long for what it fetches, so it, and no other, meets a server that never answers.</param>
internal sealed record RevocationSetup(
    string Name, X509Certificate2 Root, bool ByKestrel = false, X509RevocationMode? Mode = null, X509ChainPolicy? Policy = null,
    bool IsImpatient = false)
{
    public override string ToString() => Name;

    internal void Use(ListenOptions listen, Sightings seen) => listen.UseHttps(https =>
    {
        https.ServerCertificate = TestCertificates.Ecdsa;
        https.HandshakeTimeout = Patience.Limit;
        https.ClientCertificateMode = ClientCertificateMode.RequireCertificate;
        https.CheckCertificateRevocation = ByKestrel;
        https.ClientCertificateValidation = (certificate, chain, errors) =>
        {
            seen.AddQuestion(certificate, chain, errors);
            return errors == SslPolicyErrors.None;
        };
        https.OnAuthenticate = (_, ssl) =>
        {
            ssl.CertificateChainPolicy = Policy;
            ssl.CertificateRevocationCheckMode = Mode ?? ssl.CertificateRevocationCheckMode;
            ssl.ServerCertificateContext = SslStreamCertificateContext.Create(
                TestCertificates.Ecdsa, null, offline: true, SslCertificateTrust.CreateForX509Collection([Root]));
        };
    });
}
