using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Ioxide.Pg.Tests;

/// <summary>
/// What a real server sends is read, printed and sent back: the text of the binary form equals the server's, the binary form that
/// is written equals the server's, and both forms are read as the same value.
/// </summary>
public class ServerVectorTests
{
    [Fact]
    public void PrintsEveryTypeAsTheServerDoes()
        => CheckAll(vector =>
        {
            var sink = new Utf8Sink(stackalloc byte[16]);
            FieldText.Write(vector.BinaryField, ref sink);
            string text = Encoding.UTF8.GetString(sink.Written);
            sink.Dispose();
            return text == vector.Text ? null : $"printed '{text}'";
        });

    [Fact]
    public void ReadsEveryTypeAsText() => CheckAll(vector => PgCodec.For<string>().Read(vector.BinaryField) == vector.Text ? null : "differs");

    [Fact]
    public void WritesWhatItReadWithoutLoss() => CheckAll(vector => RoundTrip(vector, vector.BinaryField));

    [Fact]
    public void ReadsTheTextFormAsTheBinaryForm()
        => CheckAll(vector => vector.Text is "NaN" or "Infinity" or "-Infinity" // One value, several wire forms.
            ? null
            : RoundTrip(vector, new PgField(Encoding.UTF8.GetBytes(vector.Text), vector.TypeId, PgFormat.Text)));

    [Fact]
    public void NoShortenedOrLengthenedFieldIsReadBeyondItsEnd()
        => CheckAll(vector =>
        {
            byte[] longer = [.. vector.Binary, 0];
            for (int length = 0; length <= longer.Length; length++)
            {
                try
                {
                    if (length != vector.Binary.Length)
                    {
                        _ = RoundTrip(vector, new PgField(longer.AsSpan(0, length), vector.TypeId, PgFormat.Binary));
                    }
                }
                catch (PgTypeException)
                {
                    continue; // What a field of another length must lead to; anything else fails the test.
                }
            }

            return null;
        });

    private static string? RoundTrip(ServerVector vector, PgField field) => PgTypeTable.NameOf(vector.TypeId) switch
    {
        "bool" => Check<bool>(vector, field),
        "int2" => Check<short>(vector, field),
        "int4" => Check<int>(vector, field),
        "int8" => Check<long>(vector, field),
        "oid" => Check<uint>(vector, field),
        "xid8" => Check<ulong>(vector, field),
        "float4" => Check<float>(vector, field),
        "float8" => Check<double>(vector, field),
        "numeric" => Check<PgNumeric>(vector, field),
        "bytea" => Check<byte[]>(vector, field),
        "uuid" => Check<Guid>(vector, field),
        "date" => Check<PgDate>(vector, field),
        "time" => Check<TimeSpan>(vector, field, isLossy: true) ?? (vector.Text == "24:00:00" ? null : Check<TimeOnly>(vector, field)),
        "timetz" => Check<PgTimeTz>(vector, field),
        "timestamp" or "timestamptz" => Check<PgTimestamp>(vector, field),
        "interval" => Check<PgInterval>(vector, field),
        "inet" or "cidr" => Check<PgInet>(vector, field),
        "macaddr" or "macaddr8" => Check<System.Net.NetworkInformation.PhysicalAddress>(vector, field),
        "varbit" => Check<PgBits>(vector, field) ?? Check<System.Collections.BitArray>(vector, field),
        "point" => Check<PgPoint>(vector, field),
        "line" => Check<PgLine>(vector, field),
        "lseg" => Check<PgLineSegment>(vector, field),
        "box" => Check<PgBox>(vector, field),
        "path" => Check<PgPath>(vector, field),
        "polygon" => Check<PgPolygon>(vector, field),
        "circle" => Check<PgCircle>(vector, field),
        "int4range" => Check<PgRange<int>>(vector, field),
        "int8range" => Check<PgRange<long>>(vector, field),
        "numrange" => Check<PgRange<decimal>>(vector, field),
        "tsrange" or "tstzrange" => Check<PgRange<PgTimestamp>>(vector, field),
        "daterange" => Check<PgRange<DateOnly>>(vector, field),
        "int4multirange" => Check<PgRange<int>[]>(vector, field),
        "tsmultirange" => Check<PgRange<PgTimestamp>[]>(vector, field),
        "bool[]" => Check<bool?[]>(vector, field),
        "int4[]" => Check<PgArray<int?>>(vector, field),
        "text[]" => Check<List<string>>(vector, field) ?? Check<PgArray<string>>(vector, field),
        "numeric[]" => Check<PgNumeric?[]>(vector, field),
        "timestamp[]" => Check<PgTimestamp[]>(vector, field) ?? Check<DateTime[]>(vector, field),
        "box[]" => Check<PgBox[]>(vector, field),
        "int4range[]" => Check<List<PgRange<int>>>(vector, field),
        "bytea[]" => Check<byte[][]>(vector, field),
        "text" or "name" or "bpchar" or "\"char\"" => Check<string>(vector, field),
        "json" => Check<string>(vector, field) ?? CheckJson(vector, field, [1, .. vector.Binary]),
        "jsonb" => CheckJson(vector, field, vector.Binary),
        "money" => CheckMoney(vector, field),
        _ => "has no case here",
    };

    /// <summary>JSON of both types is written as jsonb.</summary>
    private static string? CheckJson(ServerVector vector, PgField field, byte[] jsonb) => Check<JsonElement>(vector with { TypeId = PgTypeId.Jsonb, Binary = jsonb }, field);

    /// <summary>No type of .NET is written as money.</summary>
    private static string? CheckMoney(ServerVector vector, PgField field)
    {
        decimal value = PgCodec.For<decimal>().Read(field);
        return value == decimal.Parse(vector.Text.Replace("$", "", StringComparison.Ordinal), NumberStyles.Number, CultureInfo.InvariantCulture) ? null : $"read {value}";
    }

    /// <summary>A text leaves the type to the server.</summary>
    private static uint SentAs<T>(ServerVector vector) => typeof(T) == typeof(string) ? 0 : vector.TypeId;

    private static string? Check<T>(ServerVector vector, PgField field, bool isLossy = false)
    {
        PgCodec<T> codec = PgCodec.For<T>();
        T value = codec.Read(field);
        byte[] written = new byte[codec.Measure(value)];
        codec.Write(value, written);
        uint typeId = codec.TypeIdOf(value);
        return isLossy || (written.AsSpan().SequenceEqual(vector.Binary) && typeId == SentAs<T>(vector))
            ? null
            : $"{typeof(T)} wrote {Convert.ToHexString(written)} as {PgTypeTable.NameOf(typeId)}";
    }

    private static void CheckAll(Func<ServerVector, string?> check)
    {
        Assert.NotEmpty(ServerVector.All);
        var wrong = new List<string>();
        foreach (ServerVector vector in ServerVector.All)
        {
            string? error;
            try
            {
                error = check(vector);
            }
            catch (Exception failure) when (failure is not Xunit.Sdk.XunitException)
            {
                error = failure.ToString();
            }

            if (error is not null)
            {
                wrong.Add($"{vector}: {error}");
            }
        }

        Assert.True(wrong.Count == 0, $"{wrong.Count} of {ServerVector.All.Count}:\n" + string.Join('\n', wrong.Take(40)));
    }
}
