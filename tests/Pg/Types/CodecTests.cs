using System.Net;
using System.Text;
using System.Text.Json;

namespace Ioxide.Pg.Tests;

/// <summary>Wire forms computed by hand, rules of kinds, and what a codec says of a field that it cannot read.</summary>
public class CodecTests
{
    [Fact]
    public void WiresAreAsTheServerDefinesThem()
    {
        Assert.Equal("0000002A", Hex(42));
        Assert.Equal("0003" + "0001" + "0000" + "0001" + "0001" + "000A" + "1388", Hex(10_010.5m));
        Assert.Equal("0001" + "0001" + "0000" + "0000" + "0001", Hex(10_000m));
        Assert.Equal("00000000000F4240" + "00000002" + "0000000E", Hex(new PgInterval(14, 2, 1_000_000)));
        Assert.Equal("02180104" + "0A000000", Hex(IPNetwork.Parse("10.0.0.0/24")));
        Assert.Equal("00000001" + "00000001" + "00000017" + "00000002" + "00000001" + "00000004" + "00000007" + "FFFFFFFF", Hex(new int?[] { 7, null }));
        Assert.Equal("02" + "00000004" + "00000001" + "00000004" + "0000000A", Hex(new PgRange<int>(1, true, 10, false)));
        Assert.Equal("01" + Convert.ToHexString("{\"a\":1}"u8), Hex(JsonDocument.Parse("{\"a\":1}")));
        Assert.Equal("00112233445566778899AABBCCDDEEFF", Hex(new Guid("00112233-4455-6677-8899-aabbccddeeff")));
    }

    [Fact]
    public void TheKindOfADateTimeDecidesItsType()
    {
        PgCodec<DateTime> codec = PgCodec.For<DateTime>();
        var day = new DateTime(2024, 1, 1);
        Assert.Equal((false, PgTypeId.Timestamp), (codec.IsTypeFixed, codec.TypeIdOf(day)));
        Assert.Equal(PgTypeId.Timestamp, codec.TypeIdOf(DateTime.SpecifyKind(day, DateTimeKind.Local)));
        Assert.Equal(PgTypeId.TimestampTz, codec.TypeIdOf(DateTime.SpecifyKind(day, DateTimeKind.Utc)));
        Assert.Equal(PgTypeId.TimestampTzArray, PgCodec.For<DateTime[]>().TypeIdOf([DateTime.SpecifyKind(day, DateTimeKind.Utc)]));
        Assert.Throws<PgTypeException>(() => PgCodec.For<DateTime[]>().Measure([DateTime.SpecifyKind(day, DateTimeKind.Utc), day]));
        Assert.Throws<PgTypeException>(() => PgCodec.For<DateTimeOffset>().Write(new DateTimeOffset(day, TimeSpan.FromHours(1)), new byte[8]));
    }

    [Fact]
    public void TheExtremesOfDateTimeAreTheInfinities()
    {
        Assert.Equal("7FFFFFFFFFFFFFFF", Hex(DateTime.MaxValue));
        Assert.Equal("8000000000000000", Hex(DateTimeOffset.MinValue));
        Assert.Equal("7FFFFFFF", Hex(DateOnly.MaxValue));
        Assert.Equal(DateTime.MinValue, Read<DateTime>("8000000000000000", PgTypeId.TimestampTz));
        Assert.Equal(DateTimeOffset.MaxValue, Read<DateTimeOffset>("7FFFFFFFFFFFFFFF", PgTypeId.TimestampTz));
        Assert.Equal(DateOnly.MinValue, Read<DateOnly>("80000000", PgTypeId.Date));
    }

    [Fact]
    public void IntegersAreWidenedAndNeverNarrowed()
    {
        Assert.Equal(-2, Read<int>("FFFE", PgTypeId.Int2));
        Assert.Equal(-2L, Read<long>("FFFFFFFE", PgTypeId.Int4));
        Assert.Equal(-2m, Read<decimal>("FFFFFFFFFFFFFFFE", PgTypeId.Int8));
        Assert.Equal(-2.0, Read<double>("FFFFFFFE", PgTypeId.Int4));
        Assert.Contains("int8", Assert.Throws<PgTypeException>(() => Read<int>("FFFFFFFFFFFFFFFE", PgTypeId.Int8)).Message, StringComparison.Ordinal);
        Assert.Throws<PgTypeException>(() => Read<double>("FFFFFFFFFFFFFFFE", PgTypeId.Int8));
    }

    [Fact]
    public void WhatDoesNotFitNamesTheTypeThatHoldsIt()
    {
        AssertNames(nameof(PgNumeric), () => PgCodec.For<decimal>().Read(new PgField("79228162514264337593543950336"u8, PgTypeId.Numeric, PgFormat.Text)));
        AssertNames(nameof(PgNumeric), () => Read<decimal>("00000000C0000000", PgTypeId.Numeric));
        AssertNames(nameof(PgTimestamp), () => Read<DateTime>("7FFFFFFFFFFFFFFE", PgTypeId.Timestamp));
        AssertNames(nameof(PgDate), () => Read<DateOnly>("7FFFFFFE", PgTypeId.Date));
        AssertNames(nameof(PgInterval), () => Read<TimeSpan>("00000000000000000000000000000001", PgTypeId.Interval));
        AssertNames("TimeSpan", () => Read<TimeOnly>("000000141DD76000", PgTypeId.Time));
        AssertNames("PgArray<Int32>", () => Read<int[]>(Hex(PgArray.From(new[,] { { 1 } })), PgTypeId.Int4Array));
        AssertNames("Int32?", () => PgCodec.For<int>().Read(PgField.Null(PgTypeId.Int4)));
    }

    [Fact]
    public void ZerosBehindThePointAreDroppedBeforeAnythingOverflows()
    {
        Assert.Equal(1m, PgCodec.For<decimal>().Read(new PgField("1.00000000000000000000000000000000000"u8, PgTypeId.Numeric, PgFormat.Text)));
        byte[] wire = Wire(PgNumeric.Parse("12345678901234567890123456.7000000000"));
        Assert.Equal(12345678901234567890123456.7m, PgCodec.For<decimal>().Read(new PgField(wire, PgTypeId.Numeric, PgFormat.Binary)));
    }

    /// <summary>A numeric of the server has up to 36,864 digits to the base 10,000: their count has no sign.</summary>
    [Fact]
    public void TheLongestNumericIsReadToItsLastDigit()
    {
        string text = $"{new string('1', 131_072)}.{new string('2', 16_383)}";
        var number = PgNumeric.Parse(text);
        Assert.Equal(text, number.ToString());
        byte[] wire = Wire(number);
        Assert.Equal("9000" + "7FFF" + "0000" + "3FFF" + "0457", Convert.ToHexString(wire.AsSpan(0, 10)));
        Assert.Equal(text, PgCodec.For<PgNumeric>().Read(new PgField(wire, PgTypeId.Numeric, PgFormat.Binary)).ToString());
        Assert.Null(Record.Exception(() => PgCodec.For<string>().Read(new PgField(wire, PgTypeId.Numeric, PgFormat.Binary))));
    }

    [Fact]
    public void NothingIsAllocatedForElementsThatAreNotThere()
        => Assert.Throws<PgTypeException>(() => Read<int[]>("00000001" + "00000000" + "00000017" + "7FFFFFFF" + "00000001", PgTypeId.Int4Array));

    [Fact]
    public void ADimensionBelowZeroIsMalformed()
    {
        const string Header = "00000002" + "00000000" + "00000017";
        Assert.Throws<PgTypeException>(() => Read<int[]>("00000001" + "00000000" + "00000017" + "FFFFFFFF" + "00000001", PgTypeId.Int4Array));
        Assert.Throws<PgTypeException>(
            () => Read<PgArray<int>>(Header + "FFFFFFFF" + "00000001" + "FFFFFFFF" + "00000001" + "FFFFFFFF", PgTypeId.Int4Array));
    }

    [Theory, Each("02210004" + "0A000000", "03810010" + "00000000000000000000000000000001")]
    public void APrefixLongerThanItsAddressIsMalformed(string hex)
        => Assert.Contains("prefix", Assert.Throws<PgTypeException>(() => Read<PgInet>(hex, PgTypeId.Inet)).Message, StringComparison.Ordinal);

    [Theory, Each("FFFFFFFFFFFFFFFF", "7FFFFFFFFFFFFFFF", "8000000000000000", "000000141DD76001")]
    public void ATimeBeyondADayIsNoneOfDotNets(string microseconds)
    {
        Assert.Contains("within", Assert.Throws<PgTypeException>(() => Read<TimeOnly>(microseconds, PgTypeId.Time)).Message, StringComparison.Ordinal);
        PgTypeException refused = Assert.Throws<PgTypeException>(() => Read<DateTimeOffset>(microseconds + "00000000", PgTypeId.TimeTz));
        Assert.Contains("within a day", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ALongArrayIsReadAsItsText()
    {
        int[] values = [.. Enumerable.Range(0, 1000)];
        Assert.Equal($"{{{string.Join(',', values)}}}", Read<string>(Hex(values), PgTypeId.Int4Array));
    }

    [Fact]
    public void BitsPastTheCountAreCleared()
    {
        var bits = new PgBits([0xFF, 0xFF], 11);
        Assert.Equal(PgBits.Parse("11111111111"), bits);
        Assert.Equal("0000000B" + "FFE0", Hex(bits));
        Assert.Equal(bits, Read<PgBits>("0000000B" + "FFFF", PgTypeId.VarBit));
    }

    [Fact]
    public void AMissingCodecSaysWhatToDoAndServesOnceItIsThere()
    {
        AssertNames("RegisterEnum<Mood>", () => PgCodec.For<Mood>());
        AssertNames("Register<Pair>", () => PgCodec.For<Pair>());
        PgCodec.RegisterEnum<Mood>();
        PgCodec.Register(new PairCodec());
        Assert.Equal("very_happy", Text(Mood.VeryHappy));
        Assert.Equal("{\"sad\",NULL}", Text(new Mood?[] { Mood.Sad, null }));
        Assert.Equal(Mood.VeryHappy, PgCodec.For<Mood>().Read(new PgField("very_happy"u8, 99_999, PgFormat.Text)));
        Assert.Equal((Mood?[])[Mood.Sad, null], PgCodec.For<Mood?[]>().Read(new PgField("{sad,NULL}"u8, 99_999, PgFormat.Text)));

        // A text that reads NULL stands in quotes, and no other is NULL.
        Assert.Equal((string?[])["NULL", null, "null"], PgCodec.For<string?[]>().Read(new PgField("{\"NULL\",NULL,\"null\"}"u8, 99_999, PgFormat.Text)));
        Assert.Null(PgCodec.For<Mood?>().Read(PgField.Null(99_999)));
        Assert.Throws<InvalidOperationException>(() => PgCodec.Register(StringCodec.Instance));

        var pair = new Pair(7, "a \"b\" \\ (,)");
        Assert.Equal("(\"7\",\"a \"\"b\"\" \\\\ (,)\")", Text(pair));
        Assert.Equal(pair, PgCodec.For<Pair>().Read(new PgField(Encoding.UTF8.GetBytes(Text(pair)), 99_999, PgFormat.Text)));
        Assert.Equal(new Pair(7, null), PgCodec.For<Pair>().Read(new PgField("(7,)"u8, 99_999, PgFormat.Text)));
        Assert.Equal(pair, PgCodec.For<Pair[]>().Read(new PgField(Encoding.UTF8.GetBytes(Text(new[] { pair })), 99_999, PgFormat.Text))[0]);
        byte[] record = Convert.FromHexString("00000002" + "00000017" + "00000004" + "00000007" + "00000019" + "FFFFFFFF");
        Assert.Equal(new Pair(7, null), PgCodec.For<Pair>().Read(new PgField(record, PgTypeId.Record, PgFormat.Binary)));
    }

    [Fact]
    public void ExtensionsTravelAsText()
    {
        var pairs = new Dictionary<string, string?> { ["a"] = "1", ["b \""] = null };
        Assert.Equal("\"a\"=>\"1\",\"b \\\"\"=>NULL", Text(pairs));
        Assert.Equal(pairs, PgCodec.For<Dictionary<string, string?>>().Read(new PgField("\"a\"=>\"1\", \"b \\\"\"=>NULL"u8, 99_999, PgFormat.Text)));
        Assert.Equal("[1,2.5]", Text(new PgVector((float[])[1f, 2.5f])));
        Assert.Equal(2.5f, PgCodec.For<float[]>().Read(new PgField("[1,2.5]"u8, 99_999, PgFormat.Text))[1]);
    }

    [Fact]
    public void NoAllocationForValuesOfFixedSize()
    {
        byte[] wire = new byte[64];
        Assert.Equal(0, Allocated(() => Use(42, wire)));
        Assert.Equal(0, Allocated(() => Use(12.50m, wire)));
        Assert.Equal(0, Allocated(() => Use(new DateTime(2024, 1, 1), wire)));
        Assert.Equal(0, Allocated(() => Use(Guid.Empty, wire)));
        Assert.Equal(0, Allocated(() => Use<int?>(42, wire)));
        Assert.Equal(0, Allocated(() => Use(new PgRange<int>(1, true, 2, false), wire)));
    }

    private static void Use<T>(T value, byte[] wire)
    {
        PgCodec<T> codec = CodecFor<T>.Instance;
        int length = codec.Measure(value);
        codec.Write(value, wire.AsSpan(0, length));
        _ = codec.Read(new PgField(wire.AsSpan(0, length), codec.TypeIdOf(value), PgFormat.Binary));
    }

    private static long Allocated(Action action)
    {
        action();
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int round = 0; round < 100; round++)
        {
            action();
        }

        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private static void AssertNames(string name, Func<object?> action)
        => Assert.Contains(name, Assert.Throws<PgTypeException>(action).Message, StringComparison.Ordinal);

    private static T Read<T>(string hex, uint typeId) => PgCodec.For<T>().Read(new PgField(Convert.FromHexString(hex), typeId, PgFormat.Binary));

    private static string Hex<T>(T value) => Convert.ToHexString(Wire(value));

    private static string Text<T>(T value) => Encoding.UTF8.GetString(Wire(value));

    private static byte[] Wire<T>(T value)
    {
        PgCodec<T> codec = PgCodec.For<T>();
        byte[] wire = new byte[codec.Measure(value)];
        codec.Write(value, wire);
        return wire;
    }

    private enum Mood
    {
        Sad,
        VeryHappy,
    }

    private sealed record Pair(int Number, string? Text);

    private sealed class PairCodec : PgCompositeCodec<Pair>
    {
        protected override void Write(Pair value, ref PgCompositeWriter writer)
        {
            writer.Write(value.Number);
            writer.Write(value.Text);
        }

        protected override Pair Read(ref PgCompositeReader reader) => new(reader.Read<int>(), reader.Read<string?>());
    }
}
