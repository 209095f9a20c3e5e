using System.Collections;
using System.Data.Common;
using System.Globalization;
using System.Net;
using System.Numerics;
using System.Text;
using System.Text.Json;

namespace Ioxide.Pg.Tests;

/// <summary>Every getter of a reader on a value of every type: the facade gives what Npgsql gives, or the same type of exception.</summary>
/// <remarks>A difference is meant only where <see cref="Meant"/> names it with its reason.</remarks>
public class ReadMatrixTests : PairTests
{
    private const string Refused = nameof(InvalidCastException);
    private const string Overflow = nameof(OverflowException);

    private static readonly string[] s_columns =
    [
        "true", "false", "null::bool", "0::int2", "1::int2", "'-32768'::int2", "32767::int2", "200::int2", "0::int4", "1::int4", "'-2147483648'::int4",
        "2147483647::int4", "65536::int4", "null::int4", "0::int8", "1::int8", "255::int8", "'-9223372036854775808'::int8", "9223372036854775807::int8",
        "0::float4", "1.5::float4", "'NaN'::float4", "'Infinity'::float4", "3.4e38::float4", "0::float8", "1.5::float8", "'-Infinity'::float8",
        "1.7e308::float8", "0::numeric", "1::numeric", "1.5::numeric", "1.7::numeric", "-1.7::numeric", "2.5::numeric", "7000000000::numeric",
        "99999999999999999999.5::numeric", "1e40::numeric", "1e400::numeric", "'Infinity'::numeric", "'NaN'::numeric",
        "1.000000000000000000000000000000::numeric", "12.34::money", "'-12.34'::money",
        "''::text", "'a'::text", "'text'::text", "'12'::text", "'t'::text", "'x'::varchar(10)", "'c'::char(3)", "'n'::name", "''::\"char\"", "'q'::\"char\"",
        "E'\\\\377'::\"char\"", "E'\\\\200'::\"char\"", "null::text", "'00112233-4455-6677-8899-aabbccddeeff'::uuid", "'\\x'::bytea", "'\\x00'::bytea",
        "'\\x0102ff'::bytea", "null::bytea", "date '2024-02-29'", "date '0001-01-01'", "date '9999-12-31'", "date 'infinity'", "date '-infinity'",
        "date '20000-01-01'", "date '0044-03-15 BC'", "time '00:00'", "time '23:59:59.999999'", "time '24:00:00'", "timetz '12:34:56+02'",
        "timestamp '2024-02-29 01:02:03.456789'", "timestamp '0001-01-01'", "timestamp '9999-12-31 23:59:59.999999'", "timestamp '9999-12-31'",
        "timestamp 'infinity'", "timestamp '-infinity'", "timestamp '20000-01-01'", "timestamptz '2024-02-29 01:02:03.456789+02'",
        "timestamptz '9999-12-31 23:59:59.999999+00'", "timestamptz '0001-01-01 00:00:00+00'", "timestamptz 'infinity'", "timestamptz '-infinity'",
        "interval '1 day 02:03:04.5'", "interval '1 month'", "interval '00:00:00'", "'{\"a\": 1}'::json", "'{\"a\": 1}'::jsonb", "'<a/>'::xml",
        "'10.0.0.1'::inet", "'10.0.0.0/8'::cidr", "'10.0.0.0/8'::inet", "'08:00:2b:01:02:03'::macaddr", "b'1'::bit(1)", "b'0'::bit(1)", "b'101'::bit(3)",
        "b'1'::varbit", "17::oid", "4294967295::oid", "'1'::xid", "'1'::xid8", "'{1,2}'::int4[]", "'{1,null}'::int4[]", "'{}'::int4[]", "'{a,b}'::text[]",
        "'{{1,2},{3,4}}'::int4[]", "'{1.5}'::numeric[]", "'{1,2}'::int2[]", "'{70000}'::int4[]", "'{1,2}'::int8[]", "'{1.5}'::float4[]", "'{1.5}'::float8[]",
        "'{{1,2}}'::int2[]", "'{\"[1,3)\"}'::int4range[]", "'{{\"[1,3)\"}}'::int4range[]", "'{\"{[1,3)}\"}'::int4multirange[]", "'{$.a}'::jsonpath[]", "'{t}'::bool[]", "'{2024-01-01}'::date[]", "'[1,3)'::int4range", "'(1,1)'::point",
    ];

    /// <summary>The text of '{$.a}'::jsonpath[].</summary>
    private static readonly byte[] s_jsonPaths = [.. "{\"$.\\\"a\\\"\"}"u8];

    private static readonly (string Name, Func<DbDataReader, object?> Get)[] s_getters =
    [
        ("GetValue", r => r.GetValue(0)), ("GetFieldType", r => r.GetFieldType(0)), ("GetDataTypeName", r => r.GetDataTypeName(0)),
        ("GetBoolean", r => r.GetBoolean(0)), ("GetByte", r => r.GetByte(0)), ("GetInt16", r => r.GetInt16(0)), ("GetInt32", r => r.GetInt32(0)),
        ("GetInt64", r => r.GetInt64(0)), ("GetFloat", r => r.GetFloat(0)), ("GetDouble", r => r.GetDouble(0)), ("GetDecimal", r => r.GetDecimal(0)),
        ("GetString", r => r.GetString(0)), ("GetChar", r => r.GetChar(0)), ("GetGuid", r => r.GetGuid(0)), ("GetDateTime", r => r.GetDateTime(0)),
        ("GetBytes", r => Bytes(r)), ("GetChars", r => Chars(r)), ("GetStream", r => All(r.GetStream(0))), ("GetTextReader", r => r.GetTextReader(0).ReadToEnd()),
        As<bool>(), As<byte>(), As<sbyte>(), As<short>(), As<ushort>(), As<int>(), As<uint>(), As<long>(), As<ulong>(), As<float>(), As<double>(),
        As<decimal>(), As<BigInteger>(), As<string>(), As<char>(), As<char[]>(), As<Guid>(), As<DateTime>(), As<DateTimeOffset>(), As<DateOnly>(),
        As<TimeOnly>(), As<TimeSpan>(), As<byte[]>(), As<ReadOnlyMemory<byte>>(), As<object>(), As<DBNull>(), As<int?>(), As<DateTime?>(), As<IPAddress>(),
        As<BitArray>(), As<int[]>(), As<int?[]>(), As<List<int>>(), As<long[]>(), As<string[]>(), As<sbyte[]>(), As<short[]>(), As<float[]>(), As<double[]>(),
        As<decimal[]>(), As<List<short>>(), As<long[,]>(), As<Memory<byte>>(), As<ArraySegment<byte>>(), As<Stream>(), As<TextReader>(), As<JsonDocument>(),
        As<byte[][]>(), As<List<byte[]>>(),
    ];

    [Fact]
    public async Task EveryGetterOnEveryTypeGivesWhatNpgsqlGives()
    {
        var differences = new StringBuilder();
        int compared = 0;
        foreach (string column in s_columns)
        {
            string[] theirs = await AskAsync(Pair.Theirs, column);
            string[] ours = await AskAsync(Pair.Ours, column);
            for (int i = 0; i < theirs.Length; i++)
            {
                compared++;
                if (theirs[i] != ours[i] && Meant(column, s_getters[i].Name, theirs[i], ours[i], theirs) is null)
                {
                    differences.Append(CultureInfo.InvariantCulture, $"{s_getters[i].Name} of {column}: Npgsql {theirs[i]}, facade {ours[i]}\n");
                }
            }
        }

        Assert.True(differences.Length == 0, differences.ToString());
        Assert.Equal(s_columns.Length * s_getters.Length, compared);
    }

    /// <summary>Why the facade answers in another way; null where it should not.</summary>
    private static string? Meant(string column, string getter, string theirs, string ours, string[] theirsOfAll)
    {
        // What Npgsql reads as another number is that number.
        bool isSameNumber = theirs == Refused && ValueOf(ours) is { } number && number == ValueOf(theirsOfAll[Array.FindIndex(s_getters, static getter => getter.Name == "GetFieldValue<Int64>")]);
        bool isSameOid = theirs == Refused && ValueOf(ours) is { } oid && oid == ValueOf(theirsOfAll[Array.FindIndex(s_getters, static getter => getter.Name == "GetFieldValue<UInt32>")]);
        bool casts = theirs == Refused && !ours.EndsWith("Exception", StringComparison.Ordinal);
        bool isNull = column.StartsWith("null::", StringComparison.Ordinal);
        return (TypeOf(column), getter) switch
        {
            ("\"char\"", "GetString" or "GetChars" or "GetTextReader" or "GetFieldValue<String>" or "GetFieldValue<Char[]>"
                    or "GetFieldValue<TextReader>")
                when casts => "A \"char\" is read as the text that it is.",
            ("\"char\"", "GetFieldValue<Byte[]>" or "GetFieldValue<ReadOnlyMemory`1>") when casts => "A \"char\" is read as the byte that it is.",
            ("bit(1)" or "bit(3)" or "varbit", "GetChar" or "GetChars" or "GetTextReader" or "GetFieldValue<Char>" or "GetFieldValue<Char[]>"
                    or "GetFieldValue<TextReader>")
                when casts => "The digits of bits are a text.",
            (_, "GetFieldValue<DBNull>") when isNull && casts && ours == "DBNull " => "NULL is DBNull.",
            (_, "GetFieldValue<Nullable`1Int32>" or "GetFieldValue<Nullable`1DateTime>") when isNull && casts && ours == "null"
                => "NULL is null for every nullable type.",
            ("int2" or "int4" or "int8" or "numeric", "GetFieldValue<UInt16>" or "GetFieldValue<UInt32>" or "GetFieldValue<UInt64>")
                when isSameNumber || (theirs == Refused && ours == Overflow) => "Unsigned numbers are numbers like the others.",
            ("numeric", "GetFieldValue<SByte>") when isSameNumber || (theirs == Refused && ours == Overflow) => "Signed bytes are numbers like the others.",
            ("numeric[]", "GetFieldValue<SByte[]>") when casts => "Signed bytes are numbers like the others.",
            ("oid" or "xid", "GetInt64" or "GetFieldValue<Int64>") when isSameOid => "An OID fits a long.",
            ("int2" or "int4" or "int8", "GetFieldValue<BigInteger>") when isSameNumber => "A BigInteger holds every whole number.",
            ({ } array, "GetFieldValue<String[]>") when casts && array.EndsWith("[]", StringComparison.Ordinal) => "The texts of the elements.",
            ("text", "GetFieldValue<JsonDocument>") when column == "'12'::text" && ours == "document 12" => "A text may be JSON.",
            ("numeric", _) when column == "1.000000000000000000000000000000::numeric" && theirs is Overflow or Refused && ours.EndsWith(" 1", StringComparison.Ordinal)
                => "Zeros behind the point cost nothing.",
            ("numeric", "GetValue" or "GetFieldValue<Object>" or "GetDecimal" or "GetFieldValue<Decimal>")
                when column == "1.000000000000000000000000000000::numeric" && theirs == Overflow
                    && ours.StartsWith("Decimal 1.", StringComparison.Ordinal)
                => "Zeros behind the point cost nothing.",
            ("numeric", "GetDouble" or "GetFieldValue<Double>") when theirs == Overflow && ours == "Double 1E+40"
                => "A double needs no decimal on the way.",
            ("numeric", "GetDouble" or "GetFieldValue<Double>" or "GetFloat" or "GetFieldValue<Single>")
                when (theirs == Refused && ours is "Double NaN"
                    or "Single NaN") || (theirs == Overflow
                    && column == "'Infinity'::numeric" && ours.EndsWith(" Infinity", StringComparison.Ordinal))
                => "NaN and infinity are doubles.",
            ("date" or "timestamp" or "time", _) when theirs == "ArgumentOutOfRangeException" && ours == Refused
                && column is "date '0044-03-15 BC'" or "date '20000-01-01'" or "timestamp '20000-01-01'" or "time '24:00:00'"
                => "The exception names the type that holds the date.",
            ("text", "GetChar" or "GetFieldValue<Char>") when column == "''::text" && theirs == "NpgsqlException" && ours == Refused
                => "An empty text has no character: ADO.NET's exception for that.",
            ("timestamptz", _)
                when column.Contains("infinity", StringComparison.Ordinal)
                    && theirs.Replace(" Unspecified", "Z Utc", StringComparison.Ordinal) == ours
                => "A timestamptz is UTC, also at its ends.",
            ("jsonb", "GetBytes" or "GetStream" or "GetFieldValue<Stream>") when WithoutVersion(theirs) == ours
                => "The version byte in front of a jsonb is the wire's.",
            ("date", "GetInt32" or "GetFieldValue<Int32>" or "GetFieldValue<Nullable`1Int32>") when ours == Refused
                => "A moment is no number: its count from 2000-01-01 is the wire's.",
            ("time" or "timestamp" or "timestamptz", "GetInt64" or "GetFieldValue<Int64>") when ours == Refused => "A moment is no number.",
            ("date[]", "GetFieldValue<Int32[]>" or "GetFieldValue<Nullable`1[]>" or "GetFieldValue<List`1>") when ours == Refused
                => "A moment is no number, in an array neither.",
            ("int4[]", "GetFieldValue<Int64[,]>" or "GetFieldValue<Char[]>") when column == "'{}'::int4[]" && casts
                => "An array without elements has every type and number of dimensions.",
            ("int4[]", "GetFieldValue<ArraySegment`1>") when theirs == Overflow && ours == Refused => "No array is a segment of bytes.",
            ("jsonpath[]", "GetBytes" or "GetStream") when ours == Show(s_jsonPaths) => "A jsonpath arrives as text.",
            ("jsonpath[]", "GetFieldValue<Stream>") when ours == Show(new MemoryStream(s_jsonPaths)) => "A jsonpath arrives as text.",
            ("point" or "int4range" or "int4range[]" or "int4multirange[]", "GetFieldType" or "GetValue" or "GetFieldValue<Object>")
                when ours.Replace("PgRange", "NpgsqlRange", StringComparison.Ordinal).Replace("Ioxide.Pg.", "NpgsqlTypes.", StringComparison.Ordinal)
                    .Replace("PgPoint", "NpgsqlPoint", StringComparison.Ordinal) == theirs => "The driver's own types.",
            _ => null,
        };
    }

    /// <summary>A shown jsonb without its first byte, which is 1.</summary>
    private static string WithoutVersion(string shown)
        => shown.StartsWith("stream 01", StringComparison.Ordinal) ? $"stream {shown["stream 01".Length..]}"
            : shown.StartsWith("Byte[] 1,", StringComparison.Ordinal) ? $"Byte[] {shown["Byte[] 1,".Length..]}"
            : shown;

    /// <summary>What is shown behind the type; null where that is no value.</summary>
    private static string? ValueOf(string shown) => shown.IndexOf(' ', StringComparison.Ordinal) is > 0 and int space ? shown[(space + 1)..] : null;

    private static string TypeOf(string column)
        => column.LastIndexOf("::", StringComparison.Ordinal) is >= 0 and int cast ? column[(cast + 2)..] : column.Split(' ')[0];

    private static async Task<string[]> AskAsync(DbConnection connection, string column)
    {
        await using DbDataReader reader = await connection.ReaderAsync($"select {column} from generate_series(1, {s_getters.Length})");
        string[] answers = new string[s_getters.Length];
        for (int i = 0; i < answers.Length; i++)
        {
            Assert.True(await reader.ReadAsync());
            answers[i] = Ask(reader, s_getters[i].Get);
        }

        return answers;
    }

    private static string Ask(DbDataReader reader, Func<DbDataReader, object?> get)
    {
        try
        {
            return Show(get(reader));
        }
        catch (Exception exception) when (exception is not Xunit.Sdk.IAssertionException)
        {
            return exception.GetType().Name;
        }
    }

    private static (string, Func<DbDataReader, object?>) As<T>()
        => ($"GetFieldValue<{typeof(T).Name}{(Nullable.GetUnderlyingType(typeof(T)) is { } type ? type.Name : "")}>", reader => reader.GetFieldValue<T>(0));

    private static byte[] Bytes(DbDataReader reader)
    {
        byte[] bytes = new byte[reader.GetBytes(0, 0, null, 0, 0)];
        long count = reader.GetBytes(0, 0, bytes, 0, bytes.Length);
        return bytes[..(int)count];
    }

    private static string Chars(DbDataReader reader)
    {
        char[] characters = new char[reader.GetChars(0, 0, null, 0, 0)];
        long count = reader.GetChars(0, 0, characters, 0, characters.Length);
        return new string(characters, 0, (int)count);
    }

    private static byte[] All(Stream stream)
    {
        using var copy = new MemoryStream();
        stream.CopyTo(copy);
        return copy.ToArray();
    }

    private static string Show(object? value) => value switch
    {
        null => "null",
        Type type => type.Name,
        Stream stream => $"stream {Convert.ToHexString(All(stream))}",
        TextReader text => $"text {text.ReadToEnd()}",
        DateTime moment => $"DateTime {moment:O} {moment.Kind}",
        DateTimeOffset moment => $"DateTimeOffset {moment:O}",
        ReadOnlyMemory<byte> bytes => $"memory {Convert.ToHexString(bytes.Span)}",
        Memory<byte> bytes => $"writable memory {Convert.ToHexString(bytes.Span)}",
        JsonDocument document => $"document {document.RootElement}",
        BitArray bits => $"bits {string.Concat(bits.Cast<bool>().Select(bit => bit ? 1 : 0))}",
        char character => $"char {(int)character}",
        IEnumerable items and not string => $"{value.GetType().Name} {string.Join(",", items.Cast<object?>())}",
        _ => $"{value.GetType().Name} {((FormattableString)$"{value}").ToString(CultureInfo.InvariantCulture)}",
    };
}
