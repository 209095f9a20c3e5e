namespace Ioxide.AspNetCore;

/// <summary>What the first bytes of a connection are: a header, the beginning of one, or none.</summary>
/// <param name="Header">The header, or null where it is not whole yet, or none.</param>
/// <param name="Problem">Why it is none, with the remedy; null where it can still become one.</param>
internal readonly record struct ProxyHeaderReading(ProxyHeader? Header, string? Problem)
{
    private const string NotAHeader =
        "it sent no PROXY protocol header. Make the balancer send one (HAProxy: send-proxy-v2 on its server line), or remove "
        + "UseProxyProtocol where clients connect directly.";

    internal static ProxyHeaderReading Incomplete => default;

    internal static ProxyHeaderReading Refused(string problem) => new(null, problem);

    /// <summary>Reads as far as bytes are there. A byte that no header has in its place is noticed when it comes.</summary>
    internal static ProxyHeaderReading Of(in ReadOnlySequence<byte> buffer, int maxHeaderBytes)
    {
        Span<byte> first = stackalloc byte[ProxyHeaderV2.SignatureBytes];
        first = first[..(int)Math.Min(buffer.Length, first.Length)];
        buffer.Slice(0, first.Length).CopyTo(first);
        if (IsBeginning(first, ProxyHeaderV2.Signature))
        {
            return ProxyHeaderV2.Read(buffer, maxHeaderBytes);
        }

        return IsBeginning(first, ProxyHeaderV1.Signature) ? ProxyHeaderV1.Read(buffer) : Refused(NotAHeader);
    }

    private static bool IsBeginning(ReadOnlySpan<byte> bytes, ReadOnlySpan<byte> signature)
    {
        int length = Math.Min(bytes.Length, signature.Length);
        return bytes[..length].SequenceEqual(signature[..length]);
    }
}
