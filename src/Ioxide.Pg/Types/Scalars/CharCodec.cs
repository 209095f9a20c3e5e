using System.Text;

namespace Ioxide.Pg;

/// <summary>Text of one character, also <c>"char"</c>.</summary>
internal sealed class CharCodec() : ValueCodec<char>(0)
{
    internal static readonly CharCodec Instance = new();

    public override PgFormat ParameterFormat => PgFormat.Text;

    protected override string Remedy => "Read it as string.";

    public override int Measure(char value) => new Rune(Checked(value)).Utf8SequenceLength;

    public override void Write(char value, Span<byte> destination) => new Rune(value).EncodeToUtf8(destination);

    protected override bool Reads(uint typeId) => PgTypeTable.KindOf(typeId) == PgTypeKind.Text;

    protected override char ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        if (!TryReadText(bytes, typeId, out char value))
        {
            TypeErrors.ThrowRange<char>(typeId, "it is not one UTF-16 character", "string");
        }

        return value;
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out char value)
    {
        value = '\0';
        if (typeId == PgTypeId.InternalChar && text is [var one])
        {
            value = (char)one;
            return true;
        }

        Span<char> characters = stackalloc char[1];
        if (!Encoding.UTF8.TryGetChars(text, characters, out int count) || count != 1)
        {
            return false;
        }

        value = characters[0];
        return true;
    }

    private static char Checked(char value)
    {
        if (value == '\0' || char.IsSurrogate(value))
        {
            TypeErrors.ThrowValue<char>("text", "it is zero or half of a surrogate pair");
        }

        return value;
    }
}
