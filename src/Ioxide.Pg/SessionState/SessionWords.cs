using System.Collections.Frozen;
using System.Text;

namespace Ioxide.Pg;

/// <summary>Words that may stand in front of a parenthesis and leave the session as it is: functions, types, keywords.</summary>
internal static partial class SessionWords
{
    /// <summary>The longest name of PostgreSQL; what is longer is no word of this list.</summary>
    internal const int MaxLength = 63;

    private static readonly FrozenSet<string>.AlternateLookup<ReadOnlySpan<char>> s_harmless =
        $"{Keywords} {StableFunctions} {LaterFunctions} {VolatileFunctions}".Split(' ').ToFrozenSet(StringComparer.Ordinal)
            .GetAlternateLookup<ReadOnlySpan<char>>();

    internal static bool IsHarmless(ReadOnlySpan<char> word) => s_harmless.Contains(word);

    /// <summary>A word in lower case, as the server folds it; empty where it is too long or not ASCII.</summary>
    internal static ReadOnlySpan<char> Lower(ReadOnlySpan<byte> word, Span<char> buffer)
        => word.Length <= buffer.Length && Ascii.ToLower(word, buffer, out int length) == System.Buffers.OperationStatus.Done ? buffer[..length] : default;

    /// <summary>A quoted name, whose case counts.</summary>
    internal static ReadOnlySpan<char> Exact(ReadOnlySpan<byte> name, Span<char> buffer)
        => name.Length <= buffer.Length && Ascii.ToUtf16(name, buffer, out int length) == System.Buffers.OperationStatus.Done ? buffer[..length] : default;
}
