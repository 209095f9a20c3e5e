namespace Ioxide.Http2.Tests;

/// <summary>A piece of a case: bytes to send, and what is waited for before the next.</summary>
/// <param name="Bytes">The bytes, from the server's settings.</param>
/// <param name="Until">What must come then; null for nothing.</param>
internal sealed record SpecStep(Func<IReadOnlyDictionary<ushort, uint>, byte[]> Bytes, SpecJudge? Until = null)
{
    public static implicit operator SpecStep(byte[] bytes) => new(_ => bytes);

    /// <summary>Waits, and sends nothing.</summary>
    internal static SpecStep Wait(SpecJudge until) => new(static _ => [], until);
}
