using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Ioxide.Pg.Tests;

/// <summary>Fields become JSON values as System.Text.Json would write the .NET values that they are read as.</summary>
public class FieldJsonTests
{
    [Fact]
    public void EveryTypeOfTheServerBecomesTheSameJsonInBothForms()
    {
        foreach (ServerVector vector in ServerVector.All)
        {
            using JsonDocument binary = JsonDocument.Parse(Json(vector.BinaryField));
            using JsonDocument text = JsonDocument.Parse(Json(new PgField(Encoding.UTF8.GetBytes(vector.Text), vector.TypeId, PgFormat.Text)));
            if (vector.TypeId is PgTypeId.Money or PgTypeId.Oid)
            {
                // A text of them need not be a number: a sum has a sign of its currency, and an OID may be printed as a name.
                Assert.Equal(vector.Text, text.RootElement.GetString());
                Assert.Equal(vector.Text.Replace("$", "", StringComparison.Ordinal).Replace(",", "", StringComparison.Ordinal), binary.RootElement.GetRawText());
            }
            else
            {
                // By their values: a number may be written in several ways, and a character be escaped or not.
                Assert.True(JsonElement.DeepEquals(binary.RootElement, text.RootElement), $"{vector}: {binary.RootElement} and {text.RootElement}");
            }
        }
    }

    [Fact]
    public void WritesWhatSystemTextJsonWrites()
    {
        Check("a\"b\\c<>&'+\u00e4\u20ac\U0001f600\t\n\u0001");
        Check(new string('<', 5000) + "x");
        Check("");
        Check(Guid.NewGuid());
        Check(Enumerable.Range(0, 1000).Select(i => (byte)i).ToArray());
        Check(Array.Empty<byte>());
        Check(true);
        Check(-1.5e300);
        Check(0.1f);
        Check(long.MinValue);
        Check(1.50m);
        Check(new DateTime(2024, 2, 29, 1, 2, 3, DateTimeKind.Utc).AddTicks(1_234_560));
        Check(new DateTime(2024, 2, 29, 1, 2, 3, DateTimeKind.Unspecified));
        Check(new DateOnly(1, 1, 2));
        Check(new int?[] { 1, null, 3 });
        Check(new[] { "a", null!, "\"" });
    }

    [Theory, Each("NaN", "Infinity", "-Infinity")]
    public void WhatIsNoNumberIsAString(string text)
    {
        Assert.Equal($"\"{text}\"", Json(Parameter(PgNumeric.Parse(text))));
        Assert.Equal($"\"{text}\"", Json(Parameter(double.Parse(text, CultureInfo.InvariantCulture))));
    }

    /// <summary>A server that sends no number as one adds nothing to the document around it.</summary>
    [Theory]
    [InlineData("1,\"admin\":true", "\"1,\\u0022admin\\u0022:true\"")]
    [InlineData("007", "\"007\"")]
    [InlineData("1.", "\"1.\"")]
    [InlineData("1e", "\"1e\"")]
    [InlineData("-", "\"-\"")]
    [InlineData("-0.5e+10", "-0.5e+10")]
    [InlineData("12345678901234567890.000", "12345678901234567890.000")]
    public void ATextIsANumberOnlyIfItIsOneOfJson(string text, string json)
        => Assert.Equal(json, Json(new PgField(Encoding.UTF8.GetBytes(text), PgTypeId.Numeric, PgFormat.Text)));

    [Fact]
    public void AnEmptyTextIsNoArray()
        => Assert.Throws<PgTypeException>(static () => Json(new PgField([], PgTypeId.Int4Array, PgFormat.Text)));

    [Theory, Each("{{}7}", "{{}{7}}", "{{},7}")]
    public void WhatFollowsAnEmptyArrayIsNoElement(string text)
        => Assert.Throws<PgTypeException>(() => Json(new PgField(Encoding.UTF8.GetBytes(text), PgTypeId.Int4Array, PgFormat.Text)));

    /// <summary>No server has such times; one that sends them adds no control characters to the document.</summary>
    [Theory]
    [InlineData(-1, "-00:00:00.000001")]
    [InlineData(long.MinValue, "-2562047788:00:54.775808")]
    [InlineData(long.MaxValue, "2562047788:00:54.775807")]
    public void ATimeBeyondADayIsPrintedAsAnIntervalIs(long microseconds, string text)
    {
        byte[] time = Convert.FromHexString($"{microseconds:X16}"), timeTz = [.. time, 0, 0, 0, 0];
        Assert.Equal($"\"{text}\"", Json(new PgField(time, PgTypeId.Time, PgFormat.Binary)));
        Assert.Equal($"\"{text}+00\"", Json(new PgField(timeTz, PgTypeId.TimeTz, PgFormat.Binary)));
    }

    [Fact]
    public void NullIsNullAndJsonIsItself()
    {
        Assert.Equal("null", Json(PgField.Null(PgTypeId.Int4)));
        Assert.Equal("{\"a\": 1}", Json(new PgField("\u0001{\"a\": 1}"u8, PgTypeId.Jsonb, PgFormat.Binary)));
        Assert.Equal("{\"a\": 1}", Json(new PgField("{\"a\": 1}"u8, PgTypeId.Json, PgFormat.Binary)));
    }

    [Fact]
    public void DimensionsAreArraysWithinArrays()
        => Assert.Equal("[[[1],[2]],[[3],[4]]]", Json(Parameter(new PgArray<int>([1, 2, 3, 4], [2, 2, 1], [0, 5, 1]))));

    [Fact]
    public void NamesAreEscapedOnce() => Assert.Equal("\"a\\u0022b\":", Encoding.UTF8.GetString(JsonEscape.EscapeName("a\"b"u8)));

    [Fact]
    public void WritesIntoTheFrameworksWriter()
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer))
        {
            writer.WriteStartArray();
            FieldJson.Write(new PgField([0, 0, 0, 7], PgTypeId.Int4, PgFormat.Binary), writer);
            FieldJson.Write(new PgField("a\"b"u8, PgTypeId.Text, PgFormat.Binary), writer);
            writer.WriteEndArray();
        }

        Assert.Equal("[7,\"a\\u0022b\"]", Encoding.UTF8.GetString(buffer.WrittenSpan));
    }

    /// <summary>Elements name their type. Those of a false server would add to the document, if they named one that is written as it is.</summary>
    [Fact]
    public void AnArrayHasElementsOfItsTypeOnly()
    {
        const string Elements = "00000001" + "00000000" + "00000072" + "00000001" + "00000001" + "0000000D";
        byte[] array = [.. Convert.FromHexString(Elements), .. "1],\"admin\":[2"u8];
        Assert.Throws<PgTypeException>(() => Json(new PgField(array, PgTypeId.Int4Array, PgFormat.Binary)));
        Assert.Throws<PgTypeException>(() => Framework(new PgField(array, PgTypeId.Int4Array, PgFormat.Binary)));
    }

    /// <summary>A server's own JSON is written unchanged; the framework's writer takes none that is false, alone or in an array.</summary>
    [Theory, Each("{]", "nul", "1,2],[3", "[1")]
    public void TheFrameworksWriterTakesNoFalseJson(string json)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(json);
        byte[] array = [.. Convert.FromHexString("00000001" + "00000000" + "00000072" + "00000001" + "00000001" + $"{utf8.Length:X8}"), .. utf8];
        Assert.Throws<PgTypeException>(() => Framework(new PgField(utf8, PgTypeId.Json, PgFormat.Binary)));
        Assert.Throws<PgTypeException>(() => Framework(new PgField([], PgTypeId.Json, PgFormat.Binary)));
        Assert.Throws<PgTypeException>(() => Framework(new PgField(array, PgTypeId.JsonArray, PgFormat.Binary)));
        Assert.Throws<PgTypeException>(() => Framework(new PgField(Encoding.UTF8.GetBytes($"{{\"{json}\"}}"), PgTypeId.JsonArray, PgFormat.Text)));
        Assert.Equal("[1,{\"a\":2}]", Framework(new PgField("{1,\"{\\\"a\\\":2}\"}"u8, PgTypeId.JsonArray, PgFormat.Text)));
    }

    [Fact]
    public void NothingIsAllocatedOnceMemoryIsThere()
    {
        var buffer = new ArrayBufferWriter<byte>(1 << 20);
        var allocating = new List<string>();
        foreach (ServerVector vector in ServerVector.All)
        {
            WriteBoth(vector, buffer);
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int round = 0; round < 10; round++)
            {
                WriteBoth(vector, buffer);
            }

            if (GC.GetAllocatedBytesForCurrentThread() != before)
            {
                allocating.Add(vector.ToString());
            }
        }

        Assert.Empty(allocating);
    }

    private static void WriteBoth(ServerVector vector, ArrayBufferWriter<byte> buffer)
    {
        buffer.ResetWrittenCount();
        var sink = new Utf8Sink(buffer);
        FieldJson.Write(vector.BinaryField, ref sink);
        FieldText.Write(vector.BinaryField, ref sink);
        sink.Flush();
    }

    private static void Check<T>(T value)
    {
        Assert.Equal(JsonSerializer.Serialize(value), Json(Parameter(value)));
    }

    private static PgField Parameter<T>(T value)
    {
        PgCodec<T> codec = PgCodec.For<T>();
        byte[] wire = new byte[codec.Measure(value)];
        codec.Write(value, wire);
        return new PgField(wire, codec.TypeIdOf(value), codec.ParameterFormat);
    }

    /// <summary>What the framework's writer writes.</summary>
    private static string Framework(PgField field)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer))
        {
            FieldJson.Write(field, writer);
        }

        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }

    private static string Json(PgField field)
    {
        var buffer = new ArrayBufferWriter<byte>();
        var sink = new Utf8Sink(buffer);
        FieldJson.Write(field, ref sink);
        sink.Flush();
        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }
}
