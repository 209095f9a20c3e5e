using System.Collections.Frozen;
using System.Text;

namespace Ioxide.Pg;

/// <summary>Words that may precede a parenthesis and leave the session unchanged: functions, types, keywords.</summary>
internal static partial class SessionWords
{
    /// <summary>The longest name in PostgreSQL; a longer word is not in this list.</summary>
    internal const int MaxLength = 63;

    private static readonly FrozenSet<string>.AlternateLookup<ReadOnlySpan<char>> s_harmless =
        $"{Keywords} {StableFunctions} {LaterFunctions} {VolatileFunctions}".Split(' ').ToFrozenSet(StringComparer.Ordinal)
            .GetAlternateLookup<ReadOnlySpan<char>>();

    internal static bool IsHarmless(ReadOnlySpan<char> word) => s_harmless.Contains(word);

    /// <summary>A word in lower case, as the server folds it; empty if it is too long or not ASCII.</summary>
    internal static ReadOnlySpan<char> Lower(ReadOnlySpan<byte> word, Span<char> buffer)
        => word.Length <= buffer.Length && Ascii.ToLower(word, buffer, out int length) == System.Buffers.OperationStatus.Done
            ? buffer[..length]
            : default;

    /// <summary>A quoted name, which is case-sensitive.</summary>
    internal static ReadOnlySpan<char> Exact(ReadOnlySpan<byte> name, Span<char> buffer)
        => name.Length <= buffer.Length && Ascii.ToUtf16(name, buffer, out int length) == System.Buffers.OperationStatus.Done
            ? buffer[..length]
            : default;
}
