using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using System.Text.Json;
using Ioxide.Pg;
using Ioxide.Pg.Data;

namespace Ioxide.Fuzz;

/// <summary>
/// A value of a type: two bytes choose the type, one its format, the rest is the value. It is read as each .NET type that reads it, as an object, as
/// JSON and as text.
/// </summary>
internal sealed class PgTypeTarget() : FuzzTarget("pg-types")
{
    /// <summary>As many levels as the driver reads.</summary>
    private static readonly JsonDocumentOptions s_deep = new() { MaxDepth = 1000 };

    private static readonly uint[] s_types =
        [.. Enum.GetValues<PgTypeKind>().SelectMany(PgTypeTable.OfKind).Append(PgTypeReaders.Stranger).Distinct().Order()];

    private static readonly Dictionary<uint, ValueReader[]> s_readers = s_types.ToDictionary(static type => type, PgTypeReaders.Of);

    internal override IEnumerable<byte[]> Seeds()
    {
        for (int index = 0; index < s_types.Length; index++)
        {
            // Eight zeros are a value of most fixed types; an array of them and a word are others.
            yield return Input(index, 1, new byte[8]);
            string elementId = $"{PgTypeTable.ElementOf(s_types[index]):X8}";
            yield return Input(index, 1, Convert.FromHexString("00000001" + "00000000" + elementId + "00000001" + "00000001" + "00000008" + "0000000000000000"));
            yield return Input(index, 0, Encoding.ASCII.GetBytes("{1,2,NULL,\"a\\\"b\"}"));
            yield return Input(index, 0, Encoding.ASCII.GetBytes("{{1},{2}}"));
            yield return Input(index, 0, Encoding.ASCII.GetBytes("{}"));
            yield return Input(index, 0, Encoding.ASCII.GetBytes("[2024-02-29 12:34:56.789+02,infinity)"));
        }

        yield return Text(PgTypeId.Numeric, "-12345678901234567890.000100"u8);
        yield return Text(PgTypeId.Interval, "1 year 2 mons -3 days 04:05:06.789"u8);
        yield return Text(PgTypeId.TimestampTz, "2024-02-29 12:34:56.789-03:30"u8);
        yield return Text(PgTypeId.MacAddr8, "08:00:2b:01:02:03:04:05"u8);
        yield return Text(PgTypeId.Int4Array, "[0:1][1:2]={{1,NULL},{3,4}}"u8);
        yield return Text(PgTypeId.JsonbArray, "{\"{\\\"a\\\": [1]}\",NULL}"u8);
        yield return Text(PgTypeId.Int4MultiRange, "{[1,3),[5,)}"u8);
        yield return Text(PgTypeReaders.Stranger, "\"a\"=>\"1\", \"b\"=>NULL"u8);
        yield return Text(PgTypeReaders.Stranger, "[1,2.5e3]"u8);
        yield return Text(PgTypeReaders.Stranger, "(7,\"a \"\"b\"\"\")"u8);
        yield return Binary(PgTypeId.Numeric, "0003000040000002" + "0001" + "0929" + "1388");
        yield return Binary(PgTypeId.Jsonb, "01" + Convert.ToHexString("{\"a\":[1,2.5e3,null,\"\\u00e4\"]}"u8));
        yield return Binary(PgTypeId.JsonArray, "00000001" + "00000001" + "00000072" + "00000002" + "00000001" + "00000003" + "5B315D" + "FFFFFFFF");
        yield return Binary(PgTypeId.Inet, "02180004c0000200");
        yield return Binary(PgTypeId.VarBit, "0000000B" + "FFE0");
        yield return Binary(PgTypeId.TimeTz, "0000000AEF4C2B40" + "FFFFE3E0");
        yield return Binary(PgTypeId.Int4Range, "02" + "00000004" + "00000001" + "00000004" + "0000000A");
        yield return Binary(PgTypeId.Int4MultiRange, "00000001" + "00000011" + "02" + "00000004" + "00000001" + "00000004" + "0000000A");
        yield return Binary(PgTypeId.Record, "00000002" + "00000017" + "00000004" + "00000007" + "00000019" + "FFFFFFFF");
        yield return Binary(PgTypeReaders.Stranger, "00000001" + "00000001" + "61" + "FFFFFFFF");

        byte[] Text(uint type, ReadOnlySpan<byte> text) => Input(Array.IndexOf(s_types, type), 0, text.ToArray());
        byte[] Binary(uint type, string hex) => Input(Array.IndexOf(s_types, type), 1, Convert.FromHexString(hex));
    }

    internal override void Read(ReadOnlySpan<byte> input)
    {
        if (input.Length < 3)
        {
            return;
        }

        uint type = s_types[BinaryPrimitives.ReadUInt16BigEndian(input) % s_types.Length];
        var field = new PgField(input[3..], type, (input[2] & 1) == 0 ? PgFormat.Text : PgFormat.Binary);
        Try(WriteText, field);
        Try(WriteJson, field);
        Try(WriteToWriter, field);
        Try(ReadObject, field);
        Try(ReadRecord, field);
        foreach (ValueReader reader in s_readers[type])
        {
            Try(reader, field);
        }
    }

    /// <summary>A value is read, or refused as the driver documents it.</summary>
    private static void Try(ValueReader reader, PgField field)
    {
        try
        {
            reader(field);
        }
        catch (PgTypeException)
        {
            // Refused.
        }
    }

    private static void WriteText(PgField field)
    {
        var sink = new Utf8Sink(new ArrayBufferWriter<byte>());
        FieldText.Write(field, ref sink);
        sink.Flush();
    }

    /// <summary>What is written as JSON is JSON; a value of the type json is the server's own text.</summary>
    private static void WriteJson(PgField field)
    {
        var json = new ArrayBufferWriter<byte>();
        var sink = new Utf8Sink(json);
        FieldJson.Write(field, ref sink);
        sink.Flush();
        if (!IsJson(field.TypeId))
        {
            Check(json, field.TypeId);
        }
    }

    /// <summary>What the framework's writer writes is JSON, also of the type json.</summary>
    private static void WriteToWriter(PgField field)
    {
        var json = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(json))
        {
            FieldJson.Write(field, writer);
        }

        Check(json, field.TypeId);
    }

    private static void Check(ArrayBufferWriter<byte> json, uint type)
    {
        Require(json.WrittenCount > 0, $"A value of {PgTypeTable.NameOf(type)} is nothing in JSON.");
        using JsonDocument document = JsonDocument.Parse(json.WrittenMemory, s_deep);
    }

    private static void ReadObject(PgField field) => _ = TypeCatalog.Empty.ReaderOf(field.TypeId, -1).Read(field);

    private static void ReadRecord(PgField field)
    {
        if (field is not { TypeId: PgTypeId.Record or PgTypeId.RecordArray, Format: PgFormat.Binary })
        {
            return;
        }

        try
        {
            _ = NestedRows.Of(field, TypeCatalog.Empty);
        }
        catch (InvalidOperationException)
        {
            // An array of more than one dimension, or with a NULL.
        }
    }

    private static bool IsJson(uint type)
        => type is PgTypeId.Json or PgTypeId.Jsonb || PgTypeTable.ElementOf(type) is PgTypeId.Json or PgTypeId.Jsonb;

    private static byte[] Input(int index, byte format, byte[] value) => [(byte)(index >> 8), (byte)index, format, .. value];
}
