using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace Ioxide.Tls;

/// <summary>What the handshake negotiated, as Kestrel and applications read it. It stays readable after the connection has ended.</summary>
internal sealed class TlsFeatures(TlsSession session) :
    ITlsConnectionFeature, ITlsHandshakeFeature, ITlsApplicationProtocolFeature, IIoxideTlsFeature
{
    public TlsSession Session => session;

    public X509Certificate2? ClientCertificate { get; set; } = session.Info.PeerCertificate;

    public ReadOnlyMemory<byte> ApplicationProtocol => session.Info.ApplicationProtocol.Protocol;

    public SslProtocols Protocol => session.Info.Protocol;

    public TlsCipherSuite? NegotiatedCipherSuite => session.Info.CipherSuite;

    public string HostName { get; } = HelloInfo.Decode(session.Info.HostName ?? "");

#pragma warning disable SYSLIB0058 // Old names for parts of the suite; the interface still has them.
    public CipherAlgorithmType CipherAlgorithm => Suite.Cipher switch
    {
        RecordCipher.Aes128Gcm => CipherAlgorithmType.Aes128,
        RecordCipher.Aes256Gcm => CipherAlgorithmType.Aes256,
        _ => CipherAlgorithmType.None,
    };

    public int CipherStrength => Suite.KeyBytes * 8;

    public HashAlgorithmType HashAlgorithm => Suite.HashBytes * 8 == 384 ? HashAlgorithmType.Sha384 : HashAlgorithmType.Sha256;

    public int HashStrength => Suite.HashBytes * 8;

    public ExchangeAlgorithmType KeyExchangeAlgorithm => ExchangeAlgorithmType.DiffieHellman;

    public int KeyExchangeStrength => 0;
#pragma warning restore SYSLIB0058

    private RecordSuite Suite => RecordSuite.Of(session.Info.CipherSuite);

    public Task<X509Certificate2?> GetClientCertificateAsync(CancellationToken cancellationToken) => Task.FromResult(ClientCertificate);

    internal void SetOn(IFeatureCollection features)
    {
        features.Set<ITlsConnectionFeature>(this);
        features.Set<ITlsHandshakeFeature>(this);
        features.Set<ITlsApplicationProtocolFeature>(this);
        features.Set<IIoxideTlsFeature>(this);
    }
}
