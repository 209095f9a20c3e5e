using System.Collections;
using System.Data;
using System.Data.Common;
using System.Globalization;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>The facade and Npgsql are asked the same, and say the same: values, .NET types, names, counts.</summary>
public class ParityTests : PairTests
{
    private static readonly int[] s_numbers = [1, 2];
    private static readonly string[] s_texts = ["a", "b"];

    [Theory, Each(
        "select 1 as a, 2::int2 as b, 3::int8 as c, null::int as d",
        "select 1.5::float4, 2.5::float8, 1.10::numeric, 1.10::numeric(10,4), 12.34::money",
        "select true, 'x'::text, 'y'::varchar(10), 'z'::varchar, 'c'::char(5), 'n'::name, 'q'::\"char\"",
        "select '\\x0102'::bytea, '00112233-4455-6677-8899-aabbccddeeff'::uuid",
        "select date '2024-02-29', time '12:34:56.789', timestamp '2024-02-29 12:34:56.789', timestamptz '2024-02-29 12:34:56.789+02'",
        "select timestamp(3) '2024-02-29 12:34:56.789', timestamptz(0) '2024-02-29 12:34:56+00', time(2) '12:34:56.78'",
        "select interval '1 day 2 hours', timetz '12:34:56+02'", "select '{\"a\": 1}'::json, '{\"a\": 1}'::jsonb, '<a/>'::xml",
        "select '10.0.0.1'::inet, '08:00:2b:01:02:03'::macaddr, 17::oid", "select b'1'::bit(1), b'101'::bit(3), b'1011'::varbit",
        "select '{1,2,3}'::int[], '{a,b}'::text[], '{}'::int[], '{{1,2},{3,4}}'::int[], '{1.5}'::numeric[]",
        "select '{2024-01-01}'::date[], '{t,f}'::bool[], array[1,2]::int8[]", "select i, 'row ' || i from generate_series(1, 500) i",
        "select 1 where false", "select 1; select 'two', 2; select 3 where false",
        "create temp table p (x int, y text); insert into p values (1, 'a'), (2, 'b'); update p set x = x + 1 where x > 1; select * from p; delete from p",
        "create temp table q (x int); insert into q values (1), (2) returning x, x + 1 as next",
        "select 1 as \"Upper\", 2 as \"with space\", 3 as äö", "select 1 as case, 2 as \"CASE\"", "select", "set work_mem = '5MB'; show work_mem", "-- nothing",
        "select from generate_series(1, 3)", "select current_setting('server_version_num')::int > 0, 'regclass'::regtype::oid > 0::oid")]
    public async Task AReaderShowsTheSame(string sql)
    {
        string expected = await DescribeAsync(Pair.Theirs, sql);
        Assert.Equal(expected, await DescribeAsync(Pair.Ours, sql));

        // The second time it is prepared, and its columns are known.
        Assert.Equal(await DescribeAsync(Pair.Theirs, Again(sql)), await DescribeAsync(Pair.Ours, Again(sql)));
        Assert.Equal(await DescribeAsync(Pair.Theirs, Again(sql)), await DescribeAsync(Pair.Ours, Again(sql), isAsync: false));
    }

    public static TheoryData<object?, DbType?> Values() => new()
    {
        { 1, null }, { 2L, null }, { (short)3, null }, { (byte)4, null }, { 1.5f, null }, { 2.5, null }, { 3.25m, null }, { true, null },
        { "text", null }, { 'c', null }, { new byte[] { 1, 2 }, null }, { Guid.Empty, null }, { null, DbType.Int32 }, { null, DbType.String },
        { new DateTime(2024, 2, 29, 1, 2, 3, DateTimeKind.Utc), null }, { new DateTime(2024, 2, 29, 1, 2, 3), null },
        { new DateOnly(2024, 2, 29), null }, { new TimeOnly(1, 2, 3), null }, { TimeSpan.FromHours(30), null },
        { new DateTimeOffset(2024, 2, 29, 1, 2, 3, TimeSpan.Zero), null }, { s_numbers, null }, { s_texts, null },
        { new List<long> { 1, 2 }, null }, { new[,] { { 1, 2 }, { 3, 4 } }, null }, { new[,] { { "a", "b" } }, null }, { 5, DbType.Int64 }, { 6, DbType.Decimal }, { "7", DbType.String },
    };

    [Theory, MemberData(nameof(Values))]
    public async Task AParameterArrivesAsTheSame(object? value, DbType? type)
    {
        const string Sql = "select @p as value, pg_typeof(@p)::text as type";
        Assert.Equal(await DescribeAsync(Pair.Theirs, Sql, (value, type)), await DescribeAsync(Pair.Ours, Sql, (value, type)));
    }

    [Theory, Each(
        "select 1/0", "selekt", "select * from not_there", "select 1; select 1/0; select 2",
        "create temp table u (x int unique); insert into u values (1); insert into u values (1)")]
    public async Task AnErrorComesAtTheSamePlace(string sql)
    {
        Assert.Equal(await FailAsync(Pair.Theirs, sql), await FailAsync(Pair.Ours, sql));
        Assert.Equal(1, await Pair.Ours.ScalarAsync("select 1"));
    }

    private static string Again(string sql) => sql.Contains("create temp", StringComparison.Ordinal) ? "select 'once'" : sql;

    /// <summary>Bytes and characters are copied into a part of a buffer: what is copied, and which parts are refused how.</summary>
    [Fact]
    public async Task APartOfABufferIsFilledAsOnNpgsql()
    {
        Assert.Equal(await CopyAsync(Pair.Theirs), await CopyAsync(Pair.Ours));

        static async Task<string> CopyAsync(DbConnection connection)
        {
            await using DbDataReader reader = await connection.FirstRowAsync("select '\\x01020304'::bytea, 'text'");
            var seen = new StringBuilder();
            int[] places = [-1, 0, 1, 3, 4, 5, 6];
            foreach (int from in places)
            {
                foreach (int at in places)
                {
                    foreach (int length in places)
                    {
                        byte[] bytes = new byte[5];
                        char[] chars = ['-', '-', '-', '-', '-'];
                        seen.AppendLine(CultureInfo.InvariantCulture, $"{from} {at} {length}: {Answers.Try(() => $"{reader.GetBytes(0, from, bytes, at, length)} {Convert.ToHexString(bytes)}")}");
                        seen.AppendLine(CultureInfo.InvariantCulture, $"{from} {at} {length}: {Answers.Try(() => $"{reader.GetChars(1, from, chars, at, length)} {new string(chars)}")}");
                    }
                }
            }

            return seen.ToString();
        }
    }

    private static async Task<string> DescribeAsync(
        DbConnection connection, string sql, (object? Value, DbType? Type)? parameter = null, bool isAsync = true)
    {
        await using DbCommand command = Command(connection, sql, parameter);
        await using DbDataReader reader = isAsync ? await command.ExecuteReaderAsync() : command.ExecuteReader();
        var text = new StringBuilder();
        do
        {
            Header(text, reader);
            while (isAsync ? await reader.ReadAsync() : reader.Read())
            {
                Row(text, reader);
            }
        }
        while (isAsync ? await reader.NextResultAsync() : reader.NextResult());
        return text.Append(CultureInfo.InvariantCulture, $"affected {reader.RecordsAffected}").ToString();
    }

    private static DbCommand Command(DbConnection connection, string sql, (object? Value, DbType? Type)? parameter)
    {
        DbCommand command = connection.Command(sql);
        if (parameter is { } given)
        {
            DbParameter made = command.Add("p", given.Value ?? DBNull.Value);
            if (given.Type is { } type)
            {
                made.DbType = type;
            }
        }

        return command;
    }

    private static void Header(StringBuilder text, DbDataReader reader)
    {
        text.Append(CultureInfo.InvariantCulture, $"result {reader.FieldCount} {reader.HasRows}\n");
        for (int i = 0; i < reader.FieldCount; i++)
        {
            text.Append(CultureInfo.InvariantCulture, $"  {reader.GetName(i)} {reader.GetDataTypeName(i)} {reader.GetFieldType(i).Name} {reader.GetOrdinal(reader.GetName(i).ToUpperInvariant())}\n");
        }
    }

    private static void Row(StringBuilder text, DbDataReader reader)
    {
        for (int i = 0; i < reader.FieldCount; i++)
        {
            object value = reader.GetValue(i);
            text.Append(CultureInfo.InvariantCulture, $"  {reader.IsDBNull(i)} {value.GetType().Name} {Show(value)}\n");
        }
    }

    private static string Show(object value) => value switch
    {
        DateTime time => $"{time:O}",
        DateTimeOffset time => $"{time:O}",
        string text => text,
        IEnumerable list => "[" + string.Join(", ", list.Cast<object?>().Select(static item => item is null ? "null" : Show(item))) + "]",
        _ => string.Create(CultureInfo.InvariantCulture, $"{value}"),
    };

    private static async Task<string> FailAsync(DbConnection connection, string sql)
    {
        int results = 0;
        try
        {
            await using DbCommand command = Command(connection, sql, null);
            await using DbDataReader reader = await command.ExecuteReaderAsync();
            do
            {
                results++;
            }
            while (await reader.NextResultAsync());
            return $"no error after {results}";
        }
        catch (DbException error)
        {
            return $"{error.SqlState} after {results}";
        }
    }
}
