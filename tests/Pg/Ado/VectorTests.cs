using System.Data.Common;
using Ioxide.Pg.Data;
using static Ioxide.Pg.Tests.Answers;

namespace Ioxide.Pg.Tests;

/// <summary>The vectors of the catalogue, int2vector and oidvector, are arrays of their numbers, as on Npgsql.</summary>
public class VectorTests : PairTests
{
    [Theory, Each(
        "'1 2 -3'::int2vector", "''::int2vector", "null::int2vector", "'1 2 4294967295'::oidvector", "''::oidvector",
        "array['1 2'::int2vector, '', null]", "array['1 2'::oidvector]", "row('1 2'::int2vector, '3'::oidvector)",
        "(select indkey from pg_index where indexrelid = 'pg_class_oid_index'::regclass)",
        "(select proargtypes from pg_proc where oid = 'int4pl'::regproc)")]
    public async Task AVectorIsAnArray(string column)
    {
        var answers = new List<string[]>();
        foreach (DbConnection connection in Pair.Both)
        {
            await using DbDataReader reader = await connection.FirstRowAsync($"select {column}");
            answers.Add(
            [
                Try(() => reader.GetValue(0)), Try(() => reader.GetFieldType(0)), Try(() => reader.GetDataTypeName(0)), Try(() => reader.GetString(0)),
                Try(() => reader.GetFieldValue<short[]>(0)), Try(() => reader.GetFieldValue<uint[]>(0)), Try(() => reader.GetFieldValue<int[]>(0)),
                Try(() => reader.GetFieldValue<string>(0)), Try(() => reader.GetFieldValue<short[][]>(0)), Try(() => reader.GetFieldValue<char[]>(0)),
                Try(() => reader.GetFieldValue<byte[]>(0)), Try(() => reader.GetTextReader(0)), Try(() => reader.GetInt32(0)),
            ]);
        }

        Assert.Equal(answers[0], answers[1]);
        Assert.DoesNotContain("Exception", answers[1][0], StringComparison.Ordinal);
    }

    [Fact]
    public async Task ArraysAreSentAsVectors()
    {
        (object Value, string Type, string? Expected)[] cases =
        [
            (new short[] { 1, -2 }, "int2vector", "int2vector 1 -2"),
            (new uint[] { 1, uint.MaxValue }, "oidvector", "oidvector 1 4294967295"), (new[] { 1, 2 }, "int2vector", null), (1, "int2vector", null),
            (new short[] { 1 }, "oidvector", null), (new[] { "1" }, "oidvector", null),
        ];
        foreach (DbConnection connection in Pair.Both)
        {
            foreach ((object value, string type, string? expected) in cases)
            {
                if (expected is null)
                {
                    await Assert.ThrowsAnyAsync<InvalidCastException>(() => DataPair.TypeAndTextAsync(connection, value, type));
                }
                else
                {
                    Assert.Equal(expected, await DataPair.TypeAndTextAsync(connection, value, type));
                }
            }
        }

        // Beyond Npgsql: vectors without numbers, lists, and arrays of vectors.
        Assert.Equal("int2vector ", await DataPair.TypeAndTextAsync(Pair.Ours, Array.Empty<short>(), "int2vector"));
        Assert.Equal("int2vector 3", await DataPair.TypeAndTextAsync(Pair.Ours, new List<short> { 3 }, "int2vector"));
        Assert.Equal("int2vector[] {\"1 2\",3}", await DataPair.TypeAndTextAsync(Pair.Ours, new short[][] { [1, 2], [3] }, "int2vector[]"));
        await using DbCommand command = Pair.Ours.Command("select @a");
        command.Parameters.Add(new PgDbParameter("a", PgDbType.OidVector, new uint[] { 7, 8 }));
        Assert.Equal("UInt32[](7,8)", Show(await command.ExecuteScalarAsync()));
    }
}
