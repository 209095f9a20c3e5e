namespace Ioxide.Tls;

/// <summary>
/// Options of a server beyond <see cref="SslServerAuthenticationOptions"/>. They are read when a <see cref="TlsServer"/> is created.
/// </summary>
public sealed class TlsServerOptions
{
    /// <summary>
    /// Whether the kernel encrypts what is sent. Defaults to <see cref="TlsKernelOffload.Auto"/>: where the kernel has TLS, from the first
    /// large piece of external memory on (<see cref="TlsWriter.Append"/>), which the kernel then reads without a copy. Received data is always
    /// decrypted in user space.
    /// </summary>
    public TlsKernelOffload KernelOffload { get; set; }

    /// <summary>The longest that a handshake may take. Defaults to 10 seconds. <see cref="Timeout.InfiniteTimeSpan"/> means no limit.</summary>
    public TimeSpan HandshakeTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// The most unfinished handshakes per reactor, as a bound on memory. Defaults to 2,000, which is at most 94 MiB per reactor: a client that
    /// received an answer takes about 47 KiB; one whose first message is incomplete takes an eighth of that. Where another handshake does not
    /// fit, the one whose client has been silent longest is dropped (<see cref="TlsFailure.Displaced"/>). This is also the most client
    /// certificates that the thread pool checks at once.
    /// </summary>
    public int MaxHandshakesPerReactor { get; set; } = 2000;

    /// <summary>Asks the kernel whether it encrypts with a suite.</summary>
    internal Func<RecordSuite, KernelTlsAnswer> AskKernel { get; set; } = KernelTlsCheck.Ask;

    /// <summary>Called where the answer to a hello is made, with the private key. For tests.</summary>
    internal Action<RingConnection>? OnAnswer { get; set; }

    /// <summary>Called once for each certificate that is shown without an issuer, because it was not found.</summary>
    internal Action<X509Certificate2>? OnLackingIssuer { get; set; }

    /// <summary>The clock for the rotation of ticket keys.</summary>
    internal TimeProvider Time { get; set; } = TimeProvider.System;
}
