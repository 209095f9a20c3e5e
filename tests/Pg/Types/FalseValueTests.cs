using System.Collections.Specialized;
using System.Net.NetworkInformation;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Ioxide.Pg.Tests;

/// <summary>
/// What no server sends, but a false one may. It is refused with the driver's own exception, and nothing of it is read or printed. Beside each stands
/// what a server does send.
/// </summary>
public class FalseValueTests
{
    private const uint Stranger = 99_999;

    public FalseValueTests() => PgCodec.Register(new PairCodec());

    [Theory, Each("", "{", "nul", "[1]2")]
    public void WhatIsNoJsonIsNotRead(string text)
    {
        Refused<JsonElement>(text, PgTypeId.Json);
        Refused<JsonDocument>(text, PgTypeId.Json);
        Refused<JsonNode>(text, PgTypeId.Json);
        Refused<JsonObject>(text, PgTypeId.Json);
        PgTypeException refused = Assert.Throws<PgTypeException>(() => Read<JsonArray>(text, PgTypeId.Json));
        Assert.Contains("Read it as string", refused.Message, StringComparison.Ordinal);
        Assert.IsAssignableFrom<JsonException>(refused.InnerException);
        Assert.Equal(text, Read<string>(text, PgTypeId.Json));
    }

    /// <summary>The elements are printed by the type that they name: one of JSON would be printed as it is.</summary>
    [Fact]
    public void ElementsOfAnotherTypeAreNotRead()
    {
        const string Dimension = "00000001" + "00000001";
        Refused<string>(Convert.FromHexString("00000001" + "00000000" + "00000072" + Dimension + "00000001" + "37"), PgTypeId.Int4Array);
        Refused<int[]>(Convert.FromHexString("00000001" + "00000000" + "00000015" + Dimension + "00000002" + "0007"), PgTypeId.Int4Array);
        Refused<string[]>(Convert.FromHexString("00000001" + "00000000" + "00000413" + Dimension + "00000001" + "37"), PgTypeId.TextArray);
        Assert.Equal([7], Read<int[]>(Convert.FromHexString("00000001" + "00000000" + "00000017" + Dimension + "00000004" + "00000007"), PgTypeId.Int4Array));

        // The labels of an enum in a record.
        byte[] labels = Convert.FromHexString("00000001" + "00000000" + "0001869F" + Dimension + "00000001" + "37");
        Assert.Equal(["7"], new VectorArrayCodec<string>(LabelCodec.Instance).Read(new PgField(labels, PgTypeId.TextArray, PgFormat.Binary)));
    }

    [Theory, Each("{{1},{2,3}}", "{{1,2},{3}}", "{{1,2},{3},{4}}", "{{{1}},{{2},{3}}}", "{{{1},{2}},{{3}}}", "{{1}}}", "{{1},2}", "{1,{2}}")]
    public void RowsOfSeveralLengthsAreNoArray(string text) => Refused<PgArray<int>>(text, PgTypeId.Int4Array);

    [Theory]
    [InlineData("{{1,2,3}}", "1 3")]
    [InlineData("{{1},{2},{3}}", "3 1")]
    [InlineData("{{{1},{2}},{{3},{4}},{{5},{6}}}", "3 2 1")]
    [InlineData("{{{1,2}}}", "1 1 2")]
    public void RowsOfOneLengthAre(string text, string lengths)
    {
        PgArray<int> array = Read<PgArray<int>>(text, PgTypeId.Int4Array);
        Assert.Equal(lengths, string.Join(' ', Enumerable.Range(0, array.Rank).Select(array.GetLength)));
    }

    [Theory, Each("FFFFFFFF", "80000000", "00000001")]
    public void ACountBeyondTheValueIsRefused(string count)
    {
        byte[] value = Convert.FromHexString(count);
        Refused<string>(value, PgTypeId.Int4MultiRange);
        Refused<PgRange<int>[]>(value, PgTypeId.Int4MultiRange);
        Refused<Dictionary<string, string?>>(value, Stranger);
        Refused<Pair>(value, PgTypeId.Record);
        Assert.Throws<PgTypeException>(() => Data.NestedRows.Of(new PgField(value, PgTypeId.Record, PgFormat.Binary), Data.TypeCatalog.Empty));
        Assert.Throws<PgTypeException>(() => Data.RecordWalk.Objects(new PgField(value, PgTypeId.Record, PgFormat.Binary), Data.TypeCatalog.Empty));
    }

    [Fact]
    public void NothingIsReadOfNone()
    {
        byte[] none = new byte[sizeof(int)];
        Assert.Equal("{}", Read<string>(none, PgTypeId.Int4MultiRange));
        Assert.Empty(Read<Dictionary<string, string?>>(none, Stranger));
        Assert.Empty(Data.RecordWalk.Objects(new PgField(none, PgTypeId.Record, PgFormat.Binary), Data.TypeCatalog.Empty));
    }

    [Theory, Each("(7,a)b", "(7,a))", "(7)a)", "(7,a")]
    public void NothingFollowsTheTextOfAComposite(string text)
    {
        Refused<Pair>(text, Stranger);
        Assert.Equal(new Pair(7, "a"), Read<Pair>("(7,a)", Stranger));

        // The composite has a field more than the .NET type.
        Assert.Equal(new Pair(7, "a"), Read<Pair>("(7,a,b)", Stranger));
    }

    [Fact]
    public void NothingFollowsTheLastFieldOfARecord()
    {
        byte[] record = Convert.FromHexString("00000002" + "00000017" + "00000004" + "00000007" + "00000019" + "00000001" + "61");
        Assert.Equal(new Pair(7, "a"), Read<Pair>(record, PgTypeId.Record));
        Refused<Pair>([.. record, 0], PgTypeId.Record);
    }

    [Fact]
    public void NothingFollowsABit()
    {
        Assert.True(Read<bool>(Convert.FromHexString("00000001" + "80"), PgTypeId.Bit));
        Refused<bool>(Convert.FromHexString("00000001" + "80" + "00"), PgTypeId.Bit);
    }

    [Fact]
    public void MoreThan32BitsAreNoVectorOf32()
    {
        PgTypeException refused = Assert.Throws<PgTypeException>(() => Read<BitVector32>(Convert.FromHexString("00000021" + "FFFFFFFF80"), PgTypeId.VarBit));
        Assert.Contains(nameof(PgBits), refused.Message, StringComparison.Ordinal);
        Assert.Equal(-1, Read<BitVector32>(Convert.FromHexString("00000020" + "FFFFFFFF"), PgTypeId.VarBit).Data);
    }

    [Theory]
    [InlineData("08:00:2b:01:02:03:04:05:06", PgTypeId.MacAddr8)]
    [InlineData("08:00:2b:01:02:03:04:05", PgTypeId.MacAddr)]
    [InlineData("08:00:2b:01:02:03", PgTypeId.MacAddr8)]
    [InlineData("08:00:2b:01:02", PgTypeId.MacAddr)]
    [InlineData("08:00:2b:01:02:0g", PgTypeId.MacAddr)]
    [InlineData("08:00:2b:01:02-03", PgTypeId.MacAddr)]
    [InlineData("", Stranger)]
    public void AnAddressHasItsLength(string text, uint typeId)
    {
        Refused<PhysicalAddress>(text, typeId);
        Assert.Equal("08002B010203", Read<PhysicalAddress>("08:00:2b:01:02:03", PgTypeId.MacAddr).ToString());
        Assert.Equal("08002B0102030405", Read<PhysicalAddress>("08:00:2b:01:02:03:04:05", PgTypeId.MacAddr8).ToString());
        Assert.Equal("08002B0102030405", Read<PhysicalAddress>("08:00:2b:01:02:03:04:05", Stranger).ToString());
    }

    [Fact]
    public void AnAddressOfAnotherLengthIsNotPrinted()
    {
        Refused<string>([8, 0, 0x2B, 1, 2], PgTypeId.MacAddr);
        Refused<string>([8, 0, 0x2B, 1, 2, 3], PgTypeId.MacAddr8);
        Assert.Equal("08:00:2b:01:02:03", Read<string>([8, 0, 0x2B, 1, 2, 3], PgTypeId.MacAddr));
    }

    [Theory, Each("+99:99999999", "+", "-", "+05:", "+05:30:", "+0530", "+05:60", "+05:30:60", "+100")]
    public void AZoneThatIsNoneIsNotDropped(string zone)
    {
        Refused<PgTimestamp>($"2024-01-01 00:00:00{zone}", PgTypeId.TimestampTz);
        Refused<PgTimeTz>($"00:00:00{zone}", PgTypeId.TimeTz);
        Assert.Throws<FormatException>(() => PgTimestamp.Parse($"2024-01-01 00:00:00{zone}"));
    }

    [Theory]
    [InlineData("", "2024-01-01 00:00:00")]
    [InlineData("Z", "2024-01-01 00:00:00+00")]
    [InlineData("+05:30", "2023-12-31 18:30:00+00")]
    [InlineData("-03", "2024-01-01 03:00:00+00")]
    [InlineData("-00:01:15 BC", "2024-01-01 00:01:15+00 BC")]
    public void AZoneIsCountedIn(string zone, string moment)
        => Assert.Equal(moment, PgTimestamp.Parse($"2024-01-01 00:00:00{zone}").ToString());

    [Theory, Each(long.MinValue + 1, -PgEpoch.MicrosecondsPerDay, -1L, 0L, 1L, long.MaxValue - 1)]
    public void TheDayAndTheTimeAreTheMoment(long microseconds)
    {
        var moment = new PgTimestamp(microseconds);
        Assert.InRange(moment.TimeOfDay, TimeSpan.Zero, new TimeSpan(TimeSpan.TicksPerDay - 1));
        Assert.Equal((Int128)microseconds, (Int128)moment.Date.Days * PgEpoch.MicrosecondsPerDay + moment.TimeOfDay.Ticks / TimeSpan.TicksPerMicrosecond);
    }

    private static void Refused<T>(string text, uint typeId) => Assert.Throws<PgTypeException>(() => (object?)Read<T>(text, typeId));

    private static void Refused<T>(byte[] value, uint typeId) => Assert.Throws<PgTypeException>(() => (object?)Read<T>(value, typeId));

    private static T Read<T>(string text, uint typeId) => PgCodec.For<T>().Read(new PgField(Encoding.UTF8.GetBytes(text), typeId, PgFormat.Text));

    private static T Read<T>(byte[] value, uint typeId) => PgCodec.For<T>().Read(new PgField(value, typeId, PgFormat.Binary));

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
