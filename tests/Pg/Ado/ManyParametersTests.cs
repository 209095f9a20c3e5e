using System.Data.Common;
using System.Globalization;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>As many parameters as the protocol has: the work grows with their number, and one more is refused.</summary>
public class ManyParametersTests() : PairTests(configure: TestDatabase.OneReactor)
{
    private const int Most = 65_535;

    [Theory, Each("in order", "backwards", "each twice", "by position")]
    public Task AsManyAsTheProtocolHasAreSent(string way) => DataPair.EachAsync<ManyParametersTests>("select 1", async connection =>
    {
        await using DbCommand command = Make(connection, way, Most);
        Assert.Equal((long)Most * (Most - 1) / 2, await command.ExecuteScalarAsync().Within(60.Seconds()));
    });

    [Fact]
    public async Task OneMoreIsRefusedWithWhatToDo()
    {
        await using DbCommand command = Make(Pair.Ours, "in order", Most + 1);
        for (int round = 0; round < 2; round++)
        {
            var error = await Assert.ThrowsAsync<ArgumentException>(() => command.ExecuteScalarAsync().Within(60.Seconds()));
            Assert.Contains("65,535", error.Message, StringComparison.Ordinal);
            Assert.Contains("unnest", error.Message, StringComparison.Ordinal);
        }

        await using DbCommand next = Make(Pair.Ours, "in order", 2);
        Assert.Equal(1L, await next.ExecuteScalarAsync());
    }

    /// <summary>Work that grew with the square of the number would take minutes here.</summary>
    [Theory, AllValues]
    public async Task ATextOfHundredsOfThousandsOfNamesIsCutAndMatched(bool isBackwards)
    {
        const int Names = 400_000;
        PgDataSource source = ((PgDbConnection)Pair.Ours).Source.Source;
        using var command = new PgDbCommand();
        IEnumerable<int> numbers = Enumerable.Range(0, Names);
        foreach (int number in isBackwards ? numbers.Reverse() : numbers)
        {
            command.Parameters.AddWithValue($"p{number}", number);
        }

        string sql = string.Join(';', numbers.Chunk(50_000).Select(static chunk => "select " + string.Join(',', chunk.Select(static i => $"@p{i}"))));
        int[] indexes = new int[Names];
        BoundStatement[] statements = await Task.Run(() =>
        {
            var text = new ParsedSql(sql);
            return text.StatementsFor(text.Match(command.Parameters, indexes), source);
        }).Within(60.Seconds());
        Assert.Equal(Names / 50_000, statements.Length);
        Assert.All(statements, static statement => Assert.Equal(50_000, statement.Parameters.Length));
        Assert.Equal(isBackwards ? numbers.Reverse() : numbers, indexes);
    }

    private static DbCommand Make(DbConnection connection, string way, int count)
    {
        DbCommand command = connection.CreateCommand();
        bool isByPosition = way == "by position";
        IEnumerable<string> places = Enumerable.Range(0, count).Select(i => isByPosition ? $"(${i + 1}::int)" : $"(@p{i}::int)");
        command.CommandText = string.Create(CultureInfo.InvariantCulture, $"select sum(v) from (values {string.Join(',', places)}) t(v)");
        if (way == "each twice")
        {
            command.CommandText += " where v in (" + string.Join(',', Enumerable.Range(0, count).Select(static i => $"@p{i}")) + ")";
        }

        for (int i = 0; i < count; i++)
        {
            int number = way == "backwards" ? count - 1 - i : i;
            command.Add(isByPosition ? "" : $"p{number}", number);
        }

        return command;
    }
}
