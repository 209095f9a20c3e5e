using System.Data.Common;
using NpgsqlTypes;

namespace Ioxide.Pg.Tests;

/// <summary>Types that the facade takes and gives as objects: those of extensions and of users, ranges, and their arrays.</summary>
public class FacadeTypesTests() : PairTests(Script)
{
    private const string Script = "drop type if exists mood, pair cascade; drop domain if exists code, amount;" + WireCases.Script;

    [Fact]
    public async Task AnEnumTravelsAsItsValueAndAsItsLabel()
    {
        WireCases.Register();
        await using DataPair pair = await DataPair.OpenAsync<FacadeTypesTests>(
            Fixture, Script, static builder => builder.MapEnum<WireCases.Mood>("mood"));
        foreach (DbConnection connection in pair.Both)
        {
            await using DbDataReader reader = await ReaderAsync(
                connection, "select @m::mood, @m::mood > 'sad', array[@m]::mood[], 'ok'::mood::text", WireCases.Mood.VeryHappy);
            Assert.Equal(WireCases.Mood.VeryHappy, reader.GetFieldValue<WireCases.Mood>(0));
            Assert.Equal(("very_happy", true), (reader.GetString(0), reader.GetBoolean(1)));
            Assert.Equal([WireCases.Mood.VeryHappy], reader.GetFieldValue<WireCases.Mood[]>(2));
            Assert.Equal("ok", reader.GetValue(3));
        }

        Assert.Equal("{sad,ok}", await ScalarAsync(pair.Ours, "select (@m::mood[])::text", (WireCases.Mood[])[WireCases.Mood.Sad, WireCases.Mood.Ok]));
    }

    [Fact]
    public async Task ACompositeTravelsAsItsObject()
    {
        WireCases.Register();
        await using DataPair pair = await DataPair.OpenAsync<FacadeTypesTests>(
            Fixture, Script, static builder => builder.MapComposite<WireCases.Pair>("pair"));
        var value = new WireCases.Pair { Number = 7, Text = "a \"b\", (c) \\" };
        foreach (DbConnection connection in pair.Both)
        {
            await using DbDataReader reader = await ReaderAsync(
                connection, "select @p::pair, (@p::pair).number + 1, array[@p::pair, null, row(null, 'x')::pair]", value);
            Assert.Equal(value, reader.GetFieldValue<WireCases.Pair>(0));
            Assert.Equal(8, reader.GetInt32(1));
            Assert.Equal<WireCases.Pair?[]>([value, null, new WireCases.Pair { Text = "x" }], reader.GetFieldValue<WireCases.Pair?[]>(2));
        }
    }

    [Fact]
    public async Task AnHstoreIsADictionary()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        Assert.SkipUnless(server.HasHstore, "The server has no hstore.");
        var value = new Dictionary<string, string?> { ["a"] = "1", ["b \""] = null, [""] = "=>," };
        foreach (DbConnection connection in Pair.Both)
        {
            await using DbDataReader reader = await ReaderAsync(connection, "select @h::hstore, @h::hstore -> 'a', @h::hstore ? 'b \"'", value);
            Assert.Equal(value, reader.GetFieldValue<Dictionary<string, string?>>(0));
            Assert.Equal(("1", true), (reader.GetString(1), reader.GetBoolean(2)));
        }
    }

    [Fact]
    public async Task RangesTheirArraysAndMultirangesAreObjects()
    {
        var range = new PgRange<int>(1, true, 5, false);
        PgRange<int>[] ranges = [range, PgRange.From(9)];
        Assert.Equal("[1,5)", await ScalarAsync(Pair.Ours, "select @r::text", range));
        Assert.Equal("int4multirange {[1,5),[9,)}", await ScalarAsync(Pair.Ours, "select pg_typeof(@r) || ' ' || @r::text", ranges));
        Assert.Equal("int4range[] {\"[1,5)\",\"[9,)\"}", await ScalarAsync(Pair.Ours, "select pg_typeof(@r) || ' ' || @r::text", ranges.ToList()));
        Assert.Equal("tstzrange (,)", await ScalarAsync(Pair.Ours, "select pg_typeof(r) || ' ' || r from (select @r::tstzrange r) x", PgRange.All<DateTime>()));

        const string sql = "select int4range(1, 5), '{[1,5),[9,)}'::int4multirange, array[int4range(1, 5)], array['{[1,5)}'::int4multirange], numrange(1, 2.5)";
        await using DbDataReader reader = await ReaderAsync(Pair.Ours, sql, null);
        Assert.Equal(range, reader.GetValue(0));
        Assert.Equal(ranges, reader.GetValue(1));
        Assert.Equal([range], Assert.IsType<PgRange<int>[]>(reader.GetValue(2)));
        Assert.Equal([range], reader.GetFieldValue<PgRange<int>[]>(2));
        Assert.Equal([range], reader.GetFieldValue<List<PgRange<int>>>(2));
        Assert.Equal([range], Assert.IsType<PgRange<int>[][]>(reader.GetValue(3))[0]);
        Assert.Equal(typeof(Array), reader.GetFieldType(2));
        Assert.Equal(new PgRange<decimal>(1m, true, 2.5m, false), reader.GetFieldValue<PgRange<decimal>>(4));

        // Npgsql draws the same lines with its own types.
        await using DbDataReader theirs = await ReaderAsync(Pair.Theirs, sql, null);
        Assert.Equal(2, Assert.IsType<NpgsqlRange<int>[]>(theirs.GetValue(1)).Length);
        Assert.Single(Assert.IsType<NpgsqlRange<int>[]>(theirs.GetValue(2)));
        Assert.Equal(typeof(Array), theirs.GetFieldType(2));
    }

    [Fact]
    public async Task ATypeThatNobodyRegisteredIsItsTextAndItsBytesAndARecordIsItsFields()
    {
        await using DbDataReader reader = await ReaderAsync(Pair.Ours, "select 'a fat cat'::tsvector, '(1,2)'::tid, 'ok'::mood, row(1, 'x')", null);
        Assert.Equal(("'a' 'cat' 'fat'", "(1,2)", "ok"), (reader.GetValue(0), reader.GetValue(1), reader.GetValue(2)));
        Assert.Equal("ok"u8, reader.GetFieldValue<byte[]>(2));
        Assert.Equal<object>([1, "x"], Assert.IsType<object[]>(reader.GetValue(3)));
    }

    private static async Task<DbDataReader> ReaderAsync(DbConnection connection, string sql, object? value)
    {
        await using DbCommand command = Command(connection, sql, value);
        DbDataReader reader = await command.ExecuteReaderAsync();
        Assert.True(await reader.ReadAsync());
        return reader;
    }

    private static async Task<object?> ScalarAsync(DbConnection connection, string sql, object? value)
    {
        await using DbCommand command = Command(connection, sql, value);
        return await command.ExecuteScalarAsync();
    }

    private static DbCommand Command(DbConnection connection, string sql, object? value)
    {
        DbCommand command = connection.CreateCommand();
        command.CommandText = sql;
        if (value is not null)
        {
            command.Add(sql[sql.IndexOf('@', StringComparison.Ordinal)..][1..2], value);
        }

        return command;
    }
}
