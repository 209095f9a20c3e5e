using System.Buffers;
using System.Globalization;
using System.Text;

namespace Ioxide.Pg;

/// <summary><c>bool</c>; a single bit is read too.</summary>
internal sealed class BoolCodec() : FixedCodec<bool>(PgTypeId.Bool, 1)
{
    internal static readonly BoolCodec Instance = new();

    public override void Write(bool value, Span<byte> destination) => destination[0] = value ? (byte)1 : (byte)0;

    public override bool Read(PgField field)
        => field.IsBinary(PgTypeId.Bool) && field.Bytes.Length == 1 ? field.Bytes[0] != 0 : base.Read(field);

    internal override bool Reads(uint typeId) => typeId is PgTypeId.Bool or PgTypeId.Bit or PgTypeId.VarBit;

    internal override bool ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        if (typeId == PgTypeId.Bool)
        {
            CheckLength(bytes, 1, typeId);
            return bytes[0] != 0;
        }

        var reader = new FieldReader(bytes, typeId);
        int bitCount = reader.ReadInt32();
        if (bitCount != 1)
        {
            TypeErrors.ThrowRange<bool>(typeId, $"it has {bitCount} bits", nameof(PgBits));
        }

        bool isSet = (reader.ReadByte() & 0x80) != 0;
        reader.End();
        return isSet;
    }

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out bool value)
    {
        value = text is [(byte)'t' or (byte)'1'];
        return text is [(byte)'t' or (byte)'f' or (byte)'1' or (byte)'0'];
    }
}

/// <summary><c>uuid</c>.</summary>
internal sealed class GuidCodec() : FixedCodec<Guid>(PgTypeId.Uuid, 16)
{
    internal static readonly GuidCodec Instance = new();

    public override void Write(Guid value, Span<byte> destination) => value.TryWriteBytes(destination, bigEndian: true, out _);

    internal override Guid ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        CheckLength(bytes, 16, typeId);
        return new Guid(bytes, bigEndian: true);
    }

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out Guid value)
        => Guid.TryParse(text, CultureInfo.InvariantCulture, out value);
}

/// <summary>Text of one character, also <c>"char"</c>.</summary>
internal sealed class CharCodec() : BuiltInCodec<char>(0)
{
    public override PgFormat ParameterFormat => PgFormat.Text;

    internal override string Remedy => "Read it as string.";

    public override int Measure(char value) => new Rune(Checked(value)).Utf8SequenceLength;

    public override void Write(char value, Span<byte> destination) => new Rune(value).EncodeToUtf8(destination);

    internal override bool Reads(uint typeId) => PgTypeTable.KindOf(typeId) == PgTypeKind.Text;

    internal override char ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        if (!TryReadText(bytes, typeId, out char value))
        {
            TypeErrors.ThrowRange<char>(typeId, "it is not one UTF-16 character", "string");
        }

        return value;
    }

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out char value)
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

/// <summary>
/// Text. A parameter is sent as text with no type, so the server infers it as for a quoted literal. Every type can be read: a type
/// other than text is read as PostgreSQL prints it.
/// </summary>
internal sealed class StringCodec : PgCodec<string>
{
    internal static readonly StringCodec Instance = new();

    public override uint TypeId => 0;

    public override PgFormat ParameterFormat => PgFormat.Text;

    public override int Measure(string value) => WireText.Encoding.GetByteCount(value);

    public override void Write(string value, Span<byte> destination) => WireText.Encoding.GetBytes(value, destination);

    public override string Read(PgField field)
    {
        if (field.IsNull)
        {
            return OfNull(field);
        }

        if (field.Format == PgFormat.Text || PgTypeTable.KindOf(field.TypeId) is PgTypeKind.Text or PgTypeKind.Json)
        {
            return Encoding.UTF8.GetString(field.Bytes);
        }

        var sink = new Utf8Sink(stackalloc byte[256]);
        try
        {
            FieldText.Write(field, ref sink);
            return Encoding.UTF8.GetString(sink.Written);
        }
        finally
        {
            sink.Dispose();
        }
    }
}

/// <summary><c>bytea</c>. Any other type is read as the raw bytes of its received form.</summary>
internal sealed class BytesCodec : PgCodec<byte[]>
{
    internal static readonly BytesCodec Instance = new();

    public override uint TypeId => PgTypeId.Bytea;

    public override int Measure(byte[] value) => value.Length;

    public override void Write(byte[] value, Span<byte> destination) => value.CopyTo(destination);

    public override byte[] Read(PgField field)
        => field.IsNull ? OfNull(field)
            : field.Format == PgFormat.Text && field.TypeId == PgTypeId.Bytea ? ByteaText.Parse(field.Bytes)
            : ReceivedOf(field).ToArray();

    /// <summary>The bytes of the value, without the version byte of jsonb, which belongs to the wire.</summary>
    internal static ReadOnlySpan<byte> ReceivedOf(PgField field)
        => field is { TypeId: PgTypeId.Jsonb, Format: PgFormat.Binary, Bytes: [1, ..] } ? field.Bytes[1..] : field.Bytes;
}

/// <summary>
/// Bytes of no declared type in binary form: the server takes them as the bytes of a <c>bytea</c> or as the UTF-8 of a text,
/// depending on the statement. In a composite, which is sent as text, they are a <c>bytea</c>. Reading copies the bytes that
/// <see cref="BytesCodec"/> reads.
/// </summary>
internal sealed class MemoryCodec : PgCodec<ReadOnlyMemory<byte>>
{
    public override uint TypeId => 0;

    public override int Measure(ReadOnlyMemory<byte> value) => value.Length;

    public override void Write(ReadOnlyMemory<byte> value, Span<byte> destination) => value.Span.CopyTo(destination);

    public override ReadOnlyMemory<byte> Read(PgField field) => field.IsNull ? OfNull(field) : BytesCodec.Instance.Read(field);

    internal override void WriteText(ReadOnlyMemory<byte> value, ref Utf8Sink sink)
        => FieldText.Write(new PgField(value.Span, PgTypeId.Bytea, PgFormat.Binary), ref sink);
}

/// <summary>The text of <c>bytea</c>: <c>\x</c> and hexadecimal digits, or the older form with octal escapes.</summary>
internal static class ByteaText
{
    internal static byte[] Parse(ReadOnlySpan<byte> text)
    {
        byte[] bytes = new byte[text.Length];
        int count = Parse(text, bytes);
        return bytes.AsSpan(0, count).ToArray();
    }

    /// <param name="text">The text.</param>
    /// <param name="destination">At least as many bytes as the text has.</param>
    /// <returns>Bytes written.</returns>
    internal static int Parse(ReadOnlySpan<byte> text, Span<byte> destination)
    {
        if (text.StartsWith("\\x"u8))
        {
            if (Convert.FromHexString(text[2..], destination, out _, out int written) != OperationStatus.Done)
            {
                TypeErrors.ThrowMalformed(PgTypeId.Bytea, "its digits are not hexadecimal");
            }

            return written;
        }

        int count = 0;
        while (!text.IsEmpty)
        {
            if (text[0] != '\\')
            {
                destination[count++] = text[0];
                text = text[1..];
            }
            else if (text is [_, (byte)'\\', ..])
            {
                destination[count++] = (byte)'\\';
                text = text[2..];
            }
            else if (text is [_, >= (byte)'0' and <= (byte)'3', >= (byte)'0' and <= (byte)'7', >= (byte)'0' and <= (byte)'7', ..])
            {
                destination[count++] = (byte)(((text[1] - '0') << 6) | ((text[2] - '0') << 3) | (text[3] - '0'));
                text = text[4..];
            }
            else
            {
                TypeErrors.ThrowMalformed(PgTypeId.Bytea, "an escape is not octal");
            }
        }

        return count;
    }
}
