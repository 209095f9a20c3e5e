using System.Data.Common;
using System.Text;
using Npgsql;
using static Ioxide.Pg.Tests.Answers;

namespace Ioxide.Pg.Tests;

/// <summary>What a session says of the look of text changes what the facade reads exactly where it changes what Npgsql reads.</summary>
/// <remarks>
/// Every column is read by every getter under each group of settings, on both drivers; after SET also at its second use, and prepared. A difference
/// that has nothing to do with the settings, because it is there without any, is <see cref="ReadMatrixTests"/>'s.
/// Takes 10 s: every getter reads every column under each group of settings.
/// </remarks>
[Once]
public class SessionTextTests : PairTests
{
    private const string Set = "SET";
    private const string Options = "Options";
    private const string Database = "ALTER DATABASE";
    private const string Role = "ALTER ROLE";

    private static readonly string[][] s_settings =
    [
        ["timezone=Europe/Berlin", "datestyle=German,DMY", "intervalstyle=iso_8601", "extra_float_digits=0", "bytea_output=escape"],
        ["timezone=America/St_Johns", "datestyle=SQL,DMY", "intervalstyle=sql_standard", "extra_float_digits=-15", "bytea_output=hex"],
        ["timezone=Asia/Tokyo", "datestyle=Postgres,MDY", "intervalstyle=postgres_verbose", "extra_float_digits=1", "bytea_output=escape"],
        ["timezone=UTC", "datestyle=ISO,YMD", "intervalstyle=postgres", "extra_float_digits=3", "bytea_output=hex"],
    ];

    private static readonly string[] s_values =
    [
        "date '2024-02-03'", "date '0044-03-15 BC'", "date 'infinity'", "time '04:05:06.5'", "time '24:00'", "timetz '04:05:06+02'",
        "timestamp '2024-02-03 04:05:06.5'", "timestamp '-infinity'", "timestamptz '2024-02-03 04:05:06.5+00'", "timestamptz '1800-01-01 00:00+00'",
        "interval '1 day 02:03:04'", "interval '-1 day -02:03:04'", "interval '1 year -2 months'", "interval '-00:00:01'",
        "0.1::float4", "0.1::float8", "1e22::float8", "3.14159274::float4", "2.718281828459045::float8",
        "'\\x00ff5c27'::bytea", "12.34::money", "1.50::numeric",
        "'text'::text", "'q'::\"char\"", "E'\\\\377'::\"char\"", "'n'::name", "'<a/>'::xml", "'{\"a\": 1}'::json", "'{\"a\": 1}'::jsonb",
        "'pg_class'::regclass", "'int4'::regtype", "'now'::regproc", "17::oid", "'{2024-02-03}'::date[]", "'{04:05:06}'::time[]",
        "'{2024-02-03 04:05:06}'::timestamp[]", "'{2024-02-03 04:05:06+00}'::timestamptz[]", "'{1 day 02:03:04}'::interval[]", "'{0.1}'::float8[]",
        "array['\\x00ff'::bytea]", "'{a,NULL}'::text[]", "'[2024-02-03,2024-03-04)'::daterange", "'[2024-02-03 04:05,2024-03-04 05:06)'::tsrange",
        "'[2024-02-03 04:05+00,2024-03-04 05:06+00)'::tstzrange", "'{[2024-02-03,2024-03-04)}'::datemultirange", "'(0.1,0.2)'::point",
        "'10.0.0.1'::inet", "b'101'::bit(3)",
        "row(date '2024-02-03', 0.1::float8, timestamptz '2024-02-03 04:05:06+00', interval '1 day')",
    ];

    private static readonly (string Name, Func<DbDataReader, object?> Get)[] s_getters =
    [
        ("GetValue", r => r.GetValue(0)), ("GetString", r => r.GetString(0)), ("GetTextReader", r => r.GetTextReader(0).ReadToEnd()),
        ("GetDateTime", r => r.GetDateTime(0)), ("GetDouble", r => r.GetDouble(0)), ("GetDecimal", r => r.GetDecimal(0)),
        As<object>(), As<string>(), As<char[]>(), As<DateTime>(), As<DateTimeOffset>(), As<DateOnly>(), As<TimeOnly>(), As<TimeSpan>(),
        As<float>(), As<double>(),
        As<byte[]>(), As<uint>(), As<DateTime[]>(), As<DateTimeOffset[]>(), As<DateOnly[]>(), As<TimeSpan[]>(), As<double[]>(), As<string[]>(),
        As<List<DateTime>>(), As<byte[][]>(),
    ];

    private static readonly string[] s_columns = [.. Of("v"), .. Of("v::text"), .. Of("to_json(v)"), .. Of("array[v::text]")];

    [Theory, Each(Set, Options, Database, Role)]
    public async Task SettingsChangeWhatTheyChangeOnNpgsql(string way)
    {
        string database = (string)(await Pair.Theirs.Command("select current_database()::text").ExecuteScalarAsync())!; // Never NULL.
        Dictionary<string, (string[] Ours, string[] Theirs)> plain = [];
        foreach (string column in s_columns)
        {
            plain[column] = (await AskAsync(Pair.Ours, column), await AskAsync(Pair.Theirs, column));
        }

        var differences = new StringBuilder();
        int changed = 0;
        foreach (string[] settings in s_settings)
        {
            string[] sets = Array.ConvertAll(settings, static setting => $"set {setting.Replace("=", " = '", StringComparison.Ordinal)}'");
            string options = string.Concat(settings.Select(static setting => $" -c {setting}"));
            string scope = way == Role ? $"alter role {PgUsers.Trust} in database \"{database}\"" : $"alter database \"{database}\"";
            await Pair.RunAsync(way is Role or Database ? string.Concat(sets.Select(set => $"{scope} {set};")) : "select 1");
            await using DbConnection? ours = way == Set ? null : await OursAsync(Fixture, way == Options ? $"Options='{options}'" : "");
            await using DbConnection? theirs = way == Set ? null : await TheirsAsync(database, way == Options ? $";Options='{options}'" : "");
            await Pair.RunAsync(way is Role or Database ? $"{scope} reset all" : "select 1");
            foreach (string set in way == Set ? sets : [])
            {
                await RunAsync(Pair.Ours, set);
                await RunAsync(Pair.Theirs, set);
            }

            changed += await CompareAsync(ours ?? Pair.Ours, theirs ?? Pair.Theirs, way == Set ? 3 : 1, plain, differences);
        }

        Assert.True(differences.Length == 0, differences.ToString());
        Assert.InRange(changed, 500, int.MaxValue);
    }

    [Fact]
    public async Task TheOrderOfADatesLiteralIsThatOfTheDatabase()
    {
        string database = (string)(await Pair.Theirs.Command("select current_database()::text").ExecuteScalarAsync())!; // Never NULL.
        await Pair.RunAsync($"alter database \"{database}\" set datestyle = 'SQL, DMY'");
        await using DbConnection ours = await OursAsync(Fixture, "");
        await using DbConnection theirs = await TheirsAsync(database, "");
        await Pair.RunAsync($"alter database \"{database}\" reset all");
        foreach (DbConnection connection in new[] { theirs, ours })
        {
            Assert.Equal("2024-03-02", await connection.ScalarAsync("select to_char('02/03/2024'::date, 'YYYY-MM-DD')"));
        }
    }

    private static async Task<int> CompareAsync(
        DbConnection ours, DbConnection theirs, int uses, Dictionary<string, (string[] Ours, string[] Theirs)> plain, StringBuilder differences)
    {
        int changed = 0;
        foreach ((string column, (string[] ourPlain, string[] theirPlain)) in plain)
        {
            for (int use = 1; use <= uses; use++)
            {
                string[] our = await AskAsync(ours, column, isPrepared: use == 3);
                string[] their = await AskAsync(theirs, column, isPrepared: use == 3);
                for (int i = 0; i < our.Length; i++)
                {
                    changed += their[i] == theirPlain[i] ? 0 : 1;
                    if (our[i] != their[i] && (our[i] != ourPlain[i] || their[i] != theirPlain[i]))
                    {
                        differences.AppendLine(
                            $"{column}, use {use}, {NameOf(i)}: Npgsql {their[i]} (plain {theirPlain[i]}), facade {our[i]} (plain {ourPlain[i]})");
                    }
                }
            }
        }

        return changed;
    }

    private static async Task<DbConnection> OursAsync(PgFixture fixture, string settings)
        => await (await Databases.OpenAsync<SessionTextTests>(fixture, settings)).AsDbDataSource().OpenConnectionAsync();

    private static async Task<DbConnection> TheirsAsync(string database, string settings)
    {
        var connection = new NpgsqlConnection(Databases.ForNpgsql(await PostgresServer.SharedAsync(), database) + settings);
        await connection.OpenAsync();
        return connection;
    }

    // Not a constant, whose text would be made once, with a plan that the server keeps.
    private static IEnumerable<string> Of(string expression)
        => s_values.Select(value => $"{expression} from (select {value} as v from generate_series(1, {s_getters.Length}) offset 0) as t");

    private static string NameOf(int i) => i < s_getters.Length ? s_getters[i].Name : "ExecuteScalar";

    private static async Task RunAsync(DbConnection connection, string text)
    {
        await connection.NonQueryAsync(text);
    }

    private static async Task<string[]> AskAsync(DbConnection connection, string column, bool isPrepared = false)
    {
        await using DbCommand command = connection.Command($"select {column}");
        if (isPrepared)
        {
            await command.PrepareAsync();
        }

        string[] answers = new string[s_getters.Length + 1];
        await using (DbDataReader reader = await command.ExecuteReaderAsync())
        {
            for (int i = 0; i < s_getters.Length; i++)
            {
                Assert.True(await reader.ReadAsync());
                answers[i] = Try(() => s_getters[i].Get(reader));
            }
        }

        command.CommandText += " limit 1";
        answers[^1] = Try(command.ExecuteScalar);
        return answers;
    }

    private static (string, Func<DbDataReader, object?>) As<T>() => ($"GetFieldValue<{typeof(T).Name}>", static reader => reader.GetFieldValue<T>(0));
}
