using System.Globalization;

namespace Ioxide.Pg.Tests;

/// <summary>Makes statements: of constants, over tables, on the schema, on the session, and broken ones.</summary>
internal sealed class SqlWriter(FaultDice dice, bool needsSession)
{
    private static readonly string[] s_broken =
    [
        "selec 1", "select", "select from", "select 1/0", "select * from not_there", "select not_there from t0", "insert into t0 values (1)",
        "insert into t1 (amount) values (-1)", "insert into t1 (parent) values (4711)", "select 'x'::int4", "select lower(1)", "select not_there(1)",
        "update t0 set n = 2147483648", "update t0 set n = n + 2147483647", "select (select id from t0)", "select 1 union select 'x'",
        "do $$ begin raise exception 'own error' using errcode = 'UE001'; end $$", "do $$ begin perform 1/0; exception when others then null; end $$",
        "do $$ begin raise notice 'a notice'; end $$", "drop table not_there", "drop table if exists not_there", "create table t0 (x int4)",
        "alter table t0 add column id int4", "alter table t0 drop column not_there", "drop type mood", "vacuum t0", "set not_there = 1",
        "set work_mem = 'much'", "savepoint alone", "rollback to nothing", "release nothing", "select 1 limit -1", "select id from t0 group by n",
        "select repeat('x', 1 << 20) is null", "select 'a' collate \"nothing\"", "call not_there()", "fetch 1 from nothing", "close nothing",
        "select '\u00e4' ~ '('", "select array[1, 2][1:2], array_length(array[]::int4[], 1)", "select * from t0 for update",
        "lock table t0 in exclusive mode", "lock table not_there", "set transaction isolation level serializable", "set constraints all deferred",
        "-- nothing", "/* nothing */", " ", "select 1;", "select 1 -- behind", "select 1 as \"a b\", 2 as \"\u00e4\", 3 as \"a b\"",
        "grant select on t0 to nobody_of_that_name", "select * from generate_series(1, 3) a, generate_series(1, 2) b", "table t0", "values (1, 'a'), (2, null)",
    ];

    private readonly HashSet<ScriptStatement> _stateless = [];
    private readonly HashSet<ScriptStatement> _constants = [];
    private int _number;

    /// <summary>Whether it may run on any session.</summary>
    internal bool IsStateless(ScriptStatement statement) => _stateless.Contains(statement);

    /// <summary>Whether its first column may be of any type, which a scalar does not show.</summary>
    internal bool IsConstant(ScriptStatement statement) => _constants.Contains(statement);

    internal ScriptStatement Any()
    {
        switch (dice.Below(20))
        {
            case < 2 when needsSession:
                return OfSession();
            case < 4:
                return OfSchema();
            default:
                return Stateless();
        }
    }

    /// <summary>A statement that leaves nothing in its session.</summary>
    internal ScriptStatement Stateless()
    {
        ScriptStatement statement = dice.Below(20) switch
        {
            < 6 => Constant(),
            < 10 => Query(),
            < 16 => Change(),
            < 19 => Broken(),
            _ => Large(),
        };
        _stateless.Add(statement);
        return statement;
    }

    /// <summary>A row of constants and parameters.</summary>
    internal ScriptStatement Constant()
    {
        int count = 1 + dice.Below(4);
        var values = new List<ScriptValue>();
        var columns = new List<string>();
        for (int column = 0; column < count; column++)
        {
            string expression = dice.Below(3) == 0 ? Parameter(values) : GeneratedValue.Literal(dice);
            columns.Add(dice.Below(4) == 0 ? $"{expression} as c{column}" : expression);
        }

        string rows = dice.Below(8) switch
        {
            0 => " from generate_series(1, 3)",
            1 => " where false",
            2 => " union all select " + string.Join(", ", columns.Select(static _ => "null")),
            _ => "",
        };
        var statement = new ScriptStatement($"select {string.Join(", ", columns)}{rows}", [.. values]);
        _constants.Add(statement);
        return statement;
    }

    private static ScriptStatement Plain(string sql) => new(sql);

    private string Parameter(List<ScriptValue> values)
    {
        ScriptValue value = GeneratedValue.Parameter(dice);
        values.Add(value);
        return string.Create(CultureInfo.InvariantCulture, $"{ScriptStatement.Mark}{values.Count}::{value.Type}");
    }

    private ScriptStatement Query()
    {
        var values = new List<ScriptValue>();
        string sql = dice.Below(10) switch
        {
            0 => "select * from t0 order by 1",
            1 => "select * from t1 order by 1",
            2 => "select * from t2 order by 1",
            3 => $"select id, n from t0 where id = {Number(values)}",
            4 => $"select * from t0 where n > {Number(values)} order by id limit 2",
            5 => $"select t0.s, t1.* from t1 left join t0 on t0.id = t1.parent where t1.id < {Number(values)} order by t1.id",
            6 => "select n, count(*), sum(d), array_agg(id order by id), max(at) from t0 group by n order by n",
            7 => "select t0, row(1, 'x'), row_to_json(t0) from t0 order by id",
            8 => $"with x as (select * from t0 where ok) select x.*, {Parameter(values)} from x order by id",
            _ => $"select id / (n - {Number(values)}) from t0 order by id",
        };
        return new ScriptStatement(sql, [.. values]);
    }

    private ScriptStatement Change()
    {
        var values = new List<ScriptValue>();
        string sql = dice.Below(14) switch
        {
            0 or 1 => $"insert into t0 (id, n, s, d) values ({Number(values)}, {Number(values)}, {GeneratedValue.Plain(dice, "text")}, {GeneratedValue.Plain(dice, "numeric(10,2)")})",
            2 => $"insert into t1 (k, amount, tags) values ({Text(values)}, {GeneratedValue.Plain(dice, "numeric")}, '{{a,b}}') returning id, k",
            3 => $"insert into t1 (parent, doc) values ({Number(values)}, '{{\"a\": 1}}') returning *",
            4 => $"insert into t1 (k) values ({Text(values)}) on conflict (k) do update set amount = coalesce(t1.amount, 0) + 1 returning t1.amount",
            5 => $"update t0 set n = n + 1, at = {GeneratedValue.Plain(dice, "timestamptz")} where id < {Number(values)}",
            6 => $"update t0 set s = {Text(values)} where id = {Number(values)} returning id, s",
            7 => $"delete from t0 where id = {Number(values)}",
            8 => "delete from t1 returning id",
            9 => $"insert into t2 (id, m, p, span) values ({Number(values)}, {GeneratedValue.Plain(dice, "mood")}, {GeneratedValue.Plain(dice, "pair")}, {GeneratedValue.Plain(dice, "int4range")})",
            10 => $"merge into t0 using (values ({Number(values)}, 9)) as x (id, n) on t0.id = x.id when matched then update set n = x.n when not matched then insert (id, n) values (x.id, x.n)",
            11 => $"with gone as (delete from t0 where id > {Number(values)} returning id) select count(*) from gone",
            12 => $"insert into t0 (id, n) select i, i * 10 from generate_series({Number(values)}, 5) i",
            _ => $"update t1 set amount = amount - {Number(values)} where amount is not null",
        };
        return new ScriptStatement(sql, [.. values]);
    }

    private string Number(List<ScriptValue> values)
    {
        if (dice.Below(2) == 0)
        {
            return dice.Below(12).ToString(CultureInfo.InvariantCulture);
        }

        values.Add(dice.Below(15) == 0 ? ScriptValue.Null("int4") : ScriptValue.Of("int4", dice.Below(12)));
        return string.Create(CultureInfo.InvariantCulture, $"{ScriptStatement.Mark}{values.Count}::int4");
    }

    private string Text(List<ScriptValue> values)
    {
        values.Add(ScriptValue.Of("text", GeneratedValue.Pick(dice, ["", "a", "b", "c", "\u00e4\u20ac", "it's"])));
        return string.Create(CultureInfo.InvariantCulture, $"{ScriptStatement.Mark}{values.Count}::text");
    }

    private ScriptStatement Broken() => Plain(GeneratedValue.Pick(dice, s_broken));

    private ScriptStatement Large() => Plain(GeneratedValue.Pick(
        dice,
        [
            "select i, 'row ' || i, i * 1.5 from generate_series(1, 700) i",
            "select repeat('x', 200000), i from generate_series(1, 3) i",
            "select 100 / (250 - i) from generate_series(1, 500) i",
            "select array(select generate_series(1, 2000)), string_agg(i::text, ',') from generate_series(1, 3000) i",
        ]));

    private ScriptStatement OfSchema()
    {
        (string type, _) = GeneratedValue.Pick(dice, GeneratedValue.Types);
        return Plain(dice.Below(16) switch
        {
            0 or 1 => $"alter table t0 add column extra {type}",
            2 => "alter table t0 drop column extra",
            3 => $"alter table t0 alter column n type {GeneratedValue.Pick(dice, ["int8", "text", "int4 using n::int4", "numeric"])}",
            4 => "alter table t0 rename column s to words",
            5 => $"create table made{dice.Below(2)} (id int4, v {type})",
            6 => $"create table made{dice.Below(2)} as select {GeneratedValue.Literal(dice, "int4", ["1", "2"])} as v",
            7 => $"drop table made{dice.Below(2)}",
            8 => $"select * from made{dice.Below(2)}",
            9 => $"create or replace function f(x int4) returns {GeneratedValue.Pick(dice, ["int4", "int8", "text"])} language sql as $$ select x + {dice.Below(3)} $$",
            10 => "drop function f(int4)",
            11 => $"select f({dice.Below(5)})",
            12 => "create unique index on t0 (n)",
            13 => "truncate t0 cascade",
            14 => "create view seen as select * from t0",
            _ => "select * from seen order by 1",
        });
    }

    private ScriptStatement OfSession()
    {
        _number++;
        return Plain(dice.Below(20) switch
        {
            0 => "discard all",
            1 => "deallocate all",
            2 => "set search_path = other, app, kinds",
            3 => "reset search_path",
            4 => "create temp table made0 (id int4 unique, v text)",
            5 => "insert into made0 (id) values (1)",
            6 => "create temp table t2 on commit drop as select 1 as only",
            7 => "discard temp",
            8 => $"select set_config('app.tenant', '{_number}', {(dice.Below(2) == 0 ? "false" : "true")})",
            9 or 10 => "select coalesce(nullif(current_setting('app.tenant', true), ''), 'none')",
            11 => "set local work_mem = '5MB'",
            12 => "show work_mem",
            13 => "prepare mine (int4) as select $1 + 1",
            14 => "execute mine (1)",
            15 => "deallocate mine",
            16 => "declare c cursor with hold for select * from t0 order by id",
            17 => "fetch 2 from c",
            18 => "set default_transaction_isolation = 'repeatable read'",
            _ => "reset all",
        });
    }
}
