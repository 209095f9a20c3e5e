namespace Ioxide.Tls;

/// <summary>Options of servers and clients. They are read when a server or client is created.</summary>
public abstract class TlsOptions
{
    private protected TlsOptions()
    {
    }

    /// <summary>Application protocols (ALPN), in order of preference. Defaults to none: the peer's offer is ignored.</summary>
    public IList<SslApplicationProtocol> ApplicationProtocols { get; init; } = [];

    /// <summary>The TLS versions: 1.2, 1.3 or both. Defaults to <see cref="SslProtocols.None"/>, which means both.</summary>
    public SslProtocols Protocols { get; set; } = SslProtocols.None;

    /// <summary>
    /// Cipher suites, in order of preference. Defaults to the AEAD suites with forward secrecy, AES-128-GCM first, which is the fastest on
    /// processors with AES instructions. Other suites are not supported. A version without a suite in the list is disabled.
    /// </summary>
    public IList<TlsCipherSuite> CipherSuites { get; init; } = [.. RecordSuite.Supported];

    /// <summary>
    /// Whether the kernel encrypts what is sent. Defaults to <see cref="TlsKernelOffload.Auto"/>: where the kernel has TLS, from the first
    /// large piece of external memory on (<see cref="TlsWriter.Append"/>), which the kernel then reads without a copy. Received data is always
    /// decrypted in user space.
    /// </summary>
    public TlsKernelOffload KernelOffload { get; set; }

    /// <summary>The longest that a handshake may take. Defaults to 10 seconds. <see cref="Timeout.InfiniteTimeSpan"/> means no limit.</summary>
    public TimeSpan HandshakeTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>Asks the kernel whether it encrypts with a suite.</summary>
    internal Func<RecordSuite, KernelTlsAnswer> AskKernel { get; set; } = KernelTlsCheck.Ask;

    /// <summary>Oldest and newest version, as libssl numbers them, of those that there is a suite for.</summary>
    /// <exception cref="ArgumentException">Another version is asked for, or one without a suite.</exception>
    internal (int Oldest, int Newest) Versions()
    {
        if ((Protocols & ~(SslProtocols.Tls12 | SslProtocols.Tls13)) != 0)
        {
            throw new ArgumentException($"Protocols is {Protocols}, but only TLS 1.2 and TLS 1.3 are supported.");
        }

        // Without a list for a version OpenSSL would take its own.
        (string suites13, string suites12) = CipherNames.Of(CipherSuites);
        bool has12 = (Protocols == SslProtocols.None || (Protocols & SslProtocols.Tls12) != 0) && suites12.Length > 0;
        bool has13 = (Protocols == SslProtocols.None || (Protocols & SslProtocols.Tls13) != 0) && suites13.Length > 0;
        if (!has12 && !has13)
        {
            throw new ArgumentException($"Protocols is {Protocols}, but CipherSuites has no suite for it: {string.Join(", ", CipherSuites)}.");
        }

        return (has12 ? LibSsl.Tls12 : LibSsl.Tls13, has13 ? LibSsl.Tls13 : LibSsl.Tls12);
    }
}
