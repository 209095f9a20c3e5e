using System.Data.Common;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>Values and types that no true server sends, as the parts that read them get them: they are refused, and cost what they are long.</summary>
public class FalseRecordTests
{
    private const uint Domain = 20_000;

    private enum Size
    {
        Small,
        Large,
    }

    /// <summary>Each record says that all bytes behind it are its fields, and begins with another record.</summary>
    [Theory, Each(PgTypeId.Record, PgTypeId.RecordArray)]
    public void NestedRecordsCannotClaimTheSameBytes(uint innerId)
    {
        const int LengthBytes = 64 * 1024;
        var value = new MessageBuilder().Int32(LengthBytes / 8 - 1).Int32(PgTypeId.Record).Int32(0);
        int usedBytes = 12;
        while (usedBytes < LengthBytes - 40)
        {
            bool isArray = innerId == PgTypeId.RecordArray;
            int restBytes = LengthBytes - usedBytes - 4;
            value.Int32(restBytes / 8).Int32(innerId).Int32(0);
            usedBytes += 12;
            if (isArray)
            {
                value.Int32(1).Int32(0).Int32(PgTypeId.Record).Int32((LengthBytes - usedBytes - 20) / 4).Int32(1).Int32(0);
                usedBytes += 24;
            }
        }

        byte[] bytes = [.. Value(value), .. new byte[LengthBytes - usedBytes]];
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Throws<PgTypeException>(() => RecordWalk.Objects(new PgField(bytes, PgTypeId.Record, PgFormat.Binary), TypeCatalog.Empty));
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 8 * 1024 * 1024);
    }

    /// <summary>The control: nothing but headers, so that each count is the most that its bytes allow.</summary>
    [Fact]
    public void RecordsWithoutASpareByteAreRead()
    {
        byte[] empty = Value(new MessageBuilder().Int32(0));
        byte[] array = Value(new MessageBuilder().Int32(1).Int32(0).Int32(PgTypeId.Record).Int32(2).Int32(1).Value(empty).Int32(-1));
        byte[] inner = Value(new MessageBuilder().Int32(2).Int32(PgTypeId.RecordArray).Value(array).Int32(PgTypeId.Int4).Int32(-1));
        byte[] outer = Value(new MessageBuilder().Int32(3).Int32(PgTypeId.Record).Value(inner).Int32(PgTypeId.Int4).Int32(-1).Int32(PgTypeId.Record).Int32(-1));
        object?[] read = RecordWalk.Objects(new PgField(outer, PgTypeId.Record, PgFormat.Binary), TypeCatalog.Empty);
        Assert.Equal("Object[](Object[](Object[][](Object[](),null),null),null,null)", Answers.Show(read));
    }

    [Theory, Each(1, 2, 5)]
    public void ADomainThatIsBasedOnItselfIsRefused(int length)
    {
        DatabaseType[] circle = [.. Enumerable.Range(0, length).Select(i => DomainOf(Domain + (uint)i, Domain + (uint)((i + 1) % length)))];
        DatabaseType[] above = [.. Enumerable.Range(0, 3).Select(static i => DomainOf(Domain + 100 + (uint)i, i == 0 ? Domain : Domain + 99 + (uint)i))];
        PgProtocolException error = Assert.Throws<PgProtocolException>(() => new TypeCatalog([.. above, .. circle], []));
        Assert.Contains("on itself", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ADomainMayHaveManyBelowIt()
    {
        List<DatabaseType> chain = [.. Enumerable.Range(0, 1000).Select(static i => DomainOf(Domain + (uint)i, i == 0 ? PgTypeId.Int4 : Domain + (uint)i - 1))];
        chain.Reverse();
        Assert.Equal(PgTypeId.Int4, new TypeCatalog(chain, []).PlainOf(Domain + 999));
    }

    [Fact]
    public void TypesThatTheCatalogueLacksAreNotKept()
    {
        const int Count = 10_000;
        var types = new TypeCatalog([DomainOf(Domain, PgTypeId.Int4)], []);
        ColumnReader known = types.ReaderOf(Domain, -1);
        ColumnReader first = types.ReaderOf(Domain + 1, -1);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (uint i = 1; i <= Count; i++)
        {
            if (types.ReaderOf(Domain + i, -1) != first)
            {
                Assert.Fail($"Type {Domain + i} has another reader.");
            }
        }

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, Count);
        Assert.Equal((typeof(string), typeof(int)), (first.Type, known.Type));
        Assert.Same(known, types.ReaderOf(Domain, -1));
    }

    /// <summary>The columns of a statement have changed, and a record came in the format that was asked for another type.</summary>
    [Theory, Each(PgTypeId.Record, PgTypeId.RecordArray)]
    public void ARecordInTextFormHasNoFieldsToRead(uint typeId)
    {
        byte[] text = typeId == PgTypeId.Record ? "(1,2)"u8.ToArray() : "{\"(1,2)\"}"u8.ToArray();
        PgTypeException error = Assert.Throws<PgTypeException>(() => NestedRows.Of(new PgField(text, typeId, PgFormat.Text), TypeCatalog.Empty));
        Assert.Contains("have changed", error.Message, StringComparison.Ordinal);
    }

    /// <summary>The type was altered after it was read, or the server lies.</summary>
    [Fact]
    public void ACompositesFieldBehindItsKnownFieldsHasNoName()
    {
        var types = new TypeCatalog([new DatabaseType(Domain, "public", "pair", DatabaseType.Composite, 0, ["a"], [PgTypeId.Int4])], []);
        byte[] bytes = Value(new MessageBuilder().Int32(2).Int32(PgTypeId.Int4).Value([0, 0, 0, 1]).Int32(PgTypeId.Int4).Value([0, 0, 0, 2]));
        using DbDataReader reader = new PgDbNestedDataReader(NestedRows.Of(new PgField(bytes, Domain, PgFormat.Binary), types), types, depth: 1);
        Assert.True(reader.Read());
        Assert.Equal(("a", "?column?", 1, 2), (reader.GetName(0), reader.GetName(1), reader.GetInt32(0), reader.GetInt32(1)));
    }

    [Theory]
    [InlineData(63, "'xxx")]
    [InlineData(64, "64 bytes")]
    [InlineData(1024 * 1024, "1048576 bytes")]
    public void ATextThatIsNoLabelIsNotRepeatedWhereItIsLong(int lengthBytes, string expected)
    {
        var codec = new EnumCodec<Size>(null);
        byte[] text = [.. Enumerable.Repeat((byte)'x', lengthBytes)];
        PgTypeException error = Assert.Throws<PgTypeException>(() => codec.Read(new PgField(text, Domain, PgFormat.Text)));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
        Assert.InRange(error.Message.Length, 0, 200);
    }

    [Theory]
    [InlineData("SELECT 5", "SELECT", 5)]
    [InlineData("INSERT 0 5", "INSERT", 5)]
    [InlineData("CREATE TABLE", "CREATE TABLE", -1)]
    [InlineData("SELECT -5", "SELECT -5", -1)]
    [InlineData("INSERT 0 -9223372036854775808", "INSERT 0 -9223372036854775808", -1)]
    [InlineData("UPDATE 9223372036854775808", "UPDATE 9223372036854775808", -1)]
    public void ACountOfRowsIsNotNegative(string text, string command, long rowsAffected)
    {
        PgTag tag = PgTag.Read(new MessageBuilder().Text(text).BuildUntyped().AsSpan(4));
        Assert.Equal((command, rowsAffected), (tag.Command, tag.RowsAffected));
    }

    private static DatabaseType DomainOf(uint typeId, uint baseId) => new(typeId, "public", $"d{typeId}", DatabaseType.Domain, baseId, [], []);

    private static byte[] Value(MessageBuilder value) => value.BuildUntyped()[4..];
}
