using System.Data.Common;
using static Ioxide.Pg.Tests.Answers;

namespace Ioxide.Pg.Tests;

/// <summary>Types whose text is not what arrives: names of objects (reg*), <c>"char"</c>, and the time 24:00. What each getter gives, beside Npgsql.</summary>
public class TextOfNamesTests : PairTests
{
    private const string Refused = "InvalidCastException";

    /// <summary>The column; then GetValue, GetString, GetFieldValue of string, uint and TimeSpan: of the facade, and of Npgsql where it differs.</summary>
    public static TheoryData<string, string[], string?[]> Cases { get; } = new()
    {
        // Meant: Npgsql knows the OIDs of regtype and regconfig only. No driver has the names, which are the server's: cast them to text.
        { "'pg_class'::regclass", ["1259", Refused, Refused, "1259", Refused], [Refused, null, null, Refused, null] },
        { "'int4'::regtype", ["23", Refused, Refused, "23", Refused], [] },
        { "'now'::regproc", ["1299", Refused, Refused, "1299", Refused], [Refused, null, null, Refused, null] },
        { "'now()'::regprocedure", ["1299", Refused, Refused, "1299", Refused], [Refused, null, null, Refused, null] },
        { "'pg_catalog'::regnamespace", ["11", Refused, Refused, "11", Refused], [Refused, null, null, Refused, null] },
        { "'simple'::regdictionary", ["3765", Refused, Refused, "3765", Refused], [Refused, null, null, Refused, null] },
        { "'simple'::regconfig", ["3748", Refused, Refused, "3748", Refused], [] },
        { "'\"C\"'::regcollation", ["950", Refused, Refused, "950", Refused], [Refused, null, null, Refused, null] },
        { "10::oid::regrole", ["10", Refused, Refused, "10", Refused], [Refused, null, null, Refused, null] },
        { "'{int4,text}'::regtype[]", ["UInt32[](23,25)", Refused, Refused, Refused, Refused], [] },
        { "'pg_class'::regclass::text", ["pg_class", "pg_class", "pg_class", Refused, Refused], [] },
        { "'int4'::regtype::text", ["integer", "integer", "integer", Refused, Refused], [] },

        // Meant: a "char" is read as the text and the byte that it is.
        { "'q'::\"char\"", ["q", "q", "q", Refused, Refused], [null, Refused, Refused, null, null] },
        { "''::\"char\"", ["\0", "", "", Refused, Refused], [null, Refused, Refused, null, null] },
        { "E'\\\\377'::\"char\"", ["\xff", "\xff", "\xff", Refused, Refused], [null, Refused, Refused, null, null] },
        { "'{q,r}'::\"char\"[]", ["Char[](q,r)", Refused, Refused, Refused, Refused], [] },

        // Meant: the exception says that TimeSpan holds the time.
        { "time '24:00:00'", [Refused, Refused, Refused, Refused, "1.00:00:00"], ["ArgumentOutOfRangeException", null, null, null, null] },
        { "time '23:59:59.999999'", ["23:59", Refused, Refused, Refused, "23:59:59.9999990"], [] },
        { "'{24:00:00}'::time[]", [Refused, Refused, Refused, Refused, Refused], ["ArgumentOutOfRangeException", null, null, null, null] },
        { "timetz '24:00:00+00'", ["01/03/0001 00:00:00 +00:00", Refused, Refused, Refused, Refused], [] },
        { "interval '24:00:00'", ["1.00:00:00", Refused, Refused, Refused, "1.00:00:00"], [] },
    };

    [Theory, MemberData(nameof(Cases))]
    public async Task AnswersAreThoseOfTheTable(string column, string[] ours, string?[] theirs)
    {
        string[] expected = [.. ours.Select((answer, i) => theirs.Length > i && theirs[i] is { } other ? other : answer)];
        Assert.Equal(expected, await AskAsync(Pair.Theirs, column));
        Assert.Equal(ours, await AskAsync(Pair.Ours, column));
    }

    [Fact]
    public Task A24thHourIsSentAndReadAsATimeSpan() => DataPair.EachAsync<TextOfNamesTests>("select 1", async connection =>
    {
        Assert.Equal("time without time zone 24:00:00", await DataPair.TypeAndTextAsync(connection, TimeSpan.FromHours(24), "time"));
    });

    private static async Task<string[]> AskAsync(DbConnection connection, string column)
    {
        await using DbDataReader reader = await connection.FirstRowAsync($"select {column}");
        return
        [
            Try(() => reader.GetValue(0)), Try(() => reader.GetString(0)), Try(() => reader.GetFieldValue<string>(0)), Try(() => reader.GetFieldValue<uint>(0)),
            Try(() => reader.GetFieldValue<TimeSpan>(0)),
        ];
    }
}
