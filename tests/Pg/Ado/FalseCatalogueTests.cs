using static Ioxide.Pg.Tests.BackendMessages;

namespace Ioxide.Pg.Tests;

/// <summary>A server whose catalogue is none: a connection of the facade is not opened, and says why.</summary>
public class FalseCatalogueTests() : PgTests(TestDatabase.OneReactor)
{
    private const uint Int8 = 20;
    private const uint Texts = 1009;
    private const uint Int8s = 1016;

    private static readonly (string, uint, int)[] s_columns =
    [
        ("oid", Int8, 0), ("nspname", Text, 0), ("typname", Text, 0), ("typtype", Text, 0), ("base", Int8, 0), ("names", Texts, 0), ("types", Int8s, 0),
    ];

    public static TheoryData<string, int, byte[]?> Breaches => new()
    {
        { "no schema", 1, null },
        { "no name", 2, null },
        { "no kind", 3, null },
        { "an empty kind", 3, [] },
        { "a kind of two letters", 3, "cc"u8.ToArray() },
        { "no names of fields", 5, null },
        { "a field without a name", 5, ArrayOf(Text, "a"u8.ToArray(), null) },
        { "fewer names than fields", 5, ArrayOf(Text, "a"u8.ToArray()) },
        { "no types of fields", 6, null },
        { "more types than fields", 6, ArrayOf(Int8, OfInt8(23), OfInt8(23), OfInt8(23)) },
    };

    [Theory, MemberData(nameof(Breaches))]
    public async Task ATypeThatIsNotDescribedIsRefused(string breach, int column, byte[]? value)
    {
        byte[]?[] row = TrueRow();
        row[column] = value;
        PgProtocolException error = await Assert.ThrowsAsync<PgProtocolException>(() => OpenAsync(s_columns, row));
        Assert.True(error.Message.Contains("catalogue", StringComparison.Ordinal), $"{breach}: {error.Message}");
    }

    [Fact]
    public async Task ARowThatLacksColumnsIsRefused()
    {
        PgProtocolException error = await Assert.ThrowsAsync<PgProtocolException>(() => OpenAsync(s_columns[..3], TrueRow()[..3]));
        Assert.Contains("catalogue", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public Task ATypeThatIsDescribedIsKnown() => OpenAsync(s_columns, TrueRow());

    public static TheoryData<string, byte[]?[][]> FalseParameters => new()
    {
        { "none", [] },
        { "fewer than the statement has", [["23"u8.ToArray()]] },
        { "more than the statement has", [["23"u8.ToArray()], ["25"u8.ToArray()], ["25"u8.ToArray()]] },
        { "no value", [["23"u8.ToArray()], [null]] },
        { "no number", [["23"u8.ToArray()], ["text"u8.ToArray()]] },
        { "no column", [[], []] },
    };

    [Theory, MemberData(nameof(FalseParameters))]
    public async Task TypesThatAreNotThoseOfTheParametersAreRefused(string breach, byte[]?[][] rows)
    {
        (string, uint, int)[] columns = [("unnest", Text, 0)];
        await using FakeServer server = FakeServer.Start(Script.Welcome().ExpectUntil('Q').Send(
            [
                CommandComplete("PREPARE"), RowDescription(columns[..(rows.Length > 0 ? rows[0].Length : 1)]), .. rows.Select(DataRow),
                CommandComplete($"SELECT {rows.Length}"), CommandComplete("DEALLOCATE"), ReadyForQuery(),
            ]));
        await using Data.PgDbDataSource source = TestDatabase.Open(Fixture, server.Port, WithoutTypes).AsDbDataSource();
        await using Data.PgDbConnection connection = await source.OpenConnectionAsync().Within(20.Seconds());
        await using var command = new Data.PgDbCommand("select @number::int, @text::text", connection);
        PgProtocolException error = await Assert.ThrowsAsync<PgProtocolException>(
            () => Task.Run(() => Data.PgDbCommandBuilder.DeriveParameters(command)).Within(20.Seconds()));
        Assert.True(error.Message.Contains("types of a statement's parameters", StringComparison.Ordinal), $"{breach}: {error.Message}");
    }

    /// <summary>Its connection would be the newest idle one of the pool, which is the first to be lent.</summary>
    [Theory, AllValues]
    public async Task TheNextOpenGetsAnotherConnection(bool isAsync)
    {
        byte[]?[] wrong = TrueRow();
        wrong[1] = null;
        await using FakeServer server = FakeServer.Start(index => index == 0
            ? Catalogue(s_columns, wrong)
            : Script.Welcome().ExpectUntil('S').Send(ParseComplete(), BindComplete(), DataRow(TrueRow()), CommandComplete("SELECT 1"), ReadyForQuery()));
        Data.PgDbDataSource source = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection).AsDbDataSource();
        await Assert.ThrowsAsync<PgProtocolException>(() => OpenAsync().Within(20.Seconds()));
        await OpenAsync().Within(20.Seconds());
        Assert.Equal(20_000u, source.Types.TypeIdOf("public.pair"));
        Assert.Equal(2, server.Sessions.Count);

        async Task OpenAsync()
        {
            await using System.Data.Common.DbConnection connection = isAsync ? await source.OpenConnectionAsync() : await Task.Run(source.OpenConnection);
        }
    }

    [Fact]
    public async Task ParametersAreDerivedAgainWhereAScriptWasCutShort()
    {
        string[] texts = [];
        Script script = Script.Welcome();
        for (int i = 0; i < 2; i++)
        {
            script.Then(async session => texts = [.. texts, (await session.ReadAsync()).ToString()])
                .Send(CommandComplete("PREPARE"), ErrorResponse("57014", "canceled"), ReadyForQuery());
        }

        await using FakeServer server = FakeServer.Start(script);
        await using Data.PgDbDataSource source = TestDatabase.Open(Fixture, server.Port, WithoutTypes).AsDbDataSource();
        await using Data.PgDbConnection connection = await source.OpenConnectionAsync().Within(20.Seconds());
        await using var command = new Data.PgDbCommand("select @number::int", connection);
        for (int i = 0; i < 2; i++)
        {
            await Assert.ThrowsAsync<PgException>(() => Task.Run(() => Data.PgDbCommandBuilder.DeriveParameters(command)).Within(20.Seconds()));
        }

        Assert.Equal(2, texts.Distinct().Count());
    }

    private static void WithoutTypes(PgDataSourceOptions options)
    {
        TestDatabase.OneConnection(options);
        options.LoadTypes = false;
    }

    private static Script Catalogue((string, uint, int)[] columns, byte[]?[] row) => Script.Welcome()
        .ExpectUntil('H').Send(ParseComplete(), ParameterDescription(), RowDescription(columns))
        .ExpectUntil('S').Send(BindComplete(), DataRow(row), CommandComplete("SELECT 1"), ReadyForQuery());

    private async Task OpenAsync((string, uint, int)[] columns, byte[]?[] row)
    {
        await using FakeServer server = FakeServer.Start(Catalogue(columns, row));
        Data.PgDbDataSource source = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnection).AsDbDataSource();
        await using Data.PgDbConnection connection = await source.OpenConnectionAsync().Within(20.Seconds());
        Assert.Equal(20_000u, source.Types.TypeIdOf("public.pair"));
    }

    private static byte[]?[] TrueRow() =>
    [
        OfInt8(20_000), "public"u8.ToArray(), "pair"u8.ToArray(), "c"u8.ToArray(), OfInt8(0), ArrayOf(Text, "a"u8.ToArray(), "b"u8.ToArray()),
        ArrayOf(Int8, OfInt8(23), OfInt8(23)),
    ];

    private static byte[] OfInt8(long value) => new MessageBuilder().Int32(value >> 32).Int32(value).BuildUntyped()[4..];

    private static byte[] ArrayOf(uint elementId, params byte[]?[] elements)
        => elements.Aggregate(
            new MessageBuilder().Int32(1).Int32(elements.Contains(null) ? 1 : 0).Int32(elementId).Int32(elements.Length).Int32(1),
            static (array, element) => array.Value(element)).BuildUntyped()[4..];
}
