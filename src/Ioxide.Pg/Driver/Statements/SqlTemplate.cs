using System.Buffers.Binary;
using System.Numerics;

namespace Ioxide.Pg;

/// <summary>Texts that differ in their values alone have the same columns, as a rule. Such texts have one number.</summary>
internal static class SqlTemplate
{
    /// <summary>The number of a text that is like no other.</summary>
    internal const ulong None = 0;

    internal const int MaxTextBytes = 16 * 1024;

    /// <param name="sql">A SELECT, an INSERT or the like.</param>
    /// <param name="seed">Texts of the other seed have other numbers.</param>
    /// <returns>
    /// Strings count by their kind, numbers not at all. <see cref="None"/>: the text cannot be split, or a star stands for columns, which
    /// follow the table.
    /// </returns>
    internal static ulong Of(ReadOnlySpan<byte> sql, bool seed)
    {
        ulong hash = seed ? 1UL : 2UL;
        bool isBeforeColumn = false;
        var lexer = new SqlLexer(sql);
        while (lexer.Next())
        {
            if (isBeforeColumn && lexer.IsSymbol('*'))
            {
                return None;
            }

            isBeforeColumn = lexer.IsSymbol(',') || lexer.IsSymbol('.') || lexer.IsWord("select"u8) || lexer.IsWord("returning"u8)
                || lexer.IsWord("all"u8) || lexer.IsWord("distinct"u8);
            ReadOnlySpan<byte> text = lexer.Text;
            if (lexer.Kind == SqlTokenKind.Value && !IsParameter(text))
            {
                text = char.IsAsciiDigit((char)text[0]) ? "0"u8 : text[..1];
            }

            hash = Add(hash, text, lexer.Kind);
        }

        return lexer.IsCutOff ? None : Math.Max(hash, None + 1);
    }

    private static bool IsParameter(ReadOnlySpan<byte> value) => value.Length > 1 && value[0] == '$' && char.IsAsciiDigit((char)value[1]);

    private static ulong Add(ulong hash, ReadOnlySpan<byte> text, SqlTokenKind kind)
    {
        hash = Mix(hash, ((ulong)text.Length << 8) | (ulong)kind);
        Span<byte> last = stackalloc byte[sizeof(ulong)];
        for (; text.Length >= sizeof(ulong); text = text[sizeof(ulong)..])
        {
            hash = Mix(hash, BinaryPrimitives.ReadUInt64LittleEndian(text));
        }

        last.Clear();
        text.CopyTo(last);
        return Mix(hash, BinaryPrimitives.ReadUInt64LittleEndian(last));
    }

    // The multiplier of the generator PCG.
    private static ulong Mix(ulong hash, ulong value) => BitOperations.RotateLeft((hash ^ value) * 6364136223846793005UL, 29);
}
