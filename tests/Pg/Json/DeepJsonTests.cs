using System.Buffers;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Ioxide.Pg.Tests;

/// <summary>JSON of more levels than System.Text.Json reads unless told: a server has it, and the driver reads as many as the framework writes.</summary>
public class DeepJsonTests() : SourceTests(hasOneConnection: true)
{
    private const int Most = 1000;

    [Theory]
    [InlineData("json", 65)]
    [InlineData("jsonb", 65)]
    [InlineData("json", Most)]
    [InlineData("jsonb", Most)]
    public async Task IsReadAndWritten(string type, int levels)
    {
        string text = Nested(levels);
        PgStatement statement = Db.Statement($"select '{text}'::{type}");
        Assert.Equal(text, (await Db.Query(statement).ScalarAsync<JsonElement>()).GetRawText());
        using JsonDocument document = await Db.Query(statement).ScalarAsync<JsonDocument>();
        Assert.Equal(text, document.RootElement.GetRawText());
        Assert.Equal(text, (await Db.Query(statement).ScalarAsync<JsonNode>()).ToJsonString());
        Assert.Equal(text, (await Db.Query(statement).ScalarAsync<JsonArray>()).ToJsonString());
        Assert.Equal(text, await WriteAsync(statement));
    }

    [Theory, Each("json", "jsonb")]
    public async Task MoreLevelsAreReadAsTheirText(string type)
    {
        string text = Nested(Most + 1);
        PgStatement statement = Db.Statement($"select '{text}'::{type}");
        Assert.Equal(text, await Db.Query(statement).ScalarAsync<string>());
        PgTypeException refused = await Assert.ThrowsAsync<PgTypeException>(() => Db.Query(statement).ScalarAsync<JsonElement>().AsTask());
        Assert.Contains("1000 levels", refused.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<PgTypeException>(() => Db.Query(statement).ScalarAsync<JsonDocument>().AsTask());
        await Assert.ThrowsAsync<PgTypeException>(() => Db.Query(statement).ScalarAsync<JsonNode>().AsTask());
        await Assert.ThrowsAsync<PgTypeException>(() => WriteAsync(statement));
    }

    [Theory, Each("json", "jsonb")]
    public async Task JsonsOwnNullIsNoNode(string type)
    {
        PgStatement statement = Db.Statement($"select 'null'::{type}");
        Assert.Null(await Db.Query(statement).ScalarAsync<JsonNode?>());
        Assert.Null(await Db.Query(statement).ScalarAsync<JsonObject?>());
        await Assert.ThrowsAsync<PgTypeException>(() => Db.Query(Db.Statement($"select '1'::{type}")).ScalarAsync<JsonObject>().AsTask());
    }

    [Theory, Each("json", "jsonb")]
    public async Task ElementsOfAnArrayAreWritten(string type)
    {
        string text = Nested(65);
        Assert.Equal($"[{text},null]", await WriteAsync(Db.Statement($"select array['{text}', null]::{type}[]")));
    }

    private static string Nested(int levels) => new string('[', levels) + new string(']', levels);

    /// <summary>What the framework's writer writes.</summary>
    private async Task<string> WriteAsync(PgStatement statement)
    {
        var buffer = new ArrayBufferWriter<byte>();
        await using (var writer = new Utf8JsonWriter(buffer))
        {
            await Db.Query(statement).ForEachAsync(static (row, writer) => row.WriteJson(0, writer), writer);
        }

        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }
}
