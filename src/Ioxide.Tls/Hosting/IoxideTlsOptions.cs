namespace Ioxide.Tls;

/// <summary>Options of an HTTPS endpoint beyond those of <c>UseHttps</c>, which the ring takes as they are.</summary>
public sealed class IoxideTlsOptions
{
    /// <inheritdoc cref="TlsServerOptions.KernelOffload"/>
    /// <remarks>With <see cref="TlsKernelOffload.Require"/>, what SslStream would have to serve is refused: the host does not start.</remarks>
    public TlsKernelOffload KernelOffload { get; set; }

    /// <inheritdoc cref="TlsServerOptions.MaxHandshakesPerReactor"/>
    public int MaxHandshakesPerReactor { get; set; } = 2000;

    internal bool RequiresKernel => KernelOffload == TlsKernelOffload.Require;
}
