using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Ioxide.Tls.Tests;

/// <summary>How an endpoint asks for client certificates and judges them.</summary>
internal sealed record ClientCertificateSetup(ClientCertificateMode Mode, Judge Judge)
{
    private static readonly X509ChainPolicy s_policy = new()
    {
        TrustMode = X509ChainTrustMode.CustomRootTrust,
        RevocationMode = X509RevocationMode.NoCheck,
        CustomTrustStore = { TestCertificates.Root },
    };

    internal void Use(ListenOptions listen, Sightings seen)
    {
        if (Judge is Judge.Callback or Judge.ThrowingCallback)
        {
            listen.UseHttps(new TlsHandshakeCallbackOptions
            {
                HandshakeTimeout = Patience.Limit,
                OnConnection = context => CallBackAsync(context, seen),
            });
            return;
        }

        listen.UseHttps(https =>
        {
            https.ServerCertificate = TestCertificates.Ecdsa;
            https.HandshakeTimeout = Patience.Limit;
            https.ClientCertificateMode = Mode;
            https.OnAuthenticate = (_, ssl) => Complete(ssl, seen);
            https.ClientCertificateValidation = Judge is Judge.Nobody or Judge.OnAuthenticate or Judge.Trust
                ? null
                : (certificate, chain, errors) => Decide(seen, certificate, chain, errors);
        });
    }

    private void Complete(SslServerAuthenticationOptions ssl, Sightings seen)
    {
        if (Judge == Judge.Trust)
        {
            ssl.ServerCertificateContext = SslStreamCertificateContext.Create(
                TestCertificates.Ecdsa, null, offline: true,
                SslCertificateTrust.CreateForX509Collection(TestCertificates.Roots, sendTrustInHandshake: true));
            return;
        }

        ssl.CertificateChainPolicy = s_policy;
        if (Judge is Judge.OnAuthenticate or Judge.Two)
        {
            ssl.ClientCertificateRequired = true;
            ssl.RemoteCertificateValidationCallback = (_, certificate, chain, errors) => Decide(seen, certificate, chain, errors);
        }
    }

    private async ValueTask<SslServerAuthenticationOptions> CallBackAsync(TlsHandshakeCallbackContext context, Sightings seen)
    {
        // It goes on elsewhere, once the thread that called it is back.
        await Task.Factory.StartNew(static () => { }, TaskCreationOptions.RunContinuationsAsynchronously);
        if (Judge == Judge.ThrowingCallback)
        {
            throw new InvalidOperationException("what the application threw");
        }

        context.AllowDelayedClientCertificateNegotation = Mode == ClientCertificateMode.DelayCertificate;
        return new SslServerAuthenticationOptions
        {
            ServerCertificate = TestCertificates.Ecdsa,
            CertificateChainPolicy = s_policy,
            ClientCertificateRequired = Mode is ClientCertificateMode.AllowCertificate or ClientCertificateMode.RequireCertificate,
            RemoteCertificateValidationCallback = (_, certificate, chain, errors) => Decide(seen, certificate, chain, errors),
        };
    }

    private bool Decide(Sightings seen, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
    {
        seen.AddQuestion(certificate, chain, errors);
        switch (Judge)
        {
            case Judge.Throws:
                throw new InvalidOperationException("what the application threw");
            case Judge.Keeps:
                seen.Keep(chain!);
                return true;
            case Judge.Slow:
                Assert.True(seen.Gate.Wait(Patience.Limit));
                break;
        }

        return Judge switch
        {
            Judge.Refuses => false,
            Judge.Accepts => true,
            _ => errors == SslPolicyErrors.None || (certificate is null && Mode != ClientCertificateMode.RequireCertificate),
        };
    }
}
