namespace Ioxide.Tls;

/// <summary>What servers and clients have in common. Read when a server or client is made from it.</summary>
public abstract class TlsOptions
{
    private protected TlsOptions()
    {
    }

    /// <summary>Application protocols (ALPN) in order of preference. Defaults to none: the peer's offer is ignored.</summary>
    public IList<SslApplicationProtocol> ApplicationProtocols { get; init; } = [];

    /// <summary>Versions: TLS 1.2, TLS 1.3 or both; None stands for both. Defaults to both.</summary>
    public SslProtocols Protocols { get; set; } = SslProtocols.None;

    /// <summary>
    /// Cipher suites in order of preference. Defaults to the AEAD suites with forward secrecy, AES-128-GCM first, which processors
    /// with AES instructions do fastest; others are not supported. A version without a suite in the list is off.
    /// </summary>
    public IList<TlsCipherSuite> CipherSuites { get; init; } = [.. RecordSuite.Supported];

    /// <summary>
    /// Whether the kernel encrypts what is sent. Defaults to <see cref="TlsKernelOffload.Auto"/>: where it has TLS, from the first
    /// large piece of outside memory on (<see cref="TlsWriter.Append"/>), which it then reads where it lies. What is received is always
    /// decrypted in user space.
    /// </summary>
    public TlsKernelOffload KernelOffload { get; set; }

    /// <summary>A handshake that takes longer is aborted. Defaults to 10 seconds; infinite is <see cref="Timeout.InfiniteTimeSpan"/>.</summary>
    public TimeSpan HandshakeTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>Asks the kernel whether it encrypts with a suite.</summary>
    internal Func<RecordSuite, KernelTlsAnswer> AskKernel { get; set; } = KernelTlsCheck.Ask;

    /// <summary>Oldest and newest version, as libssl numbers them, of those that there is a suite for.</summary>
    /// <exception cref="ArgumentException">Another version is asked for, or one without a suite.</exception>
    internal (int Oldest, int Newest) Versions()
    {
        if ((Protocols & ~(SslProtocols.Tls12 | SslProtocols.Tls13)) != 0)
        {
            throw new ArgumentException($"Only TLS 1.2 and TLS 1.3 are supported, not {Protocols}.");
        }

        // Without a list for a version OpenSSL would take its own.
        (string suites13, string suites12) = CipherNames.Of(CipherSuites);
        bool has12 = (Protocols == SslProtocols.None || (Protocols & SslProtocols.Tls12) != 0) && suites12.Length > 0;
        bool has13 = (Protocols == SslProtocols.None || (Protocols & SslProtocols.Tls13) != 0) && suites13.Length > 0;
        if (!has12 && !has13)
        {
            throw new ArgumentException($"Protocols is {Protocols}, and CipherSuites has none for it: {string.Join(", ", CipherSuites)}.");
        }

        return (has12 ? LibSsl.Tls12 : LibSsl.Tls13, has13 ? LibSsl.Tls13 : LibSsl.Tls12);
    }
}
