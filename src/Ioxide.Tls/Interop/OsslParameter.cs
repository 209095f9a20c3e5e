namespace Ioxide.Tls;

/// <summary>One parameter of a provider's algorithm: <c>struct ossl_param_st</c>, 40 bytes.</summary>
/// <remarks>Source: openssl/core.h, OpenSSL 3.0. A list ends with a zeroed one.</remarks>
[StructLayout(LayoutKind.Explicit, Size = SizeInBytes)]
internal unsafe struct OsslParameter
{
    internal const int SizeInBytes = 40;
    internal const uint Utf8String = 4;
    internal const uint OctetString = 5;

    [FieldOffset(0)] internal byte* Key;
    [FieldOffset(8)] internal uint DataType;
    [FieldOffset(16)] internal void* Data;
    [FieldOffset(24)] internal nuint DataSize;
    [FieldOffset(32)] internal nuint ReturnSize;
}
