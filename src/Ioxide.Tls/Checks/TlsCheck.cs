namespace Ioxide.Tls;

/// <summary>Looks for OpenSSL 3 and for the kernel's TLS.</summary>
/// <param name="options">Those of the endpoint, read when the check runs.</param>
internal sealed class TlsCheck(Func<IoxideTlsOptions> options) : IHostCheck
{
    public Task<IReadOnlyList<CheckLine>> CheckAsync(ReactorGroup? reactors, CancellationToken cancellationToken)
        => Task.FromResult<IReadOnlyList<CheckLine>>(TlsSupport.Problem is { } problem
            ? [new CheckLine("OpenSSL", CheckState.Missing, "TLS on the ring is not available") { Cost = "SslStream serves HTTPS", Remedy = problem }]
            : [new CheckLine("OpenSSL", CheckState.Ok, OpenSslLibrary.LoadedVersion), DescribeKernel(options().KernelOffload)]);

    private static CheckLine DescribeKernel(TlsKernelOffload offload)
    {
        if (offload == TlsKernelOffload.Never)
        {
            return new CheckLine("kernel TLS", CheckState.Ok, "not asked for (KernelOffload is Never)");
        }

        KernelTlsAnswer answer = KernelTlsCheck.Ask(RecordSuite.Of(TlsCipherSuite.TLS_AES_128_GCM_SHA256));
        return answer.Error == 0
            ? new CheckLine("kernel TLS", CheckState.Ok, "the kernel encrypts what is sent")
            : new CheckLine(
                "kernel TLS",
                offload == TlsKernelOffload.Require ? CheckState.Missing : CheckState.Limited,
                $"setsockopt({(answer.HasTls ? "TLS_TX" : "TCP_ULP, \"tls\"")}) failed with {Errno.Name(answer.Error)}")
            {
                Cost = offload == TlsKernelOffload.Require
                    ? "the host does not start, because KernelOffload is Require"
                    : "records are encrypted in user space, and sent files are copied",
                Remedy = $"{KernelTlsCheck.LoadModule} {(offload == TlsKernelOffload.Require ? TlsKernelOffload.Auto : TlsKernelOffload.Never)}.",
            };
    }
}
