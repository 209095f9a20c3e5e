namespace Ioxide.Tls.Tests;

/// <summary>How long a test waits for what must come: longer where the machine is emulated, which those with the kernel's TLS are.</summary>
internal static class Patience
{
    internal static TimeSpan Limit { get; } = KernelTlsStatistics.IsThere ? TimeSpan.FromMinutes(5) : TimeSpan.FromMinutes(1);
}
