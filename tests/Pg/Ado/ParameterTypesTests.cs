using System.Collections;
using System.Collections.Specialized;
using System.Data;
using System.Data.Common;
using System.Net;
using System.Net.NetworkInformation;
using System.Numerics;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Ioxide.Pg.Data;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>.NET types of parameters that no table names one by one, beside Npgsql.</summary>
public class ParameterTypesTests() : PairTests("create extension if not exists citext")
{
    private const string Broken = "a\ud800b";

    private sealed class Pairs : Dictionary<string, string?>;

    [Fact]
    public async Task ObjectsOfDerivedClassesAreSentAsThoseOfTheirBase()
    {
        object[] values =
        [
            IPAddress.Loopback, IPAddress.Any, IPAddress.Broadcast, IPAddress.IPv6Loopback, IPAddress.IPv6Any,
            (IPAddress[])[IPAddress.Loopback, IPAddress.IPv6Any], (ReadOnlyMemory<char>)"text".AsMemory(), new ArraySegment<char>([.. "text"]),
        ];
        foreach (object value in values)
        {
            Assert.Equal(await DataPair.TypeAndTextAsync(Pair.Theirs, value), await DataPair.TypeAndTextAsync(Pair.Ours, value));
        }

        Assert.Equal("hstore \"a\"=>\"1\"", await DataPair.TypeAndTextAsync(Pair.Ours, new Pairs { ["a"] = "1" }));
    }

    [Theory, Each("", "101", "1010101011", "10000000000000000000000000000001", "100000000000000000000000000000011")]
    public async Task BitsAreAVectorOf32(string bits)
    {
        var vector = new BitVector32(0x12345678);
        Assert.Equal(await DataPair.TypeAndTextAsync(Pair.Theirs, vector), await DataPair.TypeAndTextAsync(Pair.Ours, vector));
        Assert.Equal(await ReadAsync(Pair.Theirs), await ReadAsync(Pair.Ours));

        async Task<string> ReadAsync(DbConnection connection)
        {
            await using DbDataReader reader = await connection.FirstRowAsync($"select B'{bits}'::varbit");
            try
            {
                return reader.GetFieldValue<BitVector32>(0).ToString();
            }
            catch (InvalidCastException)
            {
                return "refused";
            }
        }
    }

    [Fact]
    public async Task JsonIsSentAsNodesAndAsBytes()
    {
        byte[] bytes = [.. "{\"a\": 1}"u8];
        (object Value, string? Type)[] cases =
        [
            (new JsonObject { ["a"] = 1, ["b"] = "\u00e9" }, null), (new JsonObject { ["a"] = 1 }, "json"), (new JsonArray(1, "x", null), null),
            (bytes, "json"), (bytes, "jsonb"), (new ReadOnlyMemory<byte>(bytes), "jsonb"), (new MemoryStream(bytes), "json"), (new MemoryStream(bytes), "jsonb"),
        ];
        foreach ((object value, string? type) in cases)
        {
            string theirs = await DataPair.TypeAndTextAsync(Pair.Theirs, Again(value), type);
            Assert.Equal(theirs, await DataPair.TypeAndTextAsync(Pair.Ours, Again(value), type));
        }

        await using DbDataReader reader = await Pair.Ours.FirstRowAsync("select '{\"a\": [1, 2]}'::jsonb, '[1, 2]'::json, null::jsonb");
        Assert.Equal(("[1,2]", 2), (reader.GetFieldValue<JsonObject>(0)["a"]!.ToJsonString(), reader.GetFieldValue<JsonArray>(1).Count));
        Assert.Equal("[1,2]", reader.GetFieldValue<JsonNode>(1).ToJsonString());
        Assert.Throws<InvalidCastException>(() => reader.GetFieldValue<JsonArray>(0));

        object Again(object value) => value is MemoryStream ? new MemoryStream(bytes) : value;
    }

    private enum OfByte : byte
    {
        Large = 200,
    }

    private enum OfUInt16 : ushort
    {
        Large = 40_000,
    }

    private enum OfInt32
    {
        Small = -7,
    }

    private enum OfUInt32 : uint
    {
        Large = 3_000_000_000,
    }

    private enum OfUInt64 : ulong
    {
        Large = ulong.MaxValue,
    }

    public static TheoryData<object, string> NumbersOfOtherSigns => new()
    {
        { new ushort[] { 40_000, 1 }, "integer[] {40000,1}" },
        { Array.Empty<ushort>(), "integer[] {}" },
        { new[] { OfByte.Large }, "smallint[] {200}" },
        { new[] { OfUInt16.Large }, "integer[] {40000}" },
        { new[] { OfInt32.Small }, "integer[] {-7}" },
        { new[] { OfUInt32.Large }, "bigint[] {3000000000}" },
        { new[] { OfUInt64.Large }, "numeric[] {18446744073709551615}" },
        { new sbyte[] { -3 }, "smallint[] {-3}" },
    };

    /// <summary>Npgsql refuses them. By a rule of the CLR an array of <c>ushort</c> is one of <c>short</c>, too.</summary>
    [Theory, MemberData(nameof(NumbersOfOtherSigns))]
    public async Task AnArrayOfUnsignedNumbersOrEnumsIsSentAsEachOfThemIs(object values, string expected)
        => Assert.Equal(expected, await DataPair.TypeAndTextAsync(Pair.Ours, values));

    [Theory, AllValues]
    public async Task ASizeCutsWhatIsLongerAsOnNpgsql(bool isAsync)
    {
        Func<object>[] values =
        [
            () => "text", () => "t", () => "", () => "text".ToCharArray(), () => "text".AsMemory(), () => new byte[] { 1, 2, 3, 4 },
            () => new ReadOnlyMemory<byte>([1, 2, 3, 4]), () => new ArraySegment<byte>([1, 2, 3, 4]), () => new MemoryStream([1, 2, 3, 4]), () => new StringReader("text"), () => 1234, () => 'c',
            () => (string[])["text", "t"], () => 1.25m,
        ];
        List<string> differences = [];
        foreach (Func<object> value in values)
        {
            foreach (int size in (int[])[-2, -1, 0, 1, 2, 3, 4, 5, 100])
            {
                // Npgsql takes no reader of text.
                string theirs = await SendAsync(Pair.Theirs, value() is StringReader reader ? await reader.ReadToEndAsync() : value(), size);
                string ours = await SendAsync(Pair.Ours, value(), size);
                if (theirs != ours)
                {
                    differences.Add($"{value().GetType().Name}, {size}: Npgsql {theirs}, ours {ours}");
                }
            }
        }

        Assert.True(differences.Count == 0, string.Join('\n', differences));

        async Task<string> SendAsync(DbConnection connection, object value, int size)
        {
            await using DbCommand command = connection.Command("select pg_typeof($1) || ' ' || $1::text");
            DbParameter parameter = command.CreateParameter();
            parameter.Value = value;
            command.Parameters.Add(parameter);
            try
            {
                parameter.Size = size;
                return (string)(isAsync ? await command.ExecuteScalarAsync() : command.ExecuteScalar())!;
            }
            catch (Exception exception)
            {
                return exception.GetType().Name;
            }
        }
    }

    [Fact]
    public async Task HalfOfASurrogatePairIsRefusedBeforeAnythingIsSent()
    {
        await Assert.ThrowsAsync<EncoderFallbackException>(() => DataPair.TypeAndTextAsync(Pair.Theirs, Broken));
        foreach (object value in (object[])[Broken, (string[])["a", Broken], Broken.ToCharArray(), new Dictionary<string, string?> { [Broken] = "" }])
        {
            await Assert.ThrowsAsync<EncoderFallbackException>(() => DataPair.TypeAndTextAsync(Pair.Ours, value));
            Assert.Equal("integer 1", await DataPair.TypeAndTextAsync(Pair.Ours, 1));
        }

        await using DbCommand command = Pair.Ours.Command($"select '{Broken}'");
        await Assert.ThrowsAsync<EncoderFallbackException>(() => command.ExecuteScalarAsync());
        Assert.Equal("integer 1", await DataPair.TypeAndTextAsync(Pair.Ours, 1));

        PgSession session = ((PgDbConnection)Pair.Ours).Session;
        PgStatement<string> echo = PgStatement.Create<string>("select $1::text"u8);
        await Assert.ThrowsAsync<EncoderFallbackException>(() => session.Query(echo, Broken).ScalarAsync<string>().AsTask());
        await Assert.ThrowsAsync<EncoderFallbackException>(() => session.RunScriptAsync($"select '{Broken}'").AsTask());
        Assert.Equal("a", await session.Query(echo, "a").ScalarAsync<string>());
    }

    [Fact]
    public Task BytesOfJsonbAreItsText() => DataPair.EachAsync<ParameterTypesTests>("", async connection =>
    {
        await using DbDataReader reader = await connection.FirstRowAsync("select '{}'::jsonb, array['{}'::jsonb]");
        Assert.Equal("{}"u8.ToArray(), reader.GetFieldValue<byte[]>(0));
        Assert.Equal("{}"u8.ToArray(), reader.GetFieldValue<byte[][]>(1)[0]);
    });

    [Fact]
    public async Task ValuesAndElementsBecomeOfTheDeclaredTypeAsOnNpgsql()
    {
        var utc = new DateTime(2024, 2, 29, 1, 2, 3, DateTimeKind.Utc);
        object[] values =
        [
            true, (byte)2, (sbyte)-3, (short)4, 5, 6L, 1.5f, 2.25, 1.7m, new BigInteger(12), "12", 'c', "ab".AsMemory(), new byte[] { 1, 2 }, Guid.Empty,
            utc, DateTime.SpecifyKind(utc, DateTimeKind.Unspecified), new DateTimeOffset(utc), new DateOnly(2024, 2, 29), new TimeOnly(1, 2, 3),
            TimeSpan.FromHours(2), IPAddress.Loopback, new IPNetwork(IPAddress.Parse("10.0.0.0"), 8), PhysicalAddress.Parse("001122334455"),
            new BitArray([true, false, true]), JsonDocument.Parse("[1]"), 40000, 5_000_000_000L, 1e300,
        ];
        string?[] types =
        [
            null,
            "boolean", "smallint", "integer", "bigint", "real", "double precision", "numeric", "money", "text", "character varying", "character", "name", "\"char\"",
            "bytea", "uuid", "date", "time", "timetz", "timestamp", "timestamptz", "interval", "json", "jsonb", "xml", "inet", "cidr", "macaddr", "macaddr8", "oid", "xid",
            "bit", "bit varying", "jsonpath", "tsvector", "citext",
        ];
        List<string> differences = [];
        foreach (object value in values)
        {
            foreach (string? type in types)
            {
                await CompareAsync(value, type);
                await CompareAsync(ArrayOf(value), ArrayNameOf(type));
                await CompareAsync(Activator.CreateInstance(typeof(List<>).MakeGenericType(value.GetType()), ArrayOf(value))!, ArrayNameOf(type)); // A list has one.
            }
        }

        Assert.True(differences.Count == 0, string.Join('\n', differences));

        async Task CompareAsync(object value, string? type)
        {
            string theirs = await TryAsync(Pair.Theirs, value, type);
            string ours = await TryAsync(Pair.Ours, value, type);

            // What Npgsql refuses may arrive: see WriteMatrixTests. A number is no date or time here.
            bool isNumberOfTime = IsNumber(value) && type is not null && (type.StartsWith("date") || type.StartsWith("time")) && ours.StartsWith("!InvalidCast");
            if (ours != theirs && !theirs.StartsWith('!') && !isNumberOfTime && !IsMeant(value, type))
            {
                differences.Add($"{TypeErrors.NameOf(value.GetType())} {value} as {type}: {ours}, and on Npgsql {theirs}");
            }
        }
    }

    /// <summary>Bytes as a text of another type are the text of bytea, and not what the bytes spell. A class of the framework's own has no array.</summary>
    private static bool IsMeant(object value, string? type)
        => (type == "citext[]" && value is byte[][] or List<byte[]>) || (type is null && value.GetType().GetElementType() == IPAddress.Loopback.GetType());

    /// <summary>A number, or an array or list of them.</summary>
    private static bool IsNumber(object value)
        => value is byte or sbyte or short or int or long or float or double or decimal or BigInteger || (value is IList and not byte[] && ((IList)value).Cast<object>().All(IsNumber));

    private static string? ArrayNameOf(string? type) => type is null ? null : type + "[]";

    private static Array ArrayOf(object value)
    {
        var array = Array.CreateInstance(value.GetType(), 2);
        array.SetValue(value, 0);
        array.SetValue(value, 1);
        return array;
    }

    private static async Task<string> TryAsync(DbConnection connection, object value, string? type)
    {
        try
        {
            // Some refusals break Npgsql's connection.
            if (connection.State != ConnectionState.Open)
            {
                await connection.OpenAsync();
            }

            return await DataPair.TypeAndTextAsync(connection, value, type);
        }
        catch (DbException refused)
        {
            return "!" + (refused.SqlState ?? refused.Message);
        }
        catch (Exception refused) when (refused is InvalidCastException or OverflowException or ArgumentException or NotSupportedException)
        {
            return "!" + refused.GetType().Name + refused.Message;
        }
    }
}
