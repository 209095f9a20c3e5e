using System.Formats.Asn1;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Pg;

/// <summary>The hash of the server's certificate that ties a SCRAM exchange to the TLS connection: tls-server-end-point.</summary>
/// <remarks>Source: RFC 5929, section 4.1: the hash of the certificate's signature, with SHA-256 in place of MD5 and SHA-1.</remarks>
internal static class ChannelBindingHash
{
    private const string RsaPss = "1.2.840.113549.1.1.10";

    /// <summary>The hash, or null if the signature has no single hash, such as Ed25519: the RFC then leaves it undefined.</summary>
    internal static byte[]? Of(X509Certificate2 certificate)
    {
        string algorithm = certificate.SignatureAlgorithm.Value ?? "";
        string? hash = algorithm == RsaPss ? HashOfRsaPss(certificate) : HashOf(algorithm);
        return hash switch
        {
            "sha256" => SHA256.HashData(certificate.RawDataMemory.Span),
            "sha384" => SHA384.HashData(certificate.RawDataMemory.Span),
            "sha512" => SHA512.HashData(certificate.RawDataMemory.Span),
            _ => null,
        };
    }

    private static string? HashOf(string algorithm) => algorithm switch
    {
        "1.2.840.113549.1.1.4" or "1.2.840.113549.1.1.5" or "1.2.840.113549.1.1.11" => "sha256", // RSA with MD5, SHA-1, SHA-256.
        "1.2.840.113549.1.1.12" => "sha384",
        "1.2.840.113549.1.1.13" => "sha512",
        "1.2.840.10045.4.1" or "1.2.840.10045.4.3.2" => "sha256", // ECDSA with SHA-1, SHA-256.
        "1.2.840.10045.4.3.3" => "sha384",
        "1.2.840.10045.4.3.4" => "sha512",
        "1.2.840.10040.4.3" or "2.16.840.1.101.3.4.3.2" => "sha256", // DSA with SHA-1, SHA-256.
        _ => null,
    };

    // RSASSA-PSS names its hash in the parameters of the algorithm; without them it is SHA-1. Source: RFC 4055, section 3.1.
    private static string? HashOfRsaPss(X509Certificate2 certificate)
    {
        try
        {
            AsnReader reader = new AsnReader(certificate.RawDataMemory, AsnEncodingRules.DER).ReadSequence();
            reader.ReadEncodedValue();
            AsnReader algorithm = reader.ReadSequence();
            algorithm.ReadObjectIdentifier();
            AsnReader parameters = algorithm.ReadSequence();
            var tag = new Asn1Tag(TagClass.ContextSpecific, 0);
            if (!parameters.HasData || !parameters.PeekTag().HasSameClassAndValue(tag))
            {
                return "sha256";
            }

            return parameters.ReadSequence(tag).ReadSequence().ReadObjectIdentifier() switch
            {
                "1.3.14.3.2.26" or "2.16.840.1.101.3.4.2.1" => "sha256",
                "2.16.840.1.101.3.4.2.2" => "sha384",
                "2.16.840.1.101.3.4.2.3" => "sha512",
                _ => null,
            };
        }
        catch (AsnContentException)
        {
            // A certificate that cannot be read has no hash. If channel binding is required, the attempt then fails.
            return null;
        }
    }
}
