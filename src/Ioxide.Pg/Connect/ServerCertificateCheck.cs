using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Pg;

/// <summary>Validates the certificate of one server, and records why it was refused.</summary>
internal sealed class ServerCertificateCheck(PgSslMode mode, string hostName, X509Certificate2Collection? roots, bool checksRevocation)
{
    // The purpose "TLS server authentication". Source: RFC 5280, section 4.2.1.12.
    private const string ServerAuthentication = "1.3.6.1.5.5.7.3.1";

    /// <summary>Why it was refused, or null.</summary>
    internal string? Refusal { get; private set; }

    /// <summary>libpq's rule: with a root of its own, require checks the chain too.</summary>
    internal bool ChecksChain => mode >= PgSslMode.VerifyCa || (mode == PgSslMode.Require && roots is not null);

    internal bool Accept(object sender, X509Certificate? certificate, X509Chain? presented, SslPolicyErrors errors)
    {
        if (certificate is not X509Certificate2 server)
        {
            Refusal = "it sent none";
            return false;
        }

        if (ChecksChain)
        {
            Refusal = ChainError(server, presented);
        }

        if (Refusal is null && mode == PgSslMode.VerifyFull
            && !server.MatchesHostname(hostName, allowWildcards: true, allowCommonName: true))
        {
            Refusal = $"it is not for the host \"{hostName}\"; connect by a name that it has, or use the SSL mode verify-ca";
        }

        return Refusal is null;
    }

    private string? ChainError(X509Certificate2 server, X509Chain? presented)
    {
        using var chain = new X509Chain();
        X509ChainPolicy policy = chain.ChainPolicy;
        policy.RevocationMode = checksRevocation ? X509RevocationMode.Online : X509RevocationMode.NoCheck;
        policy.ApplicationPolicy.Add(new System.Security.Cryptography.Oid(ServerAuthentication));

        // Otherwise a peer could make this process fetch from any address.
        policy.DisableCertificateDownloads = true;
        if (presented is not null)
        {
            policy.ExtraStore.AddRange(presented.ChainPolicy.ExtraStore);
            policy.ExtraStore.AddRange(presented.ChainElements.Select(static element => element.Certificate).ToArray());
        }

        if (roots is not null)
        {
            policy.TrustMode = X509ChainTrustMode.CustomRootTrust;
            policy.CustomTrustStore.AddRange(roots);
        }

        if (chain.Build(server))
        {
            return null;
        }

        string why = string.Join(", ", chain.ChainStatus.Select(static status => status.StatusInformation.TrimEnd('.', ' ', '\n')));
        return $"it does not lead to a trusted root ({why}); name the right root certificate in " +
            $"{nameof(PgDataSourceOptions.RootCertificate)}";
    }
}
