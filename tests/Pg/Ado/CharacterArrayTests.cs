using System.Data.Common;
using static Ioxide.Pg.Tests.Answers;

namespace Ioxide.Pg.Tests;

/// <summary>Arrays of characters are texts, and arrays of those arrays of texts: the facade sends and reads them as Npgsql does.</summary>
public class CharacterArrayTests() : PairTests("create extension if not exists citext")
{
    [Theory, Each(
        "'text'::text", "''::varchar", "'a'::char(3)", "'{\"a\": 1}'::jsonb", "'<a/>'::xml", "'{ab,c}'::text[]", "'{ab,c,null,\"\"}'::text[]",
        "'{}'::text[]", "'{ab,c}'::varchar[]", "'{ab,c}'::char(3)[]", "'{ab,c}'::name[]", "array['{\"a\": 1}'::jsonb]", "'{{a,b},{c,d}}'::text[]",
        "'{ab,c,null}'::citext[]", "row('{ab,c}'::citext[], '{ab}'::text[])", "'{1,2}'::int4[]", "1", "null::text[]")]
    public async Task TextsAreReadAsCharacters(string column)
    {
        var answers = new List<string[]>();
        foreach (DbConnection connection in Pair.Both)
        {
            await using DbDataReader reader = await connection.FirstRowAsync($"select {column}");
            answers.Add(
            [
                Try(() => reader.GetFieldValue<char[]>(0)), Try(() => reader.GetFieldValue<char[][]>(0)), Try(() => reader.GetFieldValue<List<char[]>>(0)),
                Try(() => reader.GetFieldValue<string[]>(0)), Try(() => reader.GetFieldValue<List<string>>(0)),
            ]);
        }

        // Meant: the texts of the elements, an array without elements of any type, and no NpgsqlException where an empty text has no character.
        for (int i = 0; i < answers[0].Length; i++)
        {
            bool isMeant = (answers[0][i] == "InvalidCastException" && i >= 3) || answers[0][i] == "NpgsqlException"
                || (column.StartsWith("'{}", StringComparison.Ordinal) && i == 0);
            Assert.True(answers[0][i] == answers[1][i] || isMeant, $"{i} of {column}: Npgsql {answers[0][i]}, facade {answers[1][i]}");
        }
    }

    [Theory, Each(null, "text", "varchar", "text[]", "varchar[]")]
    public async Task CharactersAreSentAsTexts(string? type)
    {
        await using DataPair pair = await DataPair.OpenAsync<CharacterArrayTests>(Fixture, "select 1");
        object[] values = type?.EndsWith(']') == true
            ? [s_texts, s_texts.ToList(), Array.Empty<char[]>()]
            : [new[] { 'a', 'b' }, Array.Empty<char>(), .. type is null ? [s_texts, s_texts.ToList()] : Array.Empty<object>()];
        foreach (object value in values)
        {
            string theirs = await DataPair.TypeAndTextAsync(pair.Theirs, value, type);
            Assert.Equal(theirs, await DataPair.TypeAndTextAsync(pair.Ours, value, type));
        }

        // Beyond Npgsql: any sequence of them, and a NULL among them.
        Assert.Equal(
            type?.EndsWith(']') == false ? "" : "{ab,NULL}",
            type?.EndsWith(']') == false ? "" : (await DataPair.TypeAndTextAsync(pair.Ours, Sequence(), type)).Split(' ')[^1]);
        static IEnumerable<char[]?> Sequence() => [['a', 'b'], null];
    }

    private static readonly char[][] s_texts = [['a', 'b'], [], ['"', ',']];
}
