namespace Ioxide.Tls;

/// <summary>Arrays for what is written and not yet encrypted. A reactor's thread keeps them for its next turns.</summary>
/// <remarks>
/// A turn's plaintext is encrypted when the turn ends, so each connection that answered in it holds one. The shared pool keeps 32 per
/// processor and would make the others anew in each turn: 12 KB per request with 512 connections on one processor. Threads: any; an
/// array may be returned on another one.
/// </remarks>
internal static class StagingArrays
{
    internal const int SmallBytes = 4096;
    internal const int LargeBytes = RecordHeader.MaxPlaintext;

    // Per size: 1 MiB and 4 MiB per reactor.
    private const int MaxKept = 256;

    [ThreadStatic]
    private static Stack<byte[]>? s_small;

    [ThreadStatic]
    private static Stack<byte[]>? s_large;

    /// <summary>An array of at least so many bytes.</summary>
    internal static byte[] Rent(int lengthBytes)
    {
        Stack<byte[]>? kept = lengthBytes <= SmallBytes ? s_small : lengthBytes <= LargeBytes ? s_large : null;
        return kept is not null && kept.TryPop(out byte[]? array) ? array : ArrayPool<byte>.Shared.Rent(lengthBytes);
    }

    internal static void Return(byte[] array)
    {
        if (Reactor.Current is not null)
        {
            Stack<byte[]>? kept = array.Length switch
            {
                SmallBytes => s_small ??= [],
                LargeBytes => s_large ??= [],
                _ => null,
            };
            if (kept is { Count: < MaxKept })
            {
                kept.Push(array);
                return;
            }
        }

        ArrayPool<byte>.Shared.Return(array);
    }
}
