using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>
/// What a text may do to its session is read from the text alone. What is common and harmless is known to be; what is not known counts as a
/// change.
/// </summary>
public class SessionScanTests
{
    [Theory, Each(
        "select 1", "  /* select pg_advisory_lock(1) */ select 'set_config(' -- listen", "select $a$ f(1) $b$ g(2) $a$, $$x$$, E'a\\'b(', \"f(\"",
        "select E'a' -- a comment\n'\\'', 'b'", "(select 1) union all (select count(*) from t where (a, b) in (select 1, 2))",
        "select t.a, lower(b), row_number() over (partition by c order by d) from s.t as t(a, b) where a = any($1) and exists (select 1)",
        "select coalesce(a, b)::numeric(10, 2), x::vector(3), cast(y as varchar(20)), extract(year from z) from generate_series(1, 3) g(x)",
        "select sum(a) filter (where b) from t group by grouping sets ((a), (b))",
        "with a(x) as (select 1), b(y) as materialized (select 2), c as (select 3) select * from a, b, c",
        "select set_config('a', $1, true), pg_catalog.set_config(lower('b'), concat('x', 'y'), TRUE)",
        "begin; set local a = 1; set transaction read only; savepoint s; release s; commit",
        "declare c cursor without hold for select 1; fetch 10 from c; close c",
        "select \"upper\"('a'), PG_CATALOG.Upper('b'), jsonb_build_object('k', json_agg(x)) from t", "", ";;")]
    public void WhatIsKnownToBeHarmlessHasNoEffect(string sql) => Assert.Equal(SessionEffect.None, EffectOf(sql));

    [Theory, Each(
        "insert into s.t (a, b) values ($1, $2), (3, 4) on conflict (a) do update set b = excluded.b returning a",
        "with d as (delete from t returning a) select * from d", "update t set a = upper('x') where a in (1)",
        "merge into t using s on (t.a = s.a) when matched then delete")]
    public void WhatWritesRunsTriggersAndMayWait(string sql) => Assert.Equal(SessionEffect.Touches | SessionEffect.Waits, EffectOf(sql));

    [Theory, Each(
        "select f(1)", "select a, f (1) from t", "select s.lower('a')", "select \"Lower\"('a')", "select 1, f(2) as x",
        "select * from generate_series(1, 2) as a(b), f(1) as (x int)", "insert into t select f(1)", "select 1 into x", "select * from pg_temp.x",
        "do $$ begin end $$", "call p()", "execute p", "alter table t add a int", "create table t (temp int)", "select 'no end", "select 1 /* no end",
        "\"select\" 1")]
    public void WhatIsNotKnownMayChangeTheSession(string sql)
    {
        SessionEffect effect = EffectOf(sql);
        Assert.Equal(SessionEffect.Unknown, effect & SessionEffect.Unknown);
        Assert.Equal(SessionEffect.None, effect & SessionEffect.Belongs);
    }

    [Theory, Each(
        "set \"app.x\" = 1", "set session characteristics as transaction read only", "select 1; set a = 1", "create temp table x as select 1",
        "declare c cursor with hold for select 1", "prepare transaction 'x'", "select lastval()")]
    public void WhatIsForTheSessionAloneIsKnown(string sql) => Assert.Equal(SessionEffect.ForSession, EffectOf(sql) & SessionEffect.ForSession);

    [Theory]
    [InlineData("discard all", true)]
    [InlineData("select 1; deallocate prepare all", true)]
    [InlineData("deallocate all", true)]
    [InlineData("deallocate x", false)]
    [InlineData("discard plans", false)]
    public void WhatForgetsStatementsIsKnown(string sql, bool forgets)
        => Assert.Equal(forgets, (EffectOf(sql) & SessionEffect.ForgetsStatements) != 0);

    [Theory]
    [InlineData("prepare x as select 1", true)]
    [InlineData("select 1; prepare \"x y\" (int) as select $1", true)]
    [InlineData("prepare transaction 'x'", false)]
    [InlineData("deallocate prepare x", false)]
    public void WhatPreparesAStatementIsKnown(string sql, bool prepares) => Assert.Equal(prepares, (EffectOf(sql) & SessionEffect.Prepares) != 0);

    [Theory, Each(
        "select set_config('a', 'true', false)", "select set_config('a', $1, $2)", "select set_config('a', 'b', not true)",
        "select set_config('a', (select f, true), x)")]
    public void ASettingThatMayOutliveTheTransactionIsAChange(string sql)
        => Assert.NotEqual(SessionEffect.None, EffectOf(sql) & SessionEffect.Changes);

    [Theory]
    [InlineData("-- c\n/* d */ ( SELECT 1)", "SELECT")]
    [InlineData(";; begin", "BEGIN")]
    [InlineData("$1", "")]
    [InlineData("", "")]
    public void TheFirstWordIsFoundBehindComments(string sql, string expected) => Assert.Equal(expected, SqlLexer.FirstWordOf(Encoding.UTF8.GetBytes(sql)));

    /// <summary>Whatever the text, the scan ends and throws nothing.</summary>
    [Fact]
    public void AnyTextIsScannedToItsEnd()
    {
        string[] parts = ["select", " ", "(", ")", ",", ".", "'", "\"", "$", "$$", "$1", "::", ";", "--", "\n", "/*", "*/", "set_config", "f", "as", "with", "into", "set", "é", "E'", "\\", "true", "create", "discard", "declare"];
        var random = new Random(7);
        for (int i = 0; i < 20_000; i++)
        {
            string sql = string.Concat(Enumerable.Range(0, random.Next(1, 16)).Select(_ => parts[random.Next(parts.Length)]));
            _ = EffectOf(sql);
            _ = EffectOf(sql + ")");
        }
    }

    private static SessionEffect EffectOf(string sql) => SessionScan.Of(Encoding.UTF8.GetBytes(sql));
}
