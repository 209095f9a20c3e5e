using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using System.Text.Json;
using Ioxide.Pg;
using Ioxide.Pg.Data;

namespace Ioxide.Fuzz;

/// <summary>A value of a type: two bytes choose the type, one its format, the rest is the value. It is read as an object, as JSON and as text.</summary>
internal sealed class PgTypeTarget() : FuzzTarget("pg-types")
{
    private static readonly uint[] s_types = [.. Enum.GetValues<PgTypeKind>().SelectMany(PgTypeTable.OfKind).Distinct().Order()];

    internal override IEnumerable<byte[]> Seeds()
    {
        for (int index = 0; index < s_types.Length; index++)
        {
            // Eight zeros are a value of most fixed types; an empty array and a word are others.
            yield return Input(index, 1, new byte[8]);
            yield return Input(index, 1, Convert.FromHexString("000000010000000000000017000000010000000100000004" + "00000007"));
            yield return Input(index, 0, Encoding.ASCII.GetBytes("{1,2,NULL,\"a\\\"b\"}"));
            yield return Input(index, 0, Encoding.ASCII.GetBytes("[2024-02-29 12:34:56.789+02,infinity)"));
        }

        int Index(uint type) => Array.IndexOf(s_types, type);
        yield return Input(Index(PgTypeId.Numeric), 1, Convert.FromHexString("0003000040000002" + "0001" + "0929" + "1388"));
        yield return Input(Index(PgTypeId.Numeric), 0, "-12345678901234567890.000100"u8.ToArray());
        yield return Input(Index(PgTypeId.Jsonb), 1, [1, .. "{\"a\":[1,2.5e3,null,\"\\u00e4\"]}"u8]);
        yield return Input(Index(PgTypeId.Interval), 0, "1 year 2 mons -3 days 04:05:06.789"u8.ToArray());
        yield return Input(Index(PgTypeId.Inet), 1, Convert.FromHexString("02180004c0000200"));
    }

    internal override void Read(ReadOnlySpan<byte> input)
    {
        if (input.Length < 3)
        {
            return;
        }

        uint type = s_types[BinaryPrimitives.ReadUInt16BigEndian(input) % s_types.Length];
        bool isText = (input[2] & 1) == 0;
        ReadOnlySpan<byte> value = input[3..];
        byte[] description = [0, 1, (byte)'a', 0, 0, 0, 0, 0, 0, 0, .. Big(type), 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0];
        ResultColumns columns = ResultColumns.Read(description, isText);
        byte[] body = [0, 1, .. Big((uint)value.Length), .. value];
        var layout = new RowLayout();
        layout.Read(body, columns.Count);
        var row = new PgRow(body, layout.Offsets, columns);
        var json = new ArrayBufferWriter<byte>();
        var text = new ArrayBufferWriter<byte>();
        try
        {
            row.WriteText(0, text);
            row.WriteJson(0, json);
        }
        catch (PgTypeException)
        {
            // Refused.
            return;
        }
        finally
        {
            ReadObject(row, type);
        }

        // What is written as JSON is JSON; a value of the type json is the server's own text.
        if (!IsJson(type))
        {
            Require(json.WrittenCount > 0, $"A value of {PgTypeTable.NameOf(type)} is nothing in JSON.");
            using JsonDocument document = JsonDocument.Parse(json.WrittenMemory);
        }
    }

    private static void ReadObject(PgRow row, uint type)
    {
        try
        {
            _ = ColumnReader.Of(type, modifier: -1).Read(row[0]);
        }
        catch (Exception exception) when (exception is PgTypeException or OverflowException)
        {
            // Refused: the facade makes exceptions of ADO.NET of these.
        }
    }

    private static bool IsJson(uint type)
        => type is PgTypeId.Json or PgTypeId.Jsonb || PgTypeTable.ElementOf(type) is PgTypeId.Json or PgTypeId.Jsonb;

    private static byte[] Input(int index, byte format, byte[] value) => [(byte)(index >> 8), (byte)index, format, .. value];

    private static byte[] Big(uint number)
    {
        byte[] bytes = new byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(bytes, number);
        return bytes;
    }
}
