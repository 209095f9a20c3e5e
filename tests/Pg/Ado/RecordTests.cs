using System.Data;
using System.Data.Common;
using static Ioxide.Pg.Tests.Answers;

namespace Ioxide.Pg.Tests;

/// <summary>Records and composites that no type is mapped to, as objects and as nested readers: the facade gives what Npgsql gives.</summary>
public class RecordTests() : PairTests(Script)
{
    private const string Script =
        """
        drop type if exists feeling, couple, house cascade;
        drop domain if exists positive;
        create type feeling as enum ('sad', 'ok');
        create domain positive as int4 check (value > 0);
        create type couple as (number int4, text text, felt feeling);
        create type house as (name text, owner couple, age positive);
        """;

    [Theory, Each(
        "row(1, 'a', null)", "row()", "row(row(1, 'b'::text), '{1,2}'::int4[], row(row(null)))", "array[row(1, 'a'::text), row(2, null)]",
        "'{}'::record[]", "null::record", "row(array[row(1), null])", "row('ok'::feeling, '{sad,ok}'::feeling[], null::feeling)",
        "row(1.5::numeric, '1 day'::interval, timestamptz '2024-02-29 01:02:03Z', date '2024-02-29', '{1.5,2}'::numeric[], true, '\\x01'::bytea)",
        "row('{\"a\": 1}'::jsonb, '{\"a\": 1}'::json, 'x'::varchar(5), 'c'::char(2), 'q'::\"char\", '<a/>'::xml, 7::positive)",
        "p from (select 1 as a, 'x'::text as b) p")]
    public async Task ARecordIsTheObjectsOfItsFields(string column)
    {
        string[] theirs = await AskAsync(Pair.Theirs, column);
        string[] ours = await AskAsync(Pair.Ours, column);
        Assert.Equal(theirs, ours);
        Assert.DoesNotContain("Exception", ours[0], StringComparison.Ordinal);

        static async Task<string[]> AskAsync(DbConnection connection, string column)
        {
            await using DbDataReader reader = await connection.FirstRowAsync($"select {column}");
            return
            [
                Try(() => reader.GetValue(0)), Try(() => reader.GetFieldType(0)), Try(() => reader.GetDataTypeName(0)), Try(() => reader.GetString(0)),
                Try(() => reader.GetFieldValue<string>(0)), Try(() => reader.GetInt32(0)), Try(() => reader.IsDBNull(0)),
                column.StartsWith("array", StringComparison.Ordinal) || column.StartsWith('\'')
                    ? Try(() => reader.GetFieldValue<object[][]>(0)) : Try(() => reader.GetFieldValue<object[]>(0)),
            ];
        }
    }

    [Theory, Each(
        "row(1, 'a', null)", "row()",
        "row(1, row(2, 't'::text), array[row(3, 'u'::text)], row(4, row(5)), 'ok'::feeling, '{sad}'::feeling[], 1.7, '{1,2}'::int4[])",
        "row(7, 'seven', 'sad')::couple", "row(null, null, null)::couple", "array[row(1, 'x', 'ok')::couple, row(2, 'y \"(,)', null)::couple]",
        "array[row(1, 'a'::text), row(2, null), row(3, 'c', 5)]", "array[row(1, 'x', 'ok')::couple, null]", "'{}'::couple[]",
        "array[array[row(1)], array[row(2)]]", "array[array[row(1, 'x', 'ok')::couple], array[row(2, 'x', 'ok')::couple]]", "null::couple",
        "null::record", "1", "'{1}'::int4[]", "'ok'::feeling", "null::text")]
    public async Task ANestedReaderGivesTheFields(string column)
    {
        Assert.Equal(await AskAsync(Pair.Theirs, column), await AskAsync(Pair.Ours, column));

        static async Task<List<string>> AskAsync(DbConnection connection, string column)
        {
            var answers = new List<string>();
            await using DbDataReader reader = await connection.FirstRowAsync($"select {column}");
            try
            {
                Walk(reader.GetData(0), answers);
            }
            catch (Exception refused)
            {
                answers.Add(refused.GetType().Name);
            }

            return answers;
        }
    }

    [Fact]
    public async Task AnHstoreInARecordIsADictionary()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        Assert.SkipUnless(server.HasHstore, "The server has no hstore.");
        await using DataPair pair = await DataPair.OpenAsync<RecordTests>(Fixture, Script + "create extension if not exists hstore;");
        foreach (DbConnection connection in pair.Both)
        {
            await using DbDataReader reader = await connection.FirstRowAsync("select row(1, 'a=>1,b=>NULL'::hstore, ''::hstore, null::hstore, array['c=>3'::hstore])");
            Assert.Equal("Object[](1,Dictionary`2([a, 1],[b, ]),Dictionary`2(),null,Dictionary`2[](Dictionary`2([c, 3])))", Show(reader.GetValue(0)));
            DbDataReader nested = reader.GetData(0);
            Assert.True(nested.Read());
            Assert.Equal("Dictionary`2([a, 1],[b, ])", Show(nested.GetFieldValue<Dictionary<string, string?>>(1)));
        }
    }

    [Fact]
    public async Task ACompositeInACompositeIsReadByAReaderInAReader()
    {
        // Npgsql's reader refuses every row that has a composite or a domain in it, even where only other fields are read.
        await using DbDataReader reader = await Pair.Ours.FirstRowAsync(
            "select row('h', row(7, 'seven', 'sad'), 3)::house, row(row('g', row(8, null, 'ok'), 4)::house, array[row(9, '', null)::couple])");
        DbDataReader house = reader.GetData(0);
        Assert.True(await house.ReadAsync());
        Assert.Equal(("h", "(7,seven,sad)", 3, 3L), (house["name"], house["owner"], house["age"], house.GetInt64(2)));
        using (DbDataReader owner = house.GetData(1))
        {
            Assert.True(owner.Read());
            Assert.Equal((7, "seven", "sad", 2), (owner["number"], owner["text"], owner["felt"], owner.Depth));
        }

        DbDataReader record = reader.GetData(1);
        Assert.True(house.IsClosed);
        Assert.True(record.Read());
        Assert.Throws<InvalidCastException>(() => record.GetValue(0));
        DbDataReader inner = record.GetData(0);
        Assert.True(inner.Read());
        Assert.Equal(("g", 4, (short)4), (inner.GetString(0), inner.GetValue(2), inner.GetInt16(2)));
        DbDataReader innermost = inner.GetData(1);
        Assert.True(innermost.Read());
        Assert.Equal((8, true, "ok", 3), (innermost.GetFieldValue<int>(0), innermost.IsDBNull(1), innermost.GetString(2), innermost.Depth));
        DbDataReader couples = record.GetData(1);
        Assert.True(couples.Read());
        Assert.Equal((9, "", true), (couples.GetInt32(0), couples.GetString(1), couples.IsDBNull(2)));
    }

    [Fact]
    public async Task ANestedReaderConvertsAndRefusesAsItsReaderDoes()
    {
        const string sql = "select row(7, 300, 1.7::numeric, 2.5::float8, 'text'::text, true, '00112233-4455-6677-8899-aabbccddeeff'::uuid, null::int4)";
        var answers = new List<List<string>>();
        foreach (DbConnection connection in Pair.Both)
        {
            await using DbDataReader reader = await connection.FirstRowAsync(sql);
            DbDataReader nested = reader.GetData(0);
            var given = new List<string>
            {
                Try(() => nested.GetValue(0)), Try(() => nested.GetName(0)), Try(() => nested.FieldCount), Try(() => nested.Depth), Try(() => nested.HasRows),
            };
            Assert.True(nested.Read());
            for (int ordinal = -1; ordinal < 9; ordinal++)
            {
                int i = ordinal;
                given.AddRange(
                [
                    Try(() => nested.GetByte(i)), Try(() => nested.GetInt16(i)), Try(() => nested.GetInt32(i)), Try(() => nested.GetInt64(i)),
                    Try(() => nested.GetFloat(i)), Try(() => nested.GetDouble(i)), Try(() => nested.GetDecimal(i)), Try(() => nested.GetBoolean(i)),
                    Try(() => nested.GetGuid(i)), Try(() => nested.GetString(i)), Try(() => nested.GetChar(i)), Try(() => nested.GetDateTime(i)),
                    Try(() => nested.GetChars(i, 0, null, 0, 0)), Try(() => nested.GetBytes(i, 0, null, 0, 0)), Try(() => nested.GetTextReader(i).ReadToEnd()),
                    Try(() => nested.GetFieldValue<int>(i)), Try(() => nested.GetFieldValue<int?>(i)), Try(() => nested.GetFieldValue<object>(i)),
                    Try(() => nested.GetFieldValue<string>(i)), Try(() => nested.GetFieldValue<long>(i)), Try(() => nested.GetData(i)),
                ]);
            }

            given.AddRange([Try(() => nested["x"]), Try(() => nested.GetOrdinal("x")), Try(() => nested.GetSchemaTable()), Try(() => nested.RecordsAffected)]);
            given.Add(Try(() => nested.GetValues(new object[3])));
            given.AddRange([Try(() => nested.HasRows), Try(() => nested.NextResult()), Try(() => nested.HasRows)]);
            nested.Close();
            given.AddRange([Try(() => nested.IsClosed), Try(() => nested.Read()), Try(() => nested.FieldCount), Try(() => nested.GetValue(0)), Try(() => nested.HasRows)]);
            answers.Add(given);
        }

        // A nested reader of Npgsql reads no double as a float; its reader does not either.
        Assert.Equal(answers[0], answers[1]);
    }

    [Fact]
    public async Task ANestedReaderCopiesBytesAsItsReaderDoes()
    {
        var answers = new List<List<string>>();
        foreach (DbConnection connection in Pair.Both)
        {
            await using DbDataReader reader = await connection.FirstRowAsync(@"select row('\x010203'::bytea)");
            using DbDataReader nested = reader.GetData(0);
            Assert.True(nested.Read());
            var given = new List<string>();
            foreach (int offset in (int[])[0, 1, 2, 3, 4, 100])
            {
                byte[] buffer = new byte[4];
                given.Add($"{offset}: {Try(() => nested.GetBytes(0, offset, buffer, 1, 2))} {Convert.ToHexString(buffer)}");
            }

            answers.Add(given);
        }

        Assert.Equal(answers[0], answers[1]);
    }

    [Fact]
    public Task ANestedReaderEndsWithItsRow() => DataPair.EachAsync<RecordTests>(Script, async connection =>
    {
        await using DbDataReader reader = await connection.FirstRowAsync("select row(n, row(n)), row(-n) from generate_series(1, 2) n");
        DbDataReader first = reader.GetData(0);
        Assert.True(first.Read());
        DbDataReader inner = first.GetData(1);
        DbDataReader second = reader.GetData(1);
        Assert.True(first.IsClosed);
        Assert.True(inner.IsClosed);
        Assert.False(second.IsClosed);
        Assert.True(await reader.ReadAsync());
        Assert.True(second.IsClosed);
        Assert.Throws<InvalidOperationException>(() => second.Read());
        using DbDataReader last = reader.GetData(0);
        Assert.True(last.Read());
        Assert.Equal(2, last.GetInt32(0));
        Assert.False(last.Read());
        Assert.False(last.NextResult());
        Assert.False(await reader.ReadAsync());
    });

    [Fact]
    public async Task ASequentialReaderGivesRecordsOfAnyLength()
    {
        foreach (DbConnection connection in Pair.Both)
        {
            await using DbCommand command = connection.Command("select row(n, repeat('x', 100000 * n)), n, row(n, repeat('y', 100000), 'ok')::couple from generate_series(1, 2) n");
            await using DbDataReader reader = await command.ExecuteReaderAsync(CommandBehavior.SequentialAccess);
            for (int n = 1; await reader.ReadAsync(); n++)
            {
                Assert.Equal(100_000 * n, Assert.IsType<string>(Assert.IsType<object[]>(reader.GetValue(0))[1]).Length);
                Assert.Equal(n, reader.GetInt32(1));
                if (connection == Pair.Theirs)
                {
                    // Meant: the facade assembles the value, as it does for GetValue.
                    Assert.Throws<NotSupportedException>(() => reader.GetData(2));
                    continue;
                }

                DbDataReader couple = reader.GetData(2);
                Assert.True(couple.Read());
                Assert.Equal((n, 100_000, "ok"), (couple.GetInt32(0), couple.GetString(1).Length, couple.GetString(2)));
            }
        }
    }

    [Fact]
    public async Task RowsOfTheNativeInterfaceHaveARecordAsText()
    {
        // The control: one text, on the same connections, through both interfaces.
        await using PgDataSource source = await Databases.OpenAsync<RecordTests>(Fixture);
        const string sql = "select row(1, 'x'), '1 2'::int2vector";
        await using DbConnection connection = await source.AsDbDataSource().OpenConnectionAsync();
        for (int i = 0; i < 3; i++)
        {
            await using DbDataReader reader = await connection.FirstRowAsync(sql);
            Assert.Equal("Object[](1,x)", Show(reader.GetValue(0)));
            Assert.Equal("(1,x)", await source.Query(source.Statement(sql)).ScalarAsync<string>());
        }
    }

    private static void Walk(DbDataReader reader, List<string> answers)
    {
        answers.Add($"rows {reader.HasRows} depth {reader.Depth}");
        while (reader.Read())
        {
            answers.Add($"{reader.FieldCount} fields");
            for (int i = 0; i < reader.FieldCount; i++)
            {
                int field = i;
                answers.Add(
                    $"{reader.GetName(i)} {reader.GetDataTypeName(i)} {reader.GetFieldType(i).Name} {reader.IsDBNull(i)} {Show(reader.GetValue(i))} "
                    + $"{Try(() => reader.GetOrdinal(reader.GetName(field)))} {Try(() => reader.GetOrdinal("NUMBER"))}");
            }
        }

        answers.Add($"end {reader.NextResult()} {reader.IsClosed}");
    }
}
