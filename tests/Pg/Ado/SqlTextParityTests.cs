using System.Data.Common;
using System.Globalization;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>What the facade takes for a parameter: the server answers the same to the text with the value written into it.</summary>
/// <remarks>The seed is printed. A text holds places of a parameter, written §, and much that looks like one and is none.</remarks>
public class SqlTextParityTests(ITestOutputHelper output) : PairTests(configure: TestDatabase.OneReactor)
{
    private const int Rounds = 300;

    // § is a parameter of value 1, as @v or :v; # is a number.
    private static readonly string[] s_pieces =
    [
        "'it''s @v #'", "'@v'||':v #'", @"E'\'@v #'", @"E'\\'||'@v #'", @"e'a\\\':v'", "U&'\\0041 @v #'", "'a'\n':v #'", "E'a'\n'\\'@v'", "E'a'\r\n  '\\':v'",
        "E'a' -- '@v\n '\\'@v'", "'a'\n'\\'||§", "$$@v ' #$$", "$a$ $$ :v $b$ $a$", "$a_1$@v$a_1$", "$ä$@v$ä$", "1 /* @v /* :v */ ' */", "2 -- @v ' $$\n", "§::int", "§::int/*:v*/+#",
        "(array[1,2,3])[1:2]", "(array[1,2,3])[§:2]", "(array[1,2,3])[1: §]", "(array[1,2,3])[§: §]", "int4range(1,#)@>§", "array[1]<@array[§::int]",
        "'{\"a\":1}'::jsonb?'a'", "'{\"a\":1}'::jsonb?|array['a']", "'{\"a\":1}'::jsonb@?'$.a'", "'{\"a\":1}'::jsonb@@'$.a == 1'", "'{\"@v\":1}'::jsonb->'@v'",
        "make_interval(days := 3)", "make_interval(days:=§)", "make_interval(days => §)", "@ -5", "@-@ '[(0,0),(1,1)]'::path", "|/ 4.0", "- §::int", "§ - -§", "§*§", "§<§",
        "1::text::varchar(3)", "'1'::\"int4\"", "§ in (§, 2)", "x'1F'", "B'101'", "b'1'", "N'@v'", "current_date > '1999-01-01'", "'ä @v'", "'@v'::text || §", "case when § = 1 then ':v' end",
        "array[§,§]", "(select a$v from (select # as a$v) q)", "(select \"@v\" from (select # as \"@v\") q)", "(select \"a\"\"@v\" from (select 1 as \"a\"\"@v\") q)", "1.5e3", "1e1", "1.", "#",
        "position('1' in §::text)", "Position /* in */ (§::text in '0' || §)",
    ];

    // Where a backslash escapes in every string, but not in those of bits.
    private static readonly string[] s_escaped =
    [
        @"'\'@v #'", @"'\\'||§", @"'a\'\'@v'", @"E'\'@v'", @"N'\'@v'", "'a'\n'\\'@v'", "'a' --'\n'\\'@v'", "B'101'", @"$$\$$", @"$a$\'$a$||§", "'1'::\"int4\"", "§", @"'\\\'@v'", "'it''s @v'", @"'\'||@v'||§", "#",
    ];

    [Fact]
    public Task TextsMeanWhatTheServerTakesThemFor() => CheckAsync(isConforming: true, s_pieces);

    [Fact]
    public Task TextsMeanWhatTheServerTakesThemForWhereABackslashEscapes() => CheckAsync(isConforming: false, s_escaped);

    [Fact]
    public async Task OneTextFollowsTheSettingOfItsSession()
    {
        foreach (DbConnection connection in Pair.Both)
        {
            foreach (bool isConforming in new[] { true, false, true })
            {
                await SetAsync(connection, isConforming);
                await using DbCommand command = connection.Command(@"select '\', ' || @v, ' -- '");
                DbParameter parameter = command.Add("v", "x");
                Assert.Equal(isConforming ? @"\" : "', x", await command.ExecuteScalarAsync());
            }
        }
    }

    private async Task CheckAsync(bool isConforming, string[] pieces)
    {
        int seed = TestSeed.Next();
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        await using DataPair pair = await DataPair.OpenAsync<SqlTextParityTests>(fixture, "select 1");
        await SetAsync(pair.Ours, isConforming);
        var differences = new List<string>();
        for (int round = 0; round < Rounds; round++)
        {
            // Every piece on its own first, then mixtures of them.
            string[] chosen = round < pieces.Length ? [pieces[round]] : random.GetItems(pieces, random.Next(2, 9));
            string text = $"select format('%s', {string.Join("), format('%s', ", chosen)})"
                .Replace("#", random.Next(1, 1000).ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal);
            string sql = text.Replace("§", random.Next(2) == 0 ? "@v" : ":v", StringComparison.Ordinal);
            try
            {
                PgScriptResult expected = await ((PgDbConnection)pair.Ours).Session.RunScriptAsync(text.Replace("§", "1", StringComparison.Ordinal));
                Assert.Equal(expected.Rows[0], await RowAsync(pair.Ours, sql));
            }
            catch (Exception exception) when (exception is PgException or Xunit.Sdk.XunitException)
            {
                differences.Add($"{sql}: {exception.Message}");
            }
        }

        Assert.Empty(differences);
    }

    private static async Task SetAsync(DbConnection connection, bool isConforming)
    {
        await using DbCommand command = connection.Command($"set standard_conforming_strings = {(isConforming ? "on" : "off")}; set escape_string_warning = off; set backslash_quote = on");
        await command.ExecuteNonQueryAsync();
    }

    private static async Task<string?[]> RowAsync(DbConnection connection, string sql)
    {
        await using DbCommand command = connection.Command(sql);
        command.Parameters.Add(new PgDbParameter("v", 1));
        await using DbDataReader reader = await command.ExecuteReaderAsync().Within(60.Seconds());
        Assert.True(await reader.ReadAsync());
        return [.. Enumerable.Range(0, reader.FieldCount).Select(reader.GetString)];
    }
}
