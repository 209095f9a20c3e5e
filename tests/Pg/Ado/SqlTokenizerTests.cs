using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>What the facade makes of a text: where it ends a statement, and what it takes for a parameter.</summary>
public class SqlTokenizerTests
{
    [Theory]
    [InlineData("select @id", "id")]
    [InlineData("select :id, @name", "id name")]
    [InlineData("select $1, $2", "$1 $2")]
    [InlineData("select @a::int", "a")]
    [InlineData("select a::int", "")]
    [InlineData("select '@a', @b", "b")]
    [InlineData("select 'it''s @a', @b", "b")]
    [InlineData(@"select E'\'@a', @b", "b")]
    [InlineData(@"select '\', @b", "b")]
    [InlineData("select \"@a\", @b", "b")]
    [InlineData("select $$@a;$$, @b", "b")]
    [InlineData("select $tag$ $$ @a $tag$, @b", "b")]
    [InlineData("select a$1$b, @b", "b")]
    [InlineData("select 1 -- @a\n, @b", "b")]
    [InlineData("select 1 /* @a /* @c */ @d */, @b", "b")]
    [InlineData("select data @> @b", "b")]
    [InlineData("select data ? 'a' and data ?| @b and data @? '$.a'", "b")]
    [InlineData("select tsv @@ to_tsquery(@b)", "b")]
    [InlineData("select items[1:2], items[@a:@b]", "a b")]
    [InlineData("select @p1+@p2", "p1 p2")]
    [InlineData("select @1", "1")]
    [InlineData("select U&'\\0441 @a', @b", "b")]
    [InlineData("select '@a", "")]
    [InlineData("select 1 /* @a", "")]
    [InlineData("select $tag$ @a", "")]
    [InlineData("select @größe", "größe")]
    public void FindsParametersOnly(string sql, string names)
        => Assert.Equal(names, string.Join(' ', SqlTokenizer.Split(sql).SelectMany(static piece => piece.Placeholders).Select(static place => place.Name)));

    [Theory]
    [InlineData("select 1", "select 1")]
    [InlineData("select 1;", "select 1")]
    [InlineData("select 1; select 2;\n", "select 1| select 2")]
    [InlineData("select ';'; select 2", "select ';'| select 2")]
    [InlineData("create rule r as on insert to t do also (select 1; select 2); select 3", "create rule r as on insert to t do also (select 1; select 2)| select 3")]
    [InlineData("do $$ begin; end $$; select 1", "do $$ begin; end $$| select 1")]
    [InlineData(";;select 1;;", "select 1")]
    [InlineData("-- nothing;\n", "")]
    [InlineData("", "")]
    [InlineData(
        "create function f() returns int begin atomic select case when true then 1 end; select 2; end; select 3",
        "create function f() returns int begin atomic select case when true then 1 end; select 2; end| select 3")]
    [InlineData("begin; select 1; end", "begin| select 1| end")]
    public void CutsAtSemicolonsBetweenStatements(string sql, string pieces)
        => Assert.Equal(pieces, string.Join('|', SqlTokenizer.Split(sql).Select(piece => sql.Substring(piece.Start, piece.Length))));

    [Theory]
    [InlineData("select * from t where id in @ids", "= any($)")]
    [InlineData("select * from t where id NOT  IN @ids", "<> all($)")]
    [InlineData("select * from t where id in (@ids)", "$")]
    [InlineData("select * from t where id = any(@ids)", "$")]
    [InlineData("select * from t where id in /* these */ @ids", "= any($)")]
    [InlineData("select position('b' in @s)", "$")]
    [InlineData("select Position /* of */ ('b' in @s)", "$")]
    [InlineData("select position(lower('b') in @s)", "$")]
    [InlineData("select position((case when id in @ids then 'b' end) in 'abc') from t", "= any($)")]
    [InlineData("select position('b' in 'abc'), id in @ids from t", "= any($)")]
    [InlineData("select position from t where (id in @ids)", "= any($)")]
    public void AListBehindInIsAnArray(string sql, string expected)
    {
        SqlPlaceholder place = Assert.Single(Assert.Single(SqlTokenizer.Split(sql)).Placeholders);
        Assert.Equal(expected, $"{place.Prefix}${place.Suffix}");
    }
}
