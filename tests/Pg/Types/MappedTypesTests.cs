using System.Data.Common;
using System.Text.Json.Serialization;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>Types of the application that one line maps: read and sent, by the facade and by the native face.</summary>
public partial class MappedTypesTests
{
    private enum Mood
    {
        Sad,
        VeryHappy,
    }

    private sealed record Address(string Street, int? Number, Mood Mood);

    internal sealed record Order(int Id, string[] Items);

    [JsonSerializable(typeof(Order))]
    private sealed partial class OrderJson : JsonSerializerContext;

    [Fact]
    public async Task EnumsCompositesAndJsonAreMappedInALine()
    {
        await using PgFixture fixture = new();
        await using PgDbConnection connection = await OpenAsync(fixture);
        new PgDataSourceOptions().MapEnum<Mood>().MapComposite<Address>().MapJson(OrderJson.Default.Order);

        var address = new Address("a \"long\", (street)\\", 7, Mood.VeryHappy);
        var order = new Order(3, ["x", "y'z"]);
        await using PgDbCommand command = connection.CreateCommand();
        command.CommandText =
            "select @mood::mood, @address::address, (@address::address).street, @order, @order ->> 'Id', row('b', null, 'sad')::address, array[@address::address]";
        command.Parameters.Add(new PgDbParameter("mood", Mood.VeryHappy));
        command.Parameters.Add(new PgDbParameter("address", address));
        command.Parameters.Add(new PgDbParameter("order", order));
        await using DbDataReader reader = await command.ExecuteReaderAsync().Within(20.Seconds());
        Assert.True(await reader.ReadAsync());
        Assert.Equal(Mood.VeryHappy, reader.GetFieldValue<Mood>(0));
        Assert.Equal(address, reader.GetFieldValue<Address>(1));
        Assert.Equal(address.Street, reader.GetString(2));
        Assert.Equal(order.Items, reader.GetFieldValue<Order>(3).Items);
        Assert.Equal("3", reader.GetString(4));
        Assert.Equal(new Address("b", null, Mood.Sad), reader.GetFieldValue<Address>(5));
        Assert.Equal([address], reader.GetFieldValue<Address[]>(6));
    }

    [Fact]
    public async Task AParametersTypeIsNamed()
    {
        await using PgFixture fixture = new();
        await using PgDbConnection connection = await OpenAsync(fixture);
        await using var command = new PgDbCommand("select pg_typeof(@a)::text, pg_typeof(@b)::text", connection);
        command.Parameters.Add(new PgDbParameter("a", PgDbType.Jsonb, null));
        command.Parameters.Add(new PgDbParameter("b", PgDbType.Int8) { Value = 5L });
        await using DbDataReader reader = await command.ExecuteReaderAsync().Within(20.Seconds());
        Assert.True(await reader.ReadAsync());
        Assert.Equal(("jsonb", "bigint"), (reader.GetString(0), reader.GetString(1)));
        Assert.Equal(PgTypeId.Jsonb, command.Parameters[0].PgTypeId);
    }

    [Fact]
    public void EveryTypeHasTheNameOfItsConstant()
    {
        Dictionary<string, uint> constants = typeof(PgTypeId).GetFields().ToDictionary(static field => field.Name, static field => (uint)field.GetRawConstantValue()!); // Constants.
        Assert.Equal(
            constants.OrderBy(static pair => pair.Key, StringComparer.Ordinal),
            Enum.GetValues<PgDbType>().Where(static type => type != PgDbType.None)
                .Select(static type => KeyValuePair.Create(type.ToString(), (uint)type)).OrderBy(static pair => pair.Key, StringComparer.Ordinal));
    }

    private static async Task<PgDbConnection> OpenAsync(PgFixture fixture)
    {
        PgDataSource source = await Databases.OpenAsync<MappedTypesTests>(fixture);
        PgDbConnection connection = await source.AsDbDataSource().OpenConnectionAsync();
        await using var command = new PgDbCommand(
            "drop type if exists address; drop type if exists mood; create type mood as enum ('sad', 'very_happy'); create type address as (street text, number int, mood mood)",
            connection);
        await command.ExecuteNonQueryAsync().Within(20.Seconds());
        return connection;
    }
}
