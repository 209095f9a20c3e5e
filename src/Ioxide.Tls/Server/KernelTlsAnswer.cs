namespace Ioxide.Tls;

/// <summary>What the kernel says about its TLS.</summary>
/// <param name="HasTls">Whether it has any.</param>
/// <param name="Error">The errno with which it refuses, or 0.</param>
internal readonly record struct KernelTlsAnswer(bool HasTls, int Error);
