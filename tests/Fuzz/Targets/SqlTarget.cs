using System.Text;
using Ioxide.Pg;
using Ioxide.Pg.Data;

namespace Ioxide.Fuzz;

/// <summary>SQL: the lexer, what it does to a session, its template, and the facade's statements and placeholders.</summary>
internal sealed class SqlTarget() : FuzzTarget("sql")
{
    internal override IEnumerable<byte[]> Seeds()
    {
        yield return "select a, \"b\"\"c\", 'it''s', E'\\n', $tag$ @x $tag$, x'1f', 1.5e-3 from t where a = @a and b in @list -- end\n; select $1::int"u8.ToArray();
        yield return "/* a /* nested */ b */ update t set a = :a, b = b - > 1 returning *; set search_path to x; begin; declare c cursor with hold for select 1"u8.ToArray();
        yield return "create function f() returns int begin atomic select 1; select case when 1=1 then 2 end; end; select f(); listen a; prepare p as select 1"u8.ToArray();
        yield return "select 'a' ~ @p, a @> b, a ? b, a::text, U&'\\0061', \"q;\" ; insert into t values (@a, @A, not in @b)"u8.ToArray();
    }

    internal override void Read(ReadOnlySpan<byte> input)
    {
        var lexer = new SqlLexer(input);
        int steps = 0;
        while (lexer.Next())
        {
            Require(!lexer.Text.IsEmpty || lexer.Kind is SqlTokenKind.QuotedName, "A token is empty.");
            Require(++steps <= input.Length, "The lexer does not get on.");
        }

        _ = SqlLexer.FirstWordOf(input);
        _ = SessionScan.Of(input);
        _ = SqlTemplate.Of(input, seed: false);
        string text = Encoding.UTF8.GetString(input);
        foreach (bool hasEscapes in (ReadOnlySpan<bool>)[false, true])
        {
            int end = 0;
            foreach (StatementSpan statement in SqlTokenizer.Split(text, hasEscapes))
            {
                Require(statement.Start >= end && statement.Length >= 0 && statement.Start + statement.Length <= text.Length, "A statement lies outside its text.");
                int at = statement.Start;
                end = statement.Start + statement.Length;
                foreach (SqlPlaceholder placeholder in statement.Placeholders)
                {
                    Require(placeholder.Start >= at && placeholder.Length > 0 && placeholder.Start + placeholder.Length <= end, "A placeholder lies outside its statement.");
                    at = placeholder.Start + placeholder.Length;
                }
            }

            _ = new ParsedSql(text, hasEscapes).Names;
        }
    }
}
