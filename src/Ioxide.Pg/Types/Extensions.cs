using System.Globalization;
using System.Text;

namespace Ioxide.Pg;

/// <summary><c>hstore</c>, whose OID belongs to the extension: it is sent and received as text, and within a record received in binary.</summary>
/// <remarks>In binary: a count, then the length and the bytes of each key and value. Source: hstore_send in contrib/hstore/hstore_io.c.</remarks>
internal sealed class HstoreCodec : PgCodec<Dictionary<string, string?>>
{
    private const int ScratchBytes = 256;

    public override uint TypeId => 0;

    public override PgFormat ParameterFormat => PgFormat.Text;

    public override int Measure(Dictionary<string, string?> value) => MeasureText(value);

    public override void Write(Dictionary<string, string?> value, Span<byte> destination) => CopyText(value, destination);

    public override Dictionary<string, string?> Read(PgField field)
    {
        if (field.IsNull)
        {
            return OfNull(field);
        }

        if (PgTypeTable.Knows(field.TypeId) && PgTypeTable.KindOf(field.TypeId) != PgTypeKind.Text)
        {
            TypeErrors.ThrowMismatch<Dictionary<string, string?>>(field.TypeId, field.Format);
        }

        var pairs = new Dictionary<string, string?>();
        if (field.Format == PgFormat.Binary && !PgTypeTable.Knows(field.TypeId))
        {
            ReadBinary(field, pairs);
            return pairs;
        }

        var cursor = new TextCursor(field.Bytes);
        while (!cursor.IsAtEnd)
        {
            if (!TryPair(ref cursor, pairs))
            {
                TypeErrors.ThrowText<Dictionary<string, string?>>(field.TypeId);
            }
        }

        return pairs;
    }

    private static void ReadBinary(PgField field, Dictionary<string, string?> pairs)
    {
        var reader = new FieldReader(field.Bytes, field.TypeId);
        for (int count = reader.ReadCount(sizeof(int) + sizeof(int)); count > 0; count--)
        {
            string key = Encoding.UTF8.GetString(reader.ReadValue(out _));
            ReadOnlySpan<byte> value = reader.ReadValue(out bool isNull);
            pairs[key] = isNull ? null : Encoding.UTF8.GetString(value);
        }

        reader.End();
    }

    private static bool TryPair(ref TextCursor cursor, Dictionary<string, string?> pairs)
    {
        if (!TryQuoted(ref cursor, out string key) || !cursor.TryTake("=>"u8))
        {
            return false;
        }

        if (cursor.TryTake("NULL"u8))
        {
            pairs[key] = null;
        }
        else if (TryQuoted(ref cursor, out string value))
        {
            pairs[key] = value;
        }
        else
        {
            return false;
        }

        return cursor.IsAtEnd || cursor.TryTake(", "u8);
    }

    private static bool TryQuoted(ref TextCursor cursor, out string value)
    {
        value = "";
        if (!cursor.TryTake((byte)'"'))
        {
            return false;
        }

        var scratch = new Utf8Sink([]);
        try
        {
            bool isQuoted = TextQuoting.TryTakeQuoted(ref cursor, ref scratch);
            value = isQuoted ? Encoding.UTF8.GetString(scratch.Written) : "";
            return isQuoted;
        }
        finally
        {
            scratch.Dispose();
        }
    }

    internal override void WriteText(Dictionary<string, string?> value, ref Utf8Sink sink)
    {
        bool isFirst = true;
        foreach ((string key, string? text) in value)
        {
            sink.Write(isFirst ? [] : ","u8);
            isFirst = false;
            PrintQuoted(key, ref sink);
            sink.Write("=>"u8);
            if (text is null)
            {
                sink.Write("NULL"u8);
            }
            else
            {
                PrintQuoted(text, ref sink);
            }
        }
    }

    private static void PrintQuoted(string text, ref Utf8Sink sink)
    {
        var scratch = new Utf8Sink(stackalloc byte[ScratchBytes]);
        int length = WireText.Encoding.GetByteCount(text);
        WireText.Encoding.GetBytes(text, scratch.Room(length));
        scratch.Advance(length);
        TextQuoting.WriteEscaped(scratch.Written, ref sink);
        scratch.Dispose();
    }
}

/// <summary>A <c>vector</c> of the extension pgvector. It is sent as text, because its OID belongs to the extension.</summary>
/// <param name="values">The numbers.</param>
/// <remarks>A column of this type can also be read as <c>float[]</c>.</remarks>
public readonly struct PgVector(ReadOnlyMemory<float> values)
{
    /// <summary>The numbers.</summary>
    public ReadOnlyMemory<float> Values { get; } = values;
}

/// <summary><c>vector</c> as text: <c>[1,2.5]</c>.</summary>
internal sealed class PgVectorCodec() : BuiltInCodec<PgVector>(0)
{
    public override PgFormat ParameterFormat => PgFormat.Text;

    public override int Measure(PgVector value) => MeasureText(value);

    public override void Write(PgVector value, Span<byte> destination) => CopyText(value, destination);

    /// <summary>Reads numbers in brackets.</summary>
    internal static bool TryParse(ReadOnlySpan<byte> text, out float[] values)
    {
        values = [];
        if (text is not [(byte)'[', .. var inner, (byte)']'])
        {
            return false;
        }

        values = inner.IsEmpty ? [] : new float[inner.Count((byte)',') + 1];
        for (int index = 0; index < values.Length; index++)
        {
            int comma = inner.IndexOf((byte)',');
            ReadOnlySpan<byte> number = comma < 0 ? inner : inner[..comma];
            inner = comma < 0 ? [] : inner[(comma + 1)..];
            if (!float.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out values[index]))
            {
                return false;
            }
        }

        return true;
    }

    internal override bool Reads(uint typeId) => false;

    internal override PgVector ReadBinary(ReadOnlySpan<byte> bytes, uint typeId) => default;

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgVector value)
    {
        bool isVector = TryParse(text, out float[] values);
        value = new PgVector(values);
        return isVector;
    }

    internal override void WriteText(PgVector value, ref Utf8Sink sink)
    {
        sink.Write('[');
        ReadOnlySpan<float> values = value.Values.Span;
        for (int index = 0; index < values.Length; index++)
        {
            sink.Write(index == 0 ? [] : ","u8);
            FloatText.Write(values[index], ref sink);
        }

        sink.Write(']');
    }
}
