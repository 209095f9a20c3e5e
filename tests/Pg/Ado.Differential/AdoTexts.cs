using System.Data;

namespace Ioxide.Pg.Tests;

/// <summary>The texts, values and behaviors that programs choose from.</summary>
internal static class AdoTexts
{
    internal const string Start =
        """
        create table if not exists t (x int);
        create or replace procedure p(inout a int) language sql as 'select a + 1';
        create or replace function take() returns text language plpgsql as $$
        declare
            rows text;
        begin
            lock table t;
            select coalesce(string_agg(x::text, ',' order by x), '') into rows from t;
            truncate t;
            return rows;
        end $$;
        """;

    private static readonly string[] s_texts =
    [
        "select 1",
        "select 1; select 2",
        "select i, i * 2 from generate_series(1, 5) i",
        "select i from generate_series(1, 3) i; select 'a'::text",
        "select 'a'::text, 1.5::numeric, true, null::int",
        "insert into t values (1)",
        "insert into t values (2) returning x",
        "insert into t values (3), (4)",
        "update t set x = x + 1",
        "delete from t where x = 1",
        "select count(*)::int from t",
        "select x from t order by x",
        "insert into t values (5); select x from t order by x; update t set x = 6",
        "select 1 / 0",
        "select 1; select 1 / 0; select 2",
        "insert into t values (7); select 1 / 0",
        "select i, 1 / (3 - i) from generate_series(1, 5) i",
        "select nonsense",
        "slect 1",
        "",
        " ; ",
        "-- nothing",
        "select @p::int",
        "select @p::text, @q::int",
        "insert into t values (@p)",
        "begin",
        "commit",
        "rollback",
        "select repeat('x', 20000) from generate_series(1, 20)",
        "do $$ begin raise notice 'a'; end $$",
        "create temp table if not exists tt (x int)",
        "select pg_sleep(0)",
        "copy t from stdin",
        "copy (select 1) to stdout",
        "values (1, 'a'), (2, 'b')",
        "select 1 where false",
        "call p(1)",
        "set local statement_timeout = '10s'",
        "select '{1,2}'::int[], '2024-01-02'::date",
        "lock table t",
    ];

    private static readonly CommandBehavior[] s_behaviors =
    [
        CommandBehavior.Default, CommandBehavior.Default, CommandBehavior.SingleRow, CommandBehavior.SingleResult, CommandBehavior.SchemaOnly,
        CommandBehavior.CloseConnection, CommandBehavior.SequentialAccess, CommandBehavior.KeyInfo, CommandBehavior.CloseConnection | CommandBehavior.SingleRow,
    ];

    private static readonly object?[] s_values = [1, 2L, "3", null, DBNull.Value, (short)4, "x", 5.5m, true, new int[] { 1, 2 }];

    internal static readonly IsolationLevel[] Levels =
    [
        IsolationLevel.Unspecified, IsolationLevel.ReadCommitted, IsolationLevel.RepeatableRead, IsolationLevel.Serializable, IsolationLevel.ReadUncommitted,
        IsolationLevel.Snapshot, IsolationLevel.Chaos,
    ];

    internal static int Count => s_texts.Length;

    internal static string Of(int choice) => s_texts[choice % s_texts.Length];

    internal static bool EndsTransaction(string text) => text is "commit" or "rollback";

    internal static string[] BatchOf(int choice)
        => [.. Enumerable.Range(0, choice % 4).Select(index => s_texts[(choice + (index * 7)) % s_texts.Length])];

    internal static CommandBehavior BehaviorOf(int choice) => s_behaviors[choice % s_behaviors.Length];

    internal static object? ValueOf(int choice) => s_values[choice % s_values.Length];
}
